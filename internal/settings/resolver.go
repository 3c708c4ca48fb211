// Package settings turns the settings that a user gives in several sources (a configuration file,
// the environment, a URL, flags) into one order: a job.Spec with its names looked up and its
// options bound. It decides which source wins, and words the errors. It reads no command line and
// prints nothing, so that every front end can use it.
package settings

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// Resolver resolves settings for the databases and workloads of a catalog.
type Resolver struct{ catalog.Catalog }

// Options returns the description of every option once, from the first database and workload that
// have it.
func (r Resolver) Options() []option.Description {
	var all []option.Description
	seen := map[string]bool{}
	for pair := range r.Pairs() {
		for _, o := range pair.Options() {
			if !seen[o.Name] {
				seen[o.Name] = true
				all = append(all, o)
			}
		}
	}
	return all
}

// Flag is a plain command-line flag, such as --host.
type Flag struct {
	Name    string // without dashes
	Kind    string // the kind of the value: that of an option.Description, or "file"
	Help    string
	Default string   // the default of all its options, or "" if they differ
	Options []string // the options that it sets, one for each database and workload
	Choices []string
	Group   string // the group of an option.Description
	Main    bool   // like that of an option.Description
	List    bool   // like that of an option.Description

	actions []string // the actions that its options affect; empty means all
}

// MeansSomethingTo reports whether the flag has any effect on an action.
func (f Flag) MeansSomethingTo(action job.Action) bool {
	return len(f.actions) == 0 || slices.Contains(f.actions, string(action))
}

// Flags returns the plain flags of all databases and workloads, sorted by group and name. A secret
// has a flag for a file instead of its value, because every user of the machine can read command
// lines. If pairs describe a flag differently, the most frequent description wins.
func (r Resolver) Flags() []Flag {
	if len(r.Databases) == 0 || len(r.Workloads) == 0 {
		return nil
	}
	of := listed{&r.Databases[0], &r.Workloads[0], len(r.Databases), len(r.Workloads)}
	flags, known := flagsOf.Load(of)
	if !known {
		flags, _ = flagsOf.LoadOrStore(of, r.findFlags())
	}
	return slices.Clone(flags.([]Flag))
}

// flagsOf caches the flags of each catalog, because a dozen commands list them each time the program
// starts. A catalog never changes.
var flagsOf sync.Map

// listed identifies a catalog by its lists.
type listed struct {
	database             **database.Database
	workload             **workload.Workload
	databases, workloads int
}

func (r Resolver) findFlags() []Flag {
	found := map[string]*Flag{}
	described := map[string]int{} // how many pairs give a flag this description
	add := func(o option.Description) {
		name := FlagOf(o)
		if name == "" || o.Soon {
			return
		}
		help := o.Help
		if o.Secret {
			help = "file that holds the " + cmp.Or(secretHelp[secretName(o)], o.Help)
		}
		f := found[name]
		if f == nil {
			f = &Flag{Name: name, Kind: o.Kind, Help: help, Default: o.Default, Choices: o.Choices, Group: o.Group, Main: o.Main, List: o.List, actions: o.Actions}
			if o.Secret {
				f.Kind, f.Default = "file", ""
			}
			found[name] = f
		}
		if o.Default != f.Default {
			f.Default = ""
		}
		described[name+help]++
		if described[name+help] > described[name+f.Help] {
			f.Help = help
		}
		// The flag applies to an action if an option of any pair does.
		for _, action := range o.Actions {
			if len(f.actions) > 0 && !slices.Contains(f.actions, action) {
				f.actions = append(slices.Clone(f.actions), action)
			}
		}
		if len(o.Actions) == 0 {
			f.actions = nil
		}
		if !slices.Contains(f.Options, o.Name) {
			f.Options = append(f.Options, o.Name)
		}
	}
	for pair := range r.Pairs() {
		for _, o := range pair.Options() {
			add(o)
		}
	}
	var flags []Flag
	for _, name := range slices.Sorted(maps.Keys(found)) {
		flags = append(flags, *found[name])
	}
	rank := func(f Flag) int {
		return slices.IndexFunc(option.Groups, func(g option.Group) bool { return g.Name == f.Group })
	}
	slices.SortStableFunc(flags, func(x, y Flag) int { return rank(x) - rank(y) })
	return flags
}

// fileSuffix turns the name of a secret into the name of the flag for its file.
const fileSuffix = "-file"

// FlagOf returns the plain flag that sets an option, or "" if there is none.
func FlagOf(o option.Description) string {
	if name := secretName(o); name != "" {
		return name + fileSuffix
	}
	return o.Flag
}

// The names of the secrets of every database.
const (
	Password          = "password"           // of the user who owns the schema
	SuperuserPassword = "superuser-password" // of the user who may create the owner
)

// secretHelp describes the owners of the secrets.
var secretHelp = map[string]string{
	Password:          "password of the user that owns the schema",
	SuperuserPassword: "password of the user that may create databases",
}

// askedName returns which of the two secrets an option is, or "" for other options. A database may
// have its own name for the superuser.
func askedName(o option.Description) string {
	switch name := secretName(o); {
	case name == Password:
		return Password
	case name != "" && o.Group == option.Accounts:
		return SuperuserPassword
	}
	return ""
}

// secretName returns the common name of a secret, or "" for other options.
func secretName(o option.Description) string {
	if !o.Secret {
		return ""
	}
	return strings.ReplaceAll(o.Name, "_", "-")
}
