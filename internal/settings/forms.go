package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
)

// Said is an option that a source set, for the forms of a set-up.
type Said struct {
	option.Description
	Key   string // the console's key
	Value string // "" for a secret
}

// Variable returns the environment variable that sets the option.
func (s Said) Variable() string { return EnvironmentPrefix + strings.ToUpper(s.Key) }

// Said returns the options of an order that a source set, in the order of their declarations.
// Secrets have no value. A pool is given as the name of its file.
func (o Order) Said() (list []Said) {
	given := o.Spec.Values()
	for _, d := range o.Plan.Options() {
		if _, set := given[d.Name]; !set {
			continue
		}
		s := Said{Description: d, Key: Key(o.Plan.Pair, d), Value: o.Spec.Options[d.Name]}
		if d.Name == pool.Option && pool.IsPool(s.Value) {
			s.Value = o.Origins[d.Name]
		}
		list = append(list, s)
	}
	return list
}

// CommandLine returns an order as a command line for a shell. A comment names the secrets and the
// variables that can set them.
func (r Resolver) CommandLine(o Order) string {
	var comments []string
	action := o.Spec.Action
	words := []string{"sledge " + string(action), "--db=" + o.Spec.Database}
	if o.Spec.Workload != r.DefaultWorkload().Name {
		words = append(words, "--workload="+o.workload())
	}
	if o.Spec.Files != nil {
		comments = append(comments, fmt.Sprintf("# %s is the folder of the workload: sledge workload new %[1]s --of ID writes that of a job.\n", o.workload()))
	}
	if action == job.Run {
		words = append(words, "--users="+o.users())
	}
	if o.Spec.Seed != defaultSeed && (action == job.Run || action == job.Build) {
		words = append(words, fmt.Sprintf("--seed=%d", o.Spec.Seed))
	}
	flags := map[string]Flag{}
	for _, f := range r.Flags() {
		flags[f.Name] = f
	}
	for _, s := range o.Said() {
		flag, has := flags[FlagOf(s.Description)]
		switch {
		case len(s.Actions) > 0 && !slices.Contains(s.Actions, string(action)):
		case s.Secret:
			comments = append(comments, fmt.Sprintf("# Put the option %s into %s first: passwords are not shown.\n", s.Name, s.Variable()))
		case has && flag.MeansSomethingTo(action):
			words = append(words, "--"+flag.Name+"="+ShellWord(s.Value))
		default:
			words = append(words, "--set="+ShellWord(s.Name+"="+s.Value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Spec.Labels)) {
		words = append(words, "--label="+ShellWord(name+"="+o.Spec.Labels[name]))
	}
	if o.Spec.Note != "" {
		words = append(words, "--note="+ShellWord(o.Spec.Note))
	}
	if o.Spec.Resume {
		words = append(words, "--resume")
	}
	return strings.Join(comments, "") + strings.Join(words, " \\\n  ") + "\n"
}

// users returns the numbers of virtual users, separated by commas.
func (o Order) users() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Counts), " ", ","), "[]")
}

// workload returns the name of the workload, or for a user's own the path of a folder with its name.
func (o Order) workload() string {
	if o.Spec.Files == nil {
		return o.Spec.Workload
	}
	return "./" + o.Spec.Workload
}

