// Package scripts reads and writes driver scripts: short files that define the work of each virtual
// user in a run. Sledge's scripts are data in the form of Tcl's set commands, so that editors
// highlight them; nothing in them is evaluated. HammerDB's scripts are programs. Sledge reads their
// mix, pauses and options if this is possible with certainty
// (docs/decisions/012-driver-scripts-are-data.md).
package scripts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// Script is the content of a driver script.
type Script struct {
	Values option.Values
	Timed  bool     // whether a virtual user monitors and times the run
	Notes  []string // remarks for the user who loads the script
	Secret bool     // the text has a password, which is not used
}

// version is the version of the format, which every script names.
const version = "1"

const versionName = "sledge_script"

// Text returns the driver script for a database and a workload, with values instead of defaults.
func Text(d *database.Database, w *workload.Workload, values option.Values) string {
	var b strings.Builder
	monitored := "\n#     custommonitor timed      (a virtual user more, who times the run; or: test)"
	if w.Users.Finite {
		monitored = ""
	}
	fmt.Fprintf(&b, `# Sledge driver script: what each virtual user of a run does.
#
# It is data, not a program: change values, save, and load it by
#
#     customscript FILE.tcl%s
#
# A line left out leaves that setting to the dictionary. Times may be fractions of
# a second, such as 0.25. What a value may be, "sledge options %s" says.

set %s %s
set database %s
set benchmark %s
`, monitored, d.Name, versionName, version, quote(d.Title), w.Title)
	for _, o := range options(d, w) {
		value := o.Default
		if text, ok := values[o.Name]; ok {
			value = text
		}
		fmt.Fprintf(&b, "\n# %s\n", o.Help)
		short := names.Short(d.Name, w.Name, o.Name)
		if !perKind(o, w) {
			fmt.Fprintf(&b, "set %s %s\n", short, quote(value))
			continue
		}
		for i, part := range strings.Split(value, ",") {
			fmt.Fprintf(&b, "set %s(%s) %s\n", short, kindWord(w.Kinds[i]), quote(part))
		}
	}
	return b.String()
}

// Settings lists the options in a driver script, with their names there.
func Settings(d *database.Database, w *workload.Workload) []option.Description {
	list := options(d, w)
	for i, o := range list {
		list[i].Name = names.Short(d.Name, w.Name, o.Name)
	}
	return list
}

// scriptNames lists the names of the options in a driver script.
func scriptNames(d *database.Database, w *workload.Workload) []string {
	var list []string
	for _, o := range options(d, w) {
		list = append(list, names.Short(d.Name, w.Name, o.Name))
	}
	return list
}

// options returns the options in a driver script, in order.
func options(d *database.Database, w *workload.Workload) []option.Description {
	all := catalog.Pair{Database: d, Workload: w}.Options()
	var list []option.Description
	for _, key := range names.InScript(d.Name, w.Name) {
		i := slices.IndexFunc(all, func(o option.Description) bool { return names.Short(d.Name, w.Name, o.Name) == key })
		if i >= 0 {
			list = append(list, all[i])
		}
	}
	return list
}

// perKind reports whether an option has a value for each kind of transaction.
func perKind(o option.Description, w *workload.Workload) bool {
	return strings.Count(o.Default, ",") == len(w.Kinds)-1 && len(w.Kinds) > 1
}

func kindWord(k workload.Kind) string { return strings.ReplaceAll(k.Name, " ", "_") }

func quote(value string) string {
	if value == "" || strings.ContainsAny(value, " \t;#\"") {
		return "{" + value + "}"
	}
	return value
}

