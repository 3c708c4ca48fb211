// Package workbench turns what the user has said in several places, a
// configuration file, the environment, a URL, flags, into one job.Spec. It knows
// which place wins and what to say about a mistake. And it has the verbs by which a
// job of such a Spec is started, followed and ended. It reads no command line and
// prints nothing, so that every front end shares it.
package workbench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// DefaultWorkload is what runs when no workload is chosen.
const DefaultWorkload = "tprocc"

// Bench is what there is to choose from.
type Bench struct{ catalog.Catalog }

// Title is what people call a database, or "" when it is not known.
func (b Bench) Title(databaseName string) string {
	if d, err := b.Database(databaseName); err == nil {
		return d.Title
	}
	return ""
}

// Schemes are what a database's URL may begin with: the schemes that its own
// programs know, and every name the database has here.
func Schemes(d *database.Database) []string {
	schemes := slices.Clone(d.Schemes)
	for _, name := range append([]string{d.Name}, d.Aliases...) {
		if !slices.Contains(schemes, name) {
			schemes = append(schemes, name)
		}
	}
	return schemes
}

// Benchmarks are the workloads as results speak of them, and after them those of
// HammerDB's that there are not yet, whose jobs may be imported.
func (b Bench) Benchmarks() []job.Benchmark {
	var list []job.Benchmark
	for _, w := range b.Workloads {
		h := w.HammerDB
		labels := make([]string, len(w.Kinds))
		for i, k := range w.Kinds {
			labels[i] = k.Label
		}
		list = append(list, job.Benchmark{
			Workload: w.Name, Name: cmp.Or(h.Benchmark, w.Title), Title: w.Title,
			Size: h.Size, Unit: h.Unit, Labels: labels, Queries: h.Queries,
		})
	}
	for _, f := range foreign {
		if !slices.ContainsFunc(list, func(known job.Benchmark) bool { return known.Workload == f.Workload }) {
			list = append(list, f)
		}
	}
	return list
}

// foreign are the workloads that HammerDB has, until a folder declares them.
var foreign = []job.Benchmark{
	{Workload: "tproch", Name: "TPC-H", Title: "TPROC-H", Size: "scale_fact", Unit: "scale factor", Queries: true},
}

// Settings are all settings of a job, those that were not given with their
// defaults, in the sections of HammerDB's dictionaries. Secrets are left out. It
// returns nothing for a database or a workload that is not known any more.
func (b Bench) Settings(spec job.Spec) []job.Section {
	pair, err := b.Pair(spec.Database, spec.Workload)
	if err != nil {
		return nil
	}
	var sections []job.Section
	for _, o := range engine.Options(pair.Database, pair.Workload) {
		if o.Secret {
			continue
		}
		name := cmp.Or(o.Section, pair.Workload.HammerDB.Section, pair.Workload.Name)
		i := slices.IndexFunc(sections, func(s job.Section) bool { return s.Name == name })
		if i < 0 {
			i = len(sections)
			sections = append(sections, job.Section{Name: name})
		}
		value, given := spec.Options[o.Name]
		if !given {
			value = o.Default
		}
		sections[i].Settings = append(sections[i].Settings, job.Setting{Name: o.Name, Value: value})
	}
	return sections
}

// Options describes every option there is, once each, whichever database and
// workload it belongs to.
func (b Bench) Options() []option.Description {
	var all []option.Description
	seen := map[string]bool{}
	for pair := range b.Pairs() {
		for _, o := range engine.Options(pair.Database, pair.Workload) {
			if !seen[o.Name] {
				seen[o.Name] = true
				all = append(all, o)
			}
		}
	}
	return all
}

// WithoutSecrets returns spec as it may be stored and shown: without the values
// of options that are secret.
func (b Bench) WithoutSecrets(spec job.Spec) job.Spec {
	public := spec.Options.Clone()
	for _, o := range b.Options() {
		if o.Secret {
			delete(public, o.Name)
		}
	}
	spec.Options = public
	return spec
}

// Flag is a plain command-line flag, such as --host. It stands for a different
// option with each database: pg_host, maria_host.
type Flag struct {
	Name    string // without dashes
	Kind    string // of the value: an option.Description's, or "file"
	Help    string
	Options []string // the options that it sets
	Choices []string
	Group   string // an option.Description's
	Main    bool   // as an option.Description has it

	actions []string // that its options mean something to; none stands for all
}

// MeansSomethingTo reports whether the flag has any effect on an action.
func (f Flag) MeansSomethingTo(action job.Action) bool {
	return len(f.actions) == 0 || slices.Contains(f.actions, string(action))
}

// Flags lists the plain flags of all databases and workloads by group, and in each by
// name. A secret has no flag that takes its value, since every user
// of the machine can read command lines: it has one that takes a file.
func (b Bench) Flags() []Flag {
	found := map[string]*Flag{}
	for _, o := range b.Options() {
		name := FlagOf(o)
		if name == "" || o.Soon {
			continue
		}
		f := found[name]
		if f == nil {
			f = &Flag{Name: name, Kind: o.Kind, Help: o.Help, Choices: o.Choices, Group: o.Group, Main: o.Main, actions: o.Actions}
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

// secretName returns what people call a secret, or "" for other options and for
// secrets that only go by their option's name. Databases spell the two that all
// of them have alike: pg_pass and pg_superuserpass, maria_pass.
func secretName(o option.Description) string {
	switch {
	case !o.Secret:
		return ""
	case o.Flag != "":
		return o.Flag
	case strings.HasSuffix(o.Name, "superuserpass"):
		return SuperuserPassword
	case strings.HasSuffix(o.Name, "_pass"):
		return Password
	}
	return ""
}

// pair names a database and a workload together, for messages.
func pair(d *database.Database, w *workload.Workload) string {
	return fmt.Sprintf("%s with %s", d.Title, w.Title)
}
