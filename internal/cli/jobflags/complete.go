package jobflags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/catalog"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// CompleteFlag lets the shell complete the values of a flag that c has. Cobra keeps such functions in a global
// variable, and with them all that the flags refer to, so only a command line that asks for completions registers them.
func CompleteFlag(p *program.Program, c *cobra.Command, name string, complete Complete) {
	if len(p.Args) == 0 || !strings.HasPrefix(p.Args[0], cobra.ShellCompRequestCmd) {
		return
	}
	if err := c.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // there is no such flag, or it was registered twice
	}
}

// Complete returns the completions of a word for the shell.
type Complete = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// Fixed returns a Complete that always offers the same words.
func Fixed(words ...string) Complete {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteSettings registers completions for the flags of a job that the command has.
func CompleteSettings(p *program.Program, c *cobra.Command, s *Flags) {
	completions := map[string]Complete{
		"db":         Fixed(DatabaseWords(p)...),
		"workload":   Fixed(WorkloadWords(p)...),
		"seed":       Fixed(),
		"url":        Fixed(),
		"connection": CompleteConnections(p, &s.Repository),
		"set": func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeSet(p, s, typed)
		},
		"config": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"toml", "yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	for _, f := range p.Resolver.Flags() {
		if f.Kind != "file" {
			completions[f.Name] = Fixed(f.Choices...)
		}
	}
	for name, completion := range completions {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		CompleteFlag(p, c, name, completion)
	}
}

// DatabaseWords returns all names and aliases of databases, each with its title.
func DatabaseWords(p *program.Program) (words []string) {
	for _, d := range p.Resolver.Databases {
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			words = append(words, name+"\t"+d.Title)
		}
	}
	return words
}

// WorkloadWords returns all names of workloads, each with its title.
func WorkloadWords(p *program.Program) (words []string) {
	for _, w := range p.Resolver.Workloads {
		for _, name := range append([]string{w.Name}, w.Aliases...) {
			words = append(words, name+"\t"+w.Title)
		}
	}
	return words
}

// completeSet completes name=value: first the name, then the choices of that option. Until a
// database is chosen it offers the options of all databases.
func completeSet(p *program.Program, s *Flags, typed string) ([]string, cobra.ShellCompDirective) {
	pairs := slices.Collect(p.Resolver.Pairs())
	if order, err := p.Resolver.Resolve(job.Run, s.Sources(p)); err == nil {
		pairs = []catalog.Pair{order.Plan.Pair}
	}
	name, _, hasName := strings.Cut(typed, "=")
	var words []string
	seen := map[string]bool{}
	for _, pair := range pairs {
		for _, o := range option.Built(pair.Options()) {
			// Offer HammerDB's name if its prefix has been typed.
			called, key := o.Name, settings.Key(pair, o)
			if prefix, _, _ := strings.Cut(key, "_"); strings.HasPrefix(typed, prefix+"_") {
				called = key
			}
			switch {
			case !hasName && !o.Secret && !seen[called]:
				seen[called] = true
				words = append(words, called+"=\t"+o.Help)
			case hasName && called == name:
				for _, choice := range choices(o) {
					words = append(words, name+"="+choice)
				}
				return words, cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func choices(o option.Description) []string {
	if o.Kind == "bool" {
		return []string{"true", "false"}
	}
	return o.Choices
}

// CompleteOptions completes the words of sledge options.
func CompleteOptions(p *program.Program, _ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return DatabaseWords(p), cobra.ShellCompDirectiveNoFileComp
	case 1:
		return WorkloadWords(p), cobra.ShellCompDirectiveNoFileComp
	case 2:
		if pair, err := p.Resolver.Pair(args[0], args[1]); err == nil {
			return optionWords(option.Built(pair.Options())), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func optionWords(list []option.Description) (words []string) {
	for _, o := range list {
		words = append(words, o.Name+"\t"+o.Help)
	}
	return words
}

// CompleteJobs completes the ID of a job, newest jobs first.
func CompleteJobs(p *program.Program, path *string) Complete {
	const offered = 20
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && c.Name() != "delete" && c.Name() != "compare" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		store, err := p.ReadRepository(*path)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer store.Close()
		jobs, err := store.List(c.Context(), repository.Query{Limit: offered})
		if err != nil || len(jobs) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		words := []string{"last\tthe job that began last"}
		for _, j := range jobs {
			words = append(words, string(j.ID)+"\t"+string(j.Spec.Action)+" "+j.Spec.Database+" "+string(j.Status))
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
