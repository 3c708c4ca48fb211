package scripts_test

import (
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/hammerdb/scripts"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/workload"
)

func pair(t *testing.T, name string) (*database.Database, *workload.Workload) {
	t.Helper()
	return pairOf(t, name, "tprocc")
}

func pairOf(t *testing.T, name, of string) (*database.Database, *workload.Workload) {
	t.Helper()
	resolver := settings.Resolver{Catalog: edition.Catalog}
	d, err := resolver.Database(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := resolver.Workload(of)
	if err != nil {
		t.Fatal(err)
	}
	return d, w
}

func TestScriptIsTakenBackAsItWasSaved(t *testing.T) {
	for _, d := range edition.Catalog.Databases {
		t.Run(d.Name, func(t *testing.T) {
			_, w := pair(t, d.Name)
			set := option.Values{
				"key_and_think": "true", "think_time": "0.25,12,5,5,10", "mix": "20,20,1,1,4",
				"iterations": "77", "rampup": "90s", "async_clients": "3",
			}
			read, err := scripts.Parse(scripts.Text(d, w, set), d, w)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range set {
				if got := read.Values[name]; got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			if !read.Timed {
				t.Error("a timed script was read as one that is not timed")
			}
		})
	}
}

func TestDriverScript_OverridesSettings(t *testing.T) {
	d, w := pair(t, "pg")
	text := strings.NewReplacer(
		"set think_time(new_order) 12", "set think_time(new_order) {0.5} ;# half a second",
		"set keyandthink false", `set keyandthink "true"`,
		"set mix(payment) 10", "  set   mix(payment)   7",
	).Replace(scripts.Text(d, w, nil))
	read, err := scripts.Parse(text, d, w)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"think_time": "0.5,12,5,5,10", "key_and_think": "true", "mix": "10,7,1,1,1"} {
		if got := read.Values[name]; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestEditorsMayMarkAndIndentAScriptAsTheyLike(t *testing.T) {
	d, w := pair(t, "pg")
	text := "\ufeff" + strings.NewReplacer("set deck false", "set\tdeck false", "set rampup 2", "set \t rampup\t1", "\n", "\r\n").Replace(scripts.Text(d, w, nil))
	read, err := scripts.Parse(text, d, w)
	if err != nil {
		t.Fatal(err)
	}
	if read.Values["deck"] != "false" || read.Values["rampup"] != "1" {
		t.Errorf("got %v, want deck false and rampup 1", read.Values)
	}
	if _, err := scripts.Parse("\ufeff"+hammerDB, d, w); err != nil {
		t.Error(err)
	}
}

func TestPasswordsInAScriptAreNotShown(t *testing.T) {
	d, w := pair(t, "pg")
	for _, line := range []string{
		"password=secret", "password: secret", "set password secret", "set password {secret", `set pg_pass "secret x`, "set pass secret word", "set Password [secret]",
	} {
		_, err := scripts.Parse("set sledge_script 1\n"+line, d, w)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", line, err)
		}
	}
}

func TestMistakesInAScriptAreNamed(t *testing.T) {
	d, w := pair(t, "pg")
	const head = "set sledge_script 1\n"
	tests := []struct{ text, want string }{
		{"", "this is not a driver script"},
		{"puts hello", `line 1: a line that begins with "puts" is not of the form: set NAME VALUE`},
		{strings.Repeat("x", 1<<20), `line 1: a line that begins with "xxxxxxxxxxxxxxxxxxxx" is not of the form`},
		{head + "set rampupp 2", "line 2: rampupp is not a setting of a driver script: did you mean rampup?"},
		{head + "set rampup never", "option pg_rampup"},
		{head + "set rampup [exec date]", "line 2: [exec date]: variables and commands are not evaluated"},
		{head + "set mix(new_oder) 2", "line 2: mix(new_oder): there is no such transaction: did you mean new_order?"},
		{head + "set mix(payment) 1,2", `line 2: mix(payment): "1,2" is more than one value`},
		{head + "set mix(payment 10", "line 2: mix(payment: the bracket is not closed: set mix(payment) VALUE"},
		{head + "set mix(payment 10\nset mix(payment) 10", "line 2: mix(payment: the bracket"},
		{head + "settle deck false", `line 2: a line that begins with "settle" is not of the form`},
		{head + "set rampup(payment) 1", "line 2: rampup has one value"},
		{head + "set rampup 1 2", "line 2: 1 2: put a value of several words in braces"},
		{head + "set rampup {1", "line 2: {1: the brace does not close"},
		{head + "set rampup 1\nset rampup 2", "line 3: pg_rampup is set a second time"},
		{head + "set mix(payment) 1\nset mix(payment) 9", "line 3: pg_mix is set a second time"},
		{head + "set mix 1,2,3,4,5\nset mix(payment) 9", "line 3: pg_mix is set a second time"},
		{head + "set mix(payment) 9\nset mix 1,2,3,4,5", "line 3: pg_mix is set a second time"},
		{"set sledge_script 2", "line 1: the script has form 2"},
		{head + "set database MariaDB", "line 2: the script is for MariaDB, but PostgreSQL is chosen"},
		{head + "set benchmark TPROC-H", "line 2: the script is for TPROC-H"},
	}
	for _, test := range tests {
		_, err := scripts.Parse(test.text, d, w)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.text, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	resolver := settings.Resolver{Catalog: edition.Catalog}
	d, err := resolver.Database("pg")
	if err != nil {
		f.Fatal(err)
	}
	w, err := resolver.Workload("tprocc")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(hammerDB)
	for _, like := range shapes("pg") {
		f.Add(like.text())
	}
	f.Add(scripts.Text(d, w, nil))
	f.Fuzz(func(t *testing.T, text string) {
		read, err := scripts.Parse(text, d, w)
		if err != nil {
			return
		}
		again, err := scripts.Parse(scripts.Text(d, w, read.Values), d, w)
		if err != nil {
			t.Fatalf("the values from %q are refused after saving: %v", text, err)
		}
		for name, value := range read.Values {
			if again.Values[name] != value && !sameNumbers(again.Values[name], value) {
				t.Errorf("%s: got %q, want %q", name, again.Values[name], value)
			}
		}
	})
}

// sameNumbers reports whether values differ only in spaces.
func sameNumbers(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}
