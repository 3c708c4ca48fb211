package cli

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/cli/jobflags"
	"sledge/internal/document"
	books "sledge/internal/hammerdb/dictionaries"
	"sledge/internal/job"
	"sledge/internal/option"
)

// setUps has settings to print in every form. Some values contain characters that are special in
// shells, Tcl, Python or TOML.
var setUps = map[string][]string{
	"a run":     {"run", "--db", "pg", "--host", "db1", "--rampup", "90s", "--duration", "3", "--users", "8", "--set", "password=planted", "--set", `superuser_dbname=a {b" $c [d] \e 'f; #g`, "--set", "mix=40,40,10,5,5"},
	"several":   {"run", "--db", "maria", "--users", "1,2,4", "--set", "socket=null", "--set", "purge=true"},
	"a build":   {"build", "--db", "sqlite", "--dbname", "/tmp/a b.sqlite", "--warehouses", "3", "--builders", "2"},
	"queries":   {"run", "--db", "pg", "--workload", "tproch", "--set", "query_sets=2", "--users", "2"},
	"a check":   {"check", "--db", "pg", "--warehouses", "3"},
	"a cleanup": {"delete", "--db", "maria", "--host", "db1"},
}

// said returns the settings that a dry run shows: the options that are set, and db, workload, users
// and seed. Secrets are masked.
func (w *world) said(t *testing.T, args ...string) map[string]string {
	t.Helper()
	if code := w.run(append(args, "--dry-run", "--json")...); code != job.OK {
		t.Fatalf("%q: got exit code %d: %s", args, code, &w.err)
	}
	var d document.Settings
	if err := json.Unmarshal(w.out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	users, _ := json.Marshal(d.Users)
	said := map[string]string{"db": d.Database, "workload": d.Workload, "users": string(users)}
	for _, s := range d.Settings {
		if s.Origin != "default" {
			said[s.Name] = s.Value
		}
	}
	return said
}

// form returns settings in a form. It fails the test if the form contains a password.
func (w *world) form(t *testing.T, args []string, form string) string {
	t.Helper()
	if code := w.run(append(args, "--as", form)...); code != job.OK {
		t.Fatalf("%q as %s: got exit code %d: %s", args, form, code, &w.err)
	}
	if strings.Contains(w.out.String(), "planted") {
		t.Errorf("%q as %s shows the password: %s", args, form, &w.out)
	}
	return w.out.String()
}

func TestForms_CommandLineAndFileGiveTheSameSettings(t *testing.T) {
	for name, args := range setUps {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			want := w.said(t, args...)
			environ := w.as("SLEDGE_PG_PASS=planted")
			if _, has := want["password"]; !has {
				environ()
			}
			// A shell splits the command line into words.
			script := strings.Replace(w.form(t, args, "command"), "sledge ", "printf '%s\\0' ", 1)
			words, err := exec.Command("sh", "-c", script).Output()
			if err != nil {
				t.Fatalf("%s: %v", script, err)
			}
			line := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
			if got := w.said(t, line...); !maps.Equal(got, want) {
				t.Errorf("command line: got %v, want %v", got, want)
			}
			file := filepath.Join(t.TempDir(), "sledge.toml")
			if err := os.WriteFile(file, []byte(w.form(t, args, "toml")), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := w.said(t, args[0], "--config", file); !maps.Equal(got, want) {
				t.Errorf("configuration file: got %v, want %v", got, want)
			}
		})
	}
}

