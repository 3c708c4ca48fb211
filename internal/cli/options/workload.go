package options

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sledge/examples/workloads"
	"sledge/internal/bundle"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/sqlfile"
	"sledge/internal/terminal"
	"sledge/internal/workload"
)

// WorkloadCommand returns "sledge workload", whose commands are for workloads that users write.
func WorkloadCommand(p *program.Program) *cobra.Command {
	c := &cobra.Command{
		Use:   "workload",
		Short: "Write, check and show a workload of your own",
		Long: `Workload is for workloads of your own: a folder with workload.toml, which describes tables, options and
transactions, and SQL files with the statements. Build, check, run and delete take the folder's path
with --workload, and everything else works with it as with Sledge's own workloads.`,
		Example: program.Examples("sledge workload new shop", "sledge workload check ./shop", "sledge build --db sqlite --workload ./shop", "sledge run --db sqlite --workload ./shop --users 4"),
		GroupID: program.GroupOthers,
		Args:    program.OnlyCommands,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newWorkload(p), checkWorkload(p), showWorkload(p))
	return c
}

func newWorkload(p *program.Program) *cobra.Command {
	like, from, repository := "shop", "", ""
	c := &cobra.Command{
		Use:   "new folder",
		Short: "Make a folder with a workload to start from",
		Long: `New makes a folder with a copy of one of the examples: ` + strings.Join(workloads.Names(), ", ") + `.
The name of the folder is the name of the workload, and of its account and database.`,
		Example: program.Examples("sledge workload new shop", "sledge workload new messages --like queue", "sledge workload new shop --of 6B02", "sledge workload new shop --of 6B02.sledge.zip"),
		Args:    cobra.ExactArgs(1),
		RunE: p.Body(func(ctx context.Context, args []string) error {
			if from != "" {
				return copyOfJob(ctx, p, repository, from, args[0])
			}
			files, err := workloads.Example(like)
			if err != nil {
				return program.Usage("--like: there is no example %q%s (choose one of %s)", like, option.Suggest(like, workloads.Names()), strings.Join(workloads.Names(), ", "))
			}
			folder := args[0]
			if err := os.Mkdir(folder, 0o755); err != nil {
				return program.Usage("%w", err)
			}
			if err := os.CopyFS(folder, files); err != nil {
				return err
			}
			path := asFolder(folder)
			if _, err := p.Resolver.Workload(path); err != nil { // such as a name that no workload may have
				_ = os.RemoveAll(folder) // made above
				return program.Usage("%w", err)
			}
			fmt.Fprintf(p.Stdout, "Made %s, a copy of the example %s:\n\n", path, like)
			err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					fmt.Fprintf(p.Stdout, "  %s\n", filepath.Join(folder, name))
				}
				return err
			})
			fmt.Fprintf(p.Stdout, "\nNext\n  sledge workload check %[1]s\n  sledge build --db sqlite --workload %[1]s\n  sledge run --db sqlite --workload %[1]s\n", path)
			return err
		}),
	}
	flags := c.Flags()
	flags.StringVar(&like, "like", like, "`example` to copy")
	flags.StringVar(&from, "of", "", "copy the workload of this `job`, or of the job in this bundle, instead")
	flags.StringVar(&repository, "repo", "", "`file` of the job repository, for --of")
	c.MarkFlagsMutuallyExclusive("like", "of")
	jobflags.CompleteFlag(p, c, "like", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return workloads.Names(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// copyOfJob writes the files of a job's workload into a new folder.
func copyOfJob(ctx context.Context, p *program.Program, repository, id, folder string) error {
	j, err := jobNamed(ctx, p, repository, id)
	if err != nil {
		return err
	}
	if j.Spec.Files == nil {
		return program.Usage("--of: the workload of job %s is Sledge's %s, which has no files", j.ID, j.Spec.Workload)
	}
	if err := j.Spec.Files.Write(folder); err != nil {
		return program.Usage("%w", err)
	}
	_, err = fmt.Fprintf(p.Stdout, "Made %s, the workload %s of job %s.\n", asFolder(folder), j.Spec.Workload, j.ID)
	return err
}

// jobNamed returns a job by its ID, or the first job in a bundle.
func jobNamed(ctx context.Context, p *program.Program, repository, name string) (job.Job, error) {
	if strings.HasSuffix(name, ".zip") {
		b, err := bundle.Read(name)
		if err != nil {
			return job.Job{}, err
		}
		return b.Runs[0].Job, nil
	}
	store, err := p.ReadRepository(repository)
	if err != nil {
		return job.Job{}, err
	}
	defer store.Close()
	return store.Get(ctx, job.ID(name))
}

// asFolder returns a path that is not taken for a name: shop becomes ./shop.
func asFolder(path string) string {
	if filepath.Base(path) == path && path != "." && path != ".." {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// ownWorkload reads the workload in a folder.
func ownWorkload(p *program.Program, folder string) (*workload.Workload, error) {
	w, err := p.Resolver.Workload(asFolder(folder))
	if err != nil {
		return nil, program.Usage("%w", err)
	}
	return w, nil
}

func checkWorkload(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "check folder",
		Short: "Check the files of a workload",
		Long: `Check reads all files of a workload, and reports the first mistake with its file and line: unknown
keys, parameters without a value, values that do not fit their type, statements that cannot be read.

It needs no database. The statements are tried on one when a run begins: each transaction once, rolled
back, before the virtual users connect.`,
		Example: program.Examples("sledge workload check ./shop"),
		Args:    cobra.ExactArgs(1),
		RunE: p.Body(func(_ context.Context, args []string) error {
			w, err := ownWorkload(p, args[0])
			if err != nil {
				return err
			}
			o := w.Options()
			if name, why := w.Schema.Unbuildable(o); why != "" {
				return program.Usage("with the default of option %s: %s", name, why)
			}
			statements := 0
			for _, k := range statementsOf(w) {
				statements += k
			}
			_, err = fmt.Fprintf(p.Stdout, "✓ %s: %s, %s with %s, %s.\n", report.Printable(w.Title),
				counted(len(w.Schema.Tables(o, 1)), "table"), counted(len(w.Kinds), "transaction"), counted(statements, "statement"), counted(len(w.Schema.Rules), "rule"))
			return err
		}),
	}
}

// counted formats a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// statementsOf returns how many statements each kind of transaction has.
func statementsOf(w *workload.Workload) (list []int) {
	for _, k := range w.Kinds {
		name := strings.ReplaceAll(k.Name, " ", "_") + ".sql"
		text, is := w.Files[name]
		for other, t := range w.Files {
			if !is && strings.HasSuffix(other, "/"+name) {
				text = t
			}
		}
		parts, _ := sqlfile.Split(text) // reading the workload has split it
		list = append(list, len(parts))
	}
	return list
}

func showWorkload(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "show folder",
		Short:   "Show the tables, transactions, options and rules of a workload",
		Long:    `Show lists what a workload consists of, with the default values of its options.`,
		Example: program.Examples("sledge workload show ./shop"),
		Args:    cobra.ExactArgs(1),
		RunE: p.Body(func(_ context.Context, args []string) error {
			w, err := ownWorkload(p, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(p.Stdout, "%s\n", report.Printable(w.Title))
			o := w.Options()
			tables := terminal.Table{Columns: []terminal.Column{{Head: "Table", Left: true}, {Head: "rows"}, {Head: "columns"}, {Head: "key", Left: true, Wrapped: true}}}
			for _, t := range w.Schema.Tables(o, 1) {
				tables.Row(t.Name, strconv.FormatInt(t.Size, 10), strconv.Itoa(len(t.Columns)), strings.Join(t.Key, ", "))
			}
			kinds := terminal.Table{Columns: []terminal.Column{{Head: "Transaction", Left: true}, {Head: "share"}, {Head: "statements"}}}
			weights, sum := w.Users.Mix.Weights(o, nil), 0.0
			for _, weight := range weights {
				sum += weight
			}
			statements := statementsOf(w)
			for i, k := range w.Kinds {
				kinds.Row(k.Name, fmt.Sprintf("%.3g %%", 100*weights[i]/sum), strconv.Itoa(statements[i]))
			}
			options := terminal.Table{Columns: []terminal.Column{{Head: "Option", Left: true}, {Head: "default", Left: true, Wrapped: true}, {Head: "meaning", Left: true, Wrapped: true}}}
			for _, d := range option.Describe(o) {
				options.Row(d.Name, d.Default, d.Help)
			}
			rules := terminal.Table{Columns: []terminal.Column{{Head: "Rule", Left: true}, {Head: "that must hold", Left: true, Wrapped: true}}}
			for _, r := range w.Schema.Rules {
				rules.Row(r.Name, r.Title)
			}
			for _, t := range slices.DeleteFunc([]terminal.Table{tables, kinds, options, rules}, func(t terminal.Table) bool { return len(t.Rows) == 0 }) {
				fmt.Fprintln(p.Stdout)
				if err := p.PrintTable(t); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}
