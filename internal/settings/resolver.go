// Package settings turns what the user has set in several sources, a configuration file, the
// environment, a URL, flags, into one order: a job.Spec with its names looked up and its options
// bound. It decides which source wins, and what to say about a mistake. It reads no command line
// and prints nothing, so that every front end shares it.
package settings

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/option"
)

// Resolver resolves settings for the databases and workloads of a catalog.
type Resolver struct{ catalog.Catalog }

// Options describes every option there is, once each, as the first database and workload
// have it that have it.
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
	Kind    string // of the value: an option.Description's, or "file"
	Help    string
	Options []string // the options that it sets, one of each database and workload
	Choices []string
	Group   string // an option.Description's
	Main    bool   // as an option.Description has it
	List    bool   // likewise

	actions []string // that its options mean something to; none stands for all
}

// MeansSomethingTo reports whether the flag has any effect on an action.
func (f Flag) MeansSomethingTo(action job.Action) bool {
	return len(f.actions) == 0 || slices.Contains(f.actions, string(action))
}

// Flags lists the plain flags of all databases and workloads by group, and in each by
// name. A secret has no flag that takes its value, since every user
// of the machine can read command lines: it has one that takes a file.
func (r Resolver) Flags() []Flag {
	found := map[string]*Flag{}
	add := func(o option.Description) {
		name := FlagOf(o)
		if name == "" || o.Soon {
			return
		}
		f := found[name]
		if f == nil {
			f = &Flag{Name: name, Kind: o.Kind, Help: o.Help, Choices: o.Choices, Group: o.Group, Main: o.Main, List: o.List, actions: o.Actions}
			if o.Secret {
				f.Kind, f.Help = "file", "file that holds the "+cmp.Or(secretHelp[secretName(o)], o.Help)
			}
			found[name] = f
		}
		// Where an option of one pair means something, the flag does.
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

// fileSuffix makes, of the name of a secret's flag, the name of the flag that
// takes a file.
const fileSuffix = "-file"

// FlagOf returns the plain flag that sets an option, or "" when it has none.
func FlagOf(o option.Description) string {
	if name := secretName(o); name != "" {
		return name + fileSuffix
	}
	return o.Flag
}

// The names by which people know the secrets of every database.
const (
	Password          = "password"           // of the user who owns the schema
	SuperuserPassword = "superuser-password" // of the user who may create that one
)

// secretHelp says whose they are.
var secretHelp = map[string]string{
	Password:          "password of the user who owns the schema",
	SuperuserPassword: "password of the user who may create databases",
}

// askedName returns the name of those two by which a secret is asked for at a prompt; "" of
// other options. A database may call the user who creates others by a word of its own.
func askedName(o option.Description) string {
	switch name := secretName(o); {
	case name == Password:
		return Password
	case name != "" && o.Group == option.Accounts:
		return SuperuserPassword
	}
	return ""
}

// secretName returns what people call a secret, or "" for other options.
func secretName(o option.Description) string {
	if !o.Secret {
		return ""
	}
	return strings.ReplaceAll(o.Name, "_", "-")
}
