package pgbench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sledge/internal/option"
	"sledge/internal/workload/script/pgbench"
)

// Script is a script of a run.
type Script struct {
	Name    string // "tpcb-like", or the path of a file
	Title   string // "<builtin: TPC-B (sort of)>", or the path
	Text    string
	Weight  int
	Builtin bool
}

const (
	// The parts of the built-in scripts with updates.
	variablesOfUpdates = `\set aid random(1, 100000 * :scale)
\set bid random(1, 1 * :scale)
\set tid random(1, 10 * :scale)
\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
`
	updatesOfFew = `UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
`
	endOfUpdates = `INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`
)

// Builtins are the built-in scripts, the default first.
var Builtins = []Script{
	{"tpcb-like", "<builtin: TPC-B (sort of)>", variablesOfUpdates + updatesOfFew + endOfUpdates, 1, true},
	{"simple-update", "<builtin: simple update>", variablesOfUpdates + endOfUpdates, 1, true},
	{"select-only", "<builtin: select only>", "\\set aid random(1, 100000 * :scale)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n", 1, true},
}

// List lists the built-in scripts, as pgbench does.
func List() string {
	var b strings.Builder
	b.WriteString("Available builtin scripts:\n")
	for _, s := range Builtins {
		fmt.Fprintf(&b, "  %13s: %s\n", s.Name, s.Title)
	}
	return b.String() + "\n"
}

// Builtin finds a built-in script by its name, or by a beginning of it that no other script has.
func Builtin(name string) (Script, error) {
	var found []Script
	for _, s := range Builtins {
		if s.Name == name {
			return s, nil
		}
		if strings.HasPrefix(s.Name, name) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0 || name == "":
		return Script{}, fmt.Errorf("there is no built-in script %q: choose one of tpcb-like, simple-update, select-only", name)
	case len(found) > 1:
		return Script{}, fmt.Errorf("%q may be %s or %s", name, found[0].Name, found[1].Name)
	}
	return found[0], nil
}

// builtins is the option that adds a built-in script.
type builtins struct{ *Arguments }

func (v *builtins) String() string { return "" }
func (v *builtins) Type() string   { return "NAME" }
func (v *builtins) Set(text string) error {
	if text == "list" {
		v.Show = "list"
		return nil
	}
	name, weight, err := weighted(text)
	if err != nil {
		return err
	}
	s, err := Builtin(name)
	s.Weight = weight
	v.Scripts = append(v.Scripts, s)
	return err
}

// HasBuiltin reports whether a run needs pgbench's tables.
func (a *Arguments) HasBuiltin() bool {
	for _, s := range a.Scripts {
		if s.Builtin {
			return true
		}
	}
	return false
}

// Folder returns the run's workload as the files of a folder: a definition, and a script for each transaction,
// whose kinds are in the order of the scripts. scale is the scale factor.
func (a *Arguments) Folder(scale int) (map[string]string, error) {
	var b strings.Builder
	variables := append([]Variable{{"scale", fmt.Sprint(scale)}}, a.Variables...)
	titles := make([]string, len(a.Scripts))
	for i, s := range a.Scripts {
		titles[i] = strings.Trim(s.Title, "<>")
	}
	fmt.Fprintf(&b, "title = %q\n", "pgbench "+strings.Join(titles, ", "))
	b.WriteString("\n[variables]\n")
	last := map[string]string{}
	for _, v := range variables {
		last[v.Name] = v.Text
	}
	for _, name := range slices.Sorted(maps.Keys(last)) {
		fmt.Fprintf(&b, "%q = %q\n", name, last[name])
	}
	files := map[string]string{}
	for _, s := range a.Scripts {
		if _, err := pgbench.ParseScript(s.Text); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		name := option.NameOfFile(s.Name)
		for n := 2; files[name+".sql"] != ""; n++ {
			name = fmt.Sprintf("%s_%d", option.NameOfFile(s.Name), n)
		}
		onError := "stop"
		if a.ContinueOnError {
			onError = "continue"
		}
		fmt.Fprintf(&b, "\n[transactions.%s]\nlanguage = \"pgbench\"\nprotocol = %q\non_error = %q\nweight = %d\n", name, a.Protocol, onError, s.Weight)
		files[name+".sql"] = s.Text
	}
	files["workload.toml"] = b.String()
	return files, nil
}