// Parse reads a driver script for a database and a workload. Its errors name the line and give
// advice.
func Parse(text string, d *database.Database, w *workload.Workload) (Script, error) {
	text = strings.TrimPrefix(text, "\ufeff") // editors on Windows write a byte order mark
	if isForeign(text) {
		s, err := parseForeign(text, d, w)
		s.Secret = rePassword.MatchString(text)
		return s, err
	}
	r := reader{database: d, workload: w, options: options(d, w), values: option.Values{}, kinds: map[string][]string{}, seen: map[string]bool{}}
	for i, line := range strings.Split(text, "\n") {
		if err := r.line(strings.TrimSpace(line)); err != nil {
			return Script{}, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if !r.versioned {
		return Script{}, fmt.Errorf("this is not a driver script: it has no line \"set %s %s\" and does not look like one of HammerDB's: create one with loadscript and savescript, and edit that", versionName, version)
	}
	for name, parts := range r.kinds {
		r.values[name] = strings.Join(parts, ",")
	}
	if err := check(d, w, r.values); err != nil {
		return Script{}, err
	}
	how, given := r.values[names.BenchmarkOf(w).Driver]
	return Script{Values: r.values, Timed: !w.Users.Finite && (!given || how != "test")}, nil
}

// rePassword matches a password in a HammerDB script, or an Oracle connect string that contains
// one.
var rePassword = regexp.MustCompile(`(?im)^[ \t]*set[ \t]+(\w*pass\w*[ \t]+["{]?[^"{}\s]|connect\w*[ \t]+\S+/\S+@)`)

// check checks each value alone. The caller checks rules across options, because it also has the
// dictionary's values.
func check(d *database.Database, w *workload.Workload, values option.Values) error {
	for _, o := range options(d, w) {
		text, given := values[o.Name]
		if !given {
			continue
		}
		if _, err := checkValue(d, w, o.Name, text); err != nil {
			return &option.Error{Option: o.Name, Called: names.Key(d.Name, w.Name, o.Name), Value: text, Err: err}
		}
	}
	return nil
}

// checkValue checks the value of an option of the pair, and returns its canonical form.
func checkValue(d *database.Database, w *workload.Workload, name, text string) (canonical string, err error) {
	for _, fresh := range (catalog.Pair{Database: d, Workload: w}).Fresh().All() {
		if slices.ContainsFunc(option.Describe(fresh), func(o option.Description) bool { return o.Name == name }) {
			return option.Check(fresh, name, text)
		}
	}
	return text, nil
}

// reader reads scripts in Sledge's format.
type reader struct {
	database  *database.Database
	workload  *workload.Workload
	options   []option.Description
	versioned bool
	values    option.Values
	kinds     map[string][]string // values of options with a value for each kind
	seen      map[string]bool     // settings of the lines so far
}

func (r *reader) line(line string) error {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	set, rest := cutWord(line)
	name, value := cutWord(rest)
	if set != "set" || value == "" {
		return fmt.Errorf("a line that begins with %.20q is not of the form: set NAME VALUE", firstWord(line))
	}
	value, err := unquote(value)
	if err != nil && names.IsSecret(name) {
		return r.set(name, "") // refuses the line without showing the value
	}
	if err != nil {
		return err
	}
	return r.set(name, value)
}

// cutWord splits a line after its first word and the blanks that follow.
func cutWord(line string) (word, rest string) {
	end := strings.IndexFunc(line, unicode.IsSpace)
	if end < 0 {
		return line, ""
	}
	return line[:end], strings.TrimSpace(line[end:])
}

// firstWord returns the first word of a line, for messages. The rest may be a password, or very
// long.
func firstWord(line string) string {
	if end := strings.IndexAny(line, " \t=:,;("); end >= 0 {
		return line[:end]
	}
	return line
}

// unquote returns a value without quotes or braces, like Tcl, but evaluates nothing.
func unquote(text string) (string, error) {
	switch {
	case strings.ContainsAny(text, `$[]\`):
		return "", fmt.Errorf("%s: variables and commands are not evaluated in a driver script: write the value itself", text)
	case strings.HasPrefix(text, "{"):
		inside, rest, ok := strings.Cut(text[1:], "}")
		if !ok || !isEnd(rest) {
			return "", fmt.Errorf("%s: the brace does not close at the end of the value", text)
		}
		return inside, nil
	case strings.HasPrefix(text, `"`):
		inside, rest, ok := strings.Cut(text[1:], `"`)
		if !ok || !isEnd(rest) {
			return "", fmt.Errorf("%s: the quote does not close at the end of the value", text)
		}
		return inside, nil
	}
	word := text
	if end := strings.IndexAny(text, "; \t"); end >= 0 {
		if !isEnd(text[end:]) {
			return "", fmt.Errorf("%s: put a value of several words in braces", text)
		}
		word = text[:end]
	}
	return word, nil
}

// isEnd reports whether only a comment follows a value.
func isEnd(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.HasPrefix(rest, ";#") || rest == ";" ||
		strings.HasPrefix(rest, ";") && strings.HasPrefix(strings.TrimSpace(rest[1:]), "#")
}

func (r *reader) set(name, value string) error {
	switch name {
	case versionName:
		r.versioned = true
		if value != version {
			return fmt.Errorf("the script has form %s, but this Sledge reads form %s: create it again with loadscript and savescript", value, version)
		}
		return nil
	case "database":
		if !strings.EqualFold(value, r.database.Title) {
			return fmt.Errorf("the script is for %s, but %s is chosen: choose the other with dbset db, or change the line", value, r.database.Title)
		}
		return nil
	case "benchmark":
		if !strings.EqualFold(value, r.workload.Title) {
			return fmt.Errorf("the script is for %s, but %s is chosen: choose the other with dbset bm, or change the line", value, r.workload.Title)
		}
		return nil
	}
	name, kind, ofKind := strings.Cut(name, "(")
	i := slices.IndexFunc(r.options, func(o option.Description) bool { return names.Short(r.database.Name, r.workload.Name, o.Name) == name })
	if i < 0 {
		return fmt.Errorf("%s is not a setting of a driver script%s", name, option.Suggest(name, scriptNames(r.database, r.workload)))
	}
	o := r.options[i]
	if ofKind && !perKind(o, r.workload) {
		return fmt.Errorf("%s has one value, not one for each kind of transaction", name)
	}
	kind, closed := strings.CutSuffix(kind, ")")
	if ofKind && !closed {
		return fmt.Errorf("%s(%s: the bracket is not closed: set %s(%s) VALUE", name, kind, name, kind)
	}
	if err := r.once(o, kind); err != nil {
		return err
	}
	if ofKind {
		return r.setKind(o, name, kind, value)
	}
	r.values[o.Name] = value
	return nil
}

// once refuses a setting that an earlier line has set, as a whole or for the same kind of
// transaction, because one of the two would silently win.
func (r *reader) once(o option.Description, kind string) error {
	key := o.Name + "(" + kind
	if _, whole := r.values[o.Name]; whole || r.seen[key] || kind == "" && r.kinds[o.Name] != nil {
		return fmt.Errorf("%s is set a second time", names.Key(r.database.Name, r.workload.Name, o.Name))
	}
	r.seen[key] = true
	return nil
}

// setKind sets the value of one kind of transaction. Kinds that the script does not mention keep
// their defaults.
func (r *reader) setKind(o option.Description, name, kind, value string) error {
	var words []string
	for _, k := range r.workload.Kinds {
		words = append(words, kindWord(k))
	}
	at := slices.Index(words, kind)
	if at < 0 {
		return fmt.Errorf("%s(%s): there is no such transaction%s (there are %s)", name, kind, option.Suggest(kind, words), strings.Join(words, ", "))
	}
	if strings.Contains(value, ",") {
		return fmt.Errorf("%s(%s): %q is more than one value", name, kind, value)
	}
	if r.kinds[o.Name] == nil {
		r.kinds[o.Name] = strings.Split(o.Default, ",")
	}
	r.kinds[o.Name][at] = value
	return nil
}