// TOML returns an order as a configuration file.
func (r Resolver) TOML(o Order) string {
	var t strings.Builder
	fmt.Fprintf(&t, "db = %s\n", tomlString(o.Spec.Database))
	fmt.Fprintf(&t, "workload = %s\n", tomlString(o.workload()))
	if len(o.Counts) > 0 {
		fmt.Fprintf(&t, "users = %s\n", tomlString(o.users()))
	}
	if o.Spec.Seed != defaultSeed {
		fmt.Fprintf(&t, "seed = %d\n", o.Spec.Seed)
	}
	if len(o.Spec.Labels) > 0 {
		var labels []string
		for _, name := range slices.Sorted(maps.Keys(o.Spec.Labels)) {
			if label := name + "=" + o.Spec.Labels[name]; strings.Contains(label, ",") {
				fmt.Fprintf(&t, "# Give the label %s as --label, because it contains a comma.\n", tomlString(label))
			} else {
				labels = append(labels, tomlString(label))
			}
		}
		if len(labels) > 0 {
			fmt.Fprintf(&t, "labels = [%s]\n", strings.Join(labels, ", "))
		}
	}
	t.WriteString("\n[options]\n")
	for _, s := range o.Said() {
		if s.Secret {
			fmt.Fprintf(&t, "# %s is not shown: set %s, or name a file here: %s%s = \"secret.txt\"\n", s.Name, s.Variable(), s.Name, secretFile)
			continue
		}
		fmt.Fprintf(&t, "%s = %s\n", s.Name, tomlString(s.Value))
	}
	return t.String()
}

// tomlString quotes text for TOML, which has all escapes of JSON.
func tomlString(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can always be encoded
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\x7f", `\u007F`)
}

// ShellWord quotes a word for a shell.
func ShellWord(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\r\n\"'\\$`*?;&|<>(){}[]!#~") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// TakenIn holds the settings that were read from a configuration file or a script.
type TakenIn struct {
	// Settings have the names of Sources.Given, options their own names. They contain no passwords;
	// Secrets names the options that had one.
	Settings map[string]string
	Secrets  []string

	// Passed lists the lines that were ignored, and why.
	Passed []string
}

// Pass adds an ignored line with its reason.
func (t *TakenIn) Pass(line int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	t.Passed = append(t.Passed, text)
}

// TakeIn reads the settings of a configuration file in TOML or YAML. It ignores lines that it does
// not understand, and returns an error if the text is in neither format.
func (r Resolver) TakeIn(text string) (TakenIn, error) {
	t := TakenIn{Settings: map[string]string{}}
	items, err := parseTOML(text)
	if err != nil {
		other, wrong := parseYAML(text)
		if wrong != nil {
			return t, job.WithExit(job.ExitUsage, fmt.Errorf("as TOML: %w; as YAML: %w", err, wrong))
		}
		items = other
	}
	p := source{}
	f := configFile{path: "the text", known: r.knownNames()}
	for _, i := range items {
		list := []item{i}
		if i.what == isTable && i.key == optionsTable {
			list = nil
			for _, within := range i.table {
				list = append(list, item{key: optionsTable, line: within.line, what: isTable, table: []item{within}})
			}
		}
		for _, one := range list {
			if err := f.fill(p, []item{one}); err != nil {
				t.Pass(0, "%v", err)
			}
		}
	}
	s := Sources{Given: map[string]string{keyDatabase: p[keyDatabase].text, keyWorkload: p[keyWorkload].text}}
	pair, chosen := r.pairOf(s)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !chosen || slices.Contains(plainKeys, name) {
			t.Settings[name] = p[name].text
			continue
		}
		o, found := Find(pair, strings.TrimSuffix(name, secretFile))
		switch {
		case found && o.Secret:
			t.Secrets = append(t.Secrets, o.Name)
			t.Pass(p[name].lineNumber(), "%s: passwords are not read: enter it yourself", name)
		case !found:
			t.Pass(p[name].lineNumber(), "%s is not an option of %s", name, pair.Title())
		default:
			t.Settings[o.Name] = p[name].text
		}
	}
	if !chosen {
		for _, name := range r.secretNames() {
			delete(t.Settings, name) // for any database
		}
		t.Pass(0, "no line names a database, so options were not checked")
	}
	return t, nil
}

// lineNumber returns the line of an entry, if its origin contains it.
func (e entry) lineNumber() (line int) {
	_, _ = fmt.Sscanf(e.origin, "line %d of", &line)
	return line
}

// secretNames returns all names of secrets of all databases.
func (r Resolver) secretNames() (names []string) {
	for pair := range r.Known().Pairs() {
		for _, o := range pair.Options() {
			if o.Secret {
				names = append(names, Called(pair, o)...)
			}
		}
	}
	return names
}