// The interpreters run the scripts, whose jobs must have the settings of the order.
func TestForms_ScriptsGiveTheSameSettings(t *testing.T) {
	for name, args := range setUps {
		for form, extension := range map[string]string{"tcl": ".tcl", "python": ".py"} {
			t.Run(name+" in "+form, func(t *testing.T) {
				w := newWorld(t)
				folder := t.TempDir()
				kept := filepath.Join(folder, "settings.db")
				w.Environ = append(w.Environ, "SLEDGE_SETTINGS="+kept, "SLEDGE_PG_PASS=planted", "PATH="+os.Getenv("PATH"), "HOME="+folder, "TMP="+folder)
				order, err := w.resolved(t, args)
				if err != nil {
					t.Fatal(err)
				}
				text := w.form(t, args, form)
				script := filepath.Join(folder, "script"+extension)
				if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				output, err := os.Create(filepath.Join(folder, "output"))
				if err != nil {
					t.Fatal(err)
				}
				defer output.Close()
				w.asked = nil
				if code := w.run("console", "auto", script); code != job.OK {
					t.Fatalf("got exit code %d: %s\n%s\n%s", code, &w.err, &w.out, text)
				}
				if len(w.asked) != len(order.users) {
					t.Fatalf("got %d jobs, want %d, of\n%s", len(w.asked), len(order.users), text)
				}
				for i, spec := range w.asked {
					if spec.Action != job.Action(args[0]) || spec.Database != order.database || spec.Workload != order.workload || spec.Users != order.users[i] && spec.Action == job.Run {
						t.Errorf("got %s of %s on %s by %d users, want %v", spec.Action, spec.Workload, spec.Database, spec.Users, order)
					}
				}
				book, err := books.Open(w.Resolver, kept)
				if err != nil {
					t.Fatal(err)
				}
				defer book.Close()
				for option, value := range order.options {
					if got := book.Value(option); got != value {
						t.Errorf("%s: got %q, want %q, of\n%s", option, got, value, text)
					}
				}
			})
		}
	}
}

// reached holds the resolved settings.
type reached struct {
	database, workload string
	users              []int
	options            map[string]string // as the user wrote them; secrets are not masked
}

func (w *world) resolved(t *testing.T, args []string) (r reached, err error) {
	t.Helper()
	w.asked = nil
	var specs []job.Spec
	if code := w.run(append(slices.Clone(args), "--no-repo")...); code != job.OK {
		t.Fatalf("%q: got exit code %d: %s", args, code, &w.err)
	}
	specs = w.asked
	r.database, r.workload, r.options = specs[0].Database, specs[0].Workload, map[string]string{}
	for _, spec := range specs {
		r.users = append(r.users, spec.Users)
	}
	pair, err := w.Resolver.Pair(r.database, r.workload)
	if err != nil {
		return r, err
	}
	for name, value := range specs[0].Options {
		for _, part := range pair.Fresh().All() {
			if canonical, known := canonicalOf(part, name, value); known {
				r.options[name] = canonical
			}
		}
	}
	return r, nil
}

// Sledge can read each form that it writes.
func TestForms_CanBeReadBack(t *testing.T) {
	for name, args := range setUps {
		for _, form := range jobflags.FormNames()[1:] {
			t.Run(name+" in "+form, func(t *testing.T) {
				w := newWorld(t)
				want := w.form(t, withoutPassword(args), form)
				file := filepath.Join(t.TempDir(), "text")
				if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
					t.Fatal(err)
				}
				if code := w.run("convert", file, "--as", form, "--action", args[0]); code != job.OK {
					t.Fatalf("got exit code %d: %s", code, &w.err)
				}
				if got := w.out.String(); got != want || w.err.Len() > 0 {
					t.Errorf("got\n%s%s, want\n%s", got, &w.err, want)
				}
			})
		}
	}
}

func withoutPassword(args []string) (rest []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "password=") {
			rest = rest[:len(rest)-1]
			continue
		}
		rest = append(rest, arg)
	}
	return rest
}

// canonicalOf returns the canonical text of a value, if the struct has the option.
func canonicalOf(part any, name, value string) (canonical string, known bool) {
	if !slices.ContainsFunc(option.Describe(part), func(d option.Description) bool { return d.Name == name }) {
		return "", false
	}
	canonical, err := option.Check(part, name, value)
	return canonical, err == nil
}
