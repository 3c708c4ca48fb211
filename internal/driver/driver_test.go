package driver_test

import (
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/driver"
	"sledge/internal/option"
	"sledge/internal/workbench"
	"sledge/internal/workload"
)

func pair(t *testing.T, name string) (*database.Database, *workload.Workload) {
	t.Helper()
	bench := workbench.Bench{Databases: catalog.Databases, Workloads: catalog.Workloads}
	d, err := bench.Database(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := bench.Workload("tprocc")
	if err != nil {
		t.Fatal(err)
	}
	return d, w
}

func TestScriptIsTakenBackAsItWasSaved(t *testing.T) {
	for _, d := range catalog.Databases {
		t.Run(d.Name, func(t *testing.T) {
			_, w := pair(t, d.Name)
			full := d.Names.Full
			set := option.Values{
				full("keyandthink"): "true", full("think_time"): "0.25,12,5,5,10", full("mix"): "20,20,1,1,4",
				full("total_iterations"): "77", full("rampup"): "90s", full("async_client"): "3",
			}
			read, err := driver.Parse(driver.Text(d, w, set), d, w)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range set {
				if got := read.Values[name]; got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			if !read.Timed {
				t.Error("a timed script was read as one that is not")
			}
		})
	}
}

func TestEditedScriptDecides(t *testing.T) {
	d, w := pair(t, "pg")
	text := strings.NewReplacer(
		"set think_time(new_order) 12", "set think_time(new_order) {0.5} ;# half a second",
		"set keyandthink false", `set keyandthink "true"`,
		"set mix(payment) 10", "  set   mix(payment)   7",
	).Replace(driver.Text(d, w, nil))
	read, err := driver.Parse(text, d, w)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"pg_think_time": "0.5,12,5,5,10", "pg_keyandthink": "true", "pg_mix": "10,7,1,1,1"} {
		if got := read.Values[name]; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestEditorsMayMarkAndIndentAScriptAsTheyLike(t *testing.T) {
	d, w := pair(t, "pg")
	text := "\ufeff" + strings.NewReplacer("set deck false", "set\tdeck false", "set rampup 2", "set \t rampup\t1", "\n", "\r\n").Replace(driver.Text(d, w, nil))
	read, err := driver.Parse(text, d, w)
	if err != nil {
		t.Fatal(err)
	}
	if read.Values["pg_deck"] != "false" || read.Values["pg_rampup"] != "1" {
		t.Errorf("got %v, want deck false and rampup 1", read.Values)
	}
	if _, err := driver.Parse("\ufeff"+hammerDB, d, w); err != nil {
		t.Error(err)
	}
}

func TestPasswordsInAScriptAreNotShown(t *testing.T) {
	d, w := pair(t, "pg")
	for _, line := range []string{
		"password=secret", "password: secret", "set password secret", "set password {secret", `set pg_pass "secret x`, "set pass secret word", "set Password [secret]",
	} {
		_, err := driver.Parse("set sledge_script 1\n"+line, d, w)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", line, err)
		}
	}
}

func TestMistakesInAScriptAreNamed(t *testing.T) {
	d, w := pair(t, "pg")
	const head = "set sledge_script 1\n"
	tests := []struct{ text, want string }{
		{"", "it is no driver script"},
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
		{head + "set rampup 1 2", "line 2: 1 2: a value of several words stands in braces"},
		{head + "set rampup {1", "line 2: {1: the brace does not close"},
		{head + "set rampup 1\nset rampup 2", "line 3: pg_rampup is set a second time"},
		{head + "set mix(payment) 1\nset mix(payment) 9", "line 3: pg_mix is set a second time"},
		{head + "set mix 1,2,3,4,5\nset mix(payment) 9", "line 3: pg_mix is set a second time"},
		{head + "set mix(payment) 9\nset mix 1,2,3,4,5", "line 3: pg_mix is set a second time"},
		{"set sledge_script 2", "line 1: the script has form 2"},
		{head + "set database MariaDB", "line 2: the script is for MariaDB, and PostgreSQL is chosen"},
		{head + "set benchmark TPROC-H", "line 2: the script is for TPROC-H"},
	}
	for _, test := range tests {
		_, err := driver.Parse(test.text, d, w)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.text, err, test.want)
		}
	}
}

// hammerDB is a driver script in the form that HammerDB saves, as short as it can
// be: what virtual users do is in its loop, and the rest is procedures.
const hammerDB = `#!/usr/local/bin/tclsh8.6
set library Pgtcl ;# PostgreSQL Library
set total_iterations 5000000 ;# Number of transactions before logging off
set RAISEERROR "false" ;# Exit script on error (true or false)
set KEYANDTHINK "true" ;# Time for user thinking and keying (true or false)
set rampup 1;  # Rampup time in minutes
set duration 3;  # Duration in minutes
set password "secret"
proc keytime { keying } { after [ expr {$keying * 1000} ] }
proc thinktime { thinking } {
    set thinkingtime [ expr {abs(round(log(rand()) * $thinking))} ]
    after [ expr {$thinkingtime * 1000} ]
}
proc run {} {
    for {set it 0} {$it < $total_iterations} {incr it} {
        if { [ tsv::get application abort ] } { break }
        set choice [ RandomNumber 1 23 ]
        if {$choice <= 10} {
            puts "new order"
            if { $KEYANDTHINK } { keytime 18 }
            neword $lda $w_id $w_id_input $RAISEERROR
            if { $KEYANDTHINK } { thinktime 12 }
        } elseif {$choice <= 20} {
            if { $KEYANDTHINK } { keytime 3 }
            payment $lda $w_id $w_id_input $RAISEERROR
            if { $KEYANDTHINK } { thinktime 0.5 }
        } elseif {$choice <= 21} {
            if { $KEYANDTHINK } { keytime 2 }
            delivery $lda $w_id $RAISEERROR
            if { $KEYANDTHINK } { thinktime 10 }
        } elseif {$choice <= 22} {
            if { $KEYANDTHINK } { keytime 2 }
            slev $lda $w_id $stock_level_d_id $RAISEERROR
            if { $KEYANDTHINK } { thinktime 5 }
        } elseif {$choice <= 23} {
            if { $KEYANDTHINK } { keytime 2 }
            ostat $lda $w_id $RAISEERROR
            if { $KEYANDTHINK } { thinktime 5 }
        }
    }
}
`

func TestScriptOfHammerDBIsTakenOver(t *testing.T) {
	d, w := pair(t, "pg")
	read, err := driver.Parse(hammerDB, d, w)
	if err != nil {
		t.Fatal(err)
	}
	want := option.Values{
		"pg_total_iterations": "5000000", "pg_raiseerror": "false", "pg_keyandthink": "true", "pg_rampup": "1", "pg_duration": "3",
		"pg_mix": "10,10,1,1,1", "pg_keying_time": "18,3,2,2,2", "pg_think_time": "12,0.5,10,5,5", "pg_driver": "timed",
	}
	for name, text := range want {
		if got := read.Values[name]; got != text {
			t.Errorf("%s: got %q, want %q", name, got, text)
		}
	}
	if len(read.Values) != len(want) {
		t.Errorf("got %v, want just %v: connections and passwords are not a script's business", read.Values, want)
	}
	if !read.Timed || len(read.Notes) != 1 {
		t.Errorf("got timed %t and notes %q, want a timed script and a note of what was taken over", read.Timed, read.Notes)
	}
}

func TestScriptOfHammerDBIsRefusedWhereItIsNotCertain(t *testing.T) {
	d, w := pair(t, "pg")
	tests := []struct{ from, to, want string }{
		{"neword $lda", "pg_exec $lda \"delete from item\"\n neword $lda", `a transaction does something else: "pg_exec`},
		{"set choice [", "after 2000\n set choice [", `the loop of transactions holds something else: "after 2000"`},
		{"RandomNumber 1 23", "RandomNumber 1 30", "the choices go up to 23, and the number is drawn from 1 to 30"},
		{"$choice <= 21", "$choice < 21", "the condition {$choice < 21}"},
		{"$keying * 1000", "$keying * 10", "proc keytime was changed"},
		{"after [ expr {$thinkingtime * 1000} ]", "after [ expr {$thinking * 1000} ]", "proc thinktime was changed"},
		{"log(rand()) * $thinking", "log(rand()) * 2 * $thinking", "proc thinktime was changed"},
		{"{ keying } {", "{ keying } { after 1 ;", "proc keytime was changed"},
		{"proc run", "proc thinktime { s } { after [ expr $s*1000 ] }\nproc run", "proc thinktime was changed"},
		{"proc run", "proc neword { lda } {\n after 60000\n}\nproc run", `users wait by "after 60000"`},
		{"proc run", "proc neword { lda } { rest }\nproc rest {} { after 1000 }\nproc run", `users wait by "after 1000"`},
		{"    for {set it", "    exec sleep 5\n for {set it", `users wait by "exec sleep"`},
		{"proc run", "proc times {} { after 60000 }\nproc run", `it waits by "after 60000"`},
		{"set KEYANDTHINK \"true\"", "", "no line at its top sets KEYANDTHINK"},
		{"set KEYANDTHINK \"true\"", "set KEYANDTHINK maybe", "option pg_keyandthink"},
		{"set library Pgtcl", "set library mariatcl", "the script is HammerDB's for MariaDB, and PostgreSQL is chosen"},
		{"set rampup 1", "set rampup later", "option pg_rampup"},
		{"thinktime 12 }", "thinktime 12 }\n if { $KEYANDTHINK } { thinktime 3 }", "a transaction has a second thinktime"},
		{"payment $lda", "neword $lda", "neword is called in two branches"},
	}
	for _, test := range tests {
		_, err := driver.Parse(strings.Replace(hammerDB, test.from, test.to, 1), d, w)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("with %q: got %v, want %q", test.to, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("with %q: the error shows the password: %v", test.to, err)
		}
	}
}

func TestPausesOfHammerDBsScriptAreThoseOfItsUsers(t *testing.T) {
	d, w := pair(t, "pg")
	unguarded := strings.Replace(hammerDB, "if { $KEYANDTHINK } { keytime 18 }", "keytime 18", 1)
	if read, err := driver.Parse(unguarded, d, w); err != nil || read.Values["pg_keying_time"] != "18,3,2,2,2" {
		t.Errorf("got %v and %v, want that a pause needs no guard where users pause", read.Values, err)
	}
	never := strings.NewReplacer(`set KEYANDTHINK "true"`, `set KEYANDTHINK "off"`)
	read, err := driver.Parse(never.Replace(hammerDB), d, w)
	if _, paused := read.Values["pg_keying_time"]; err != nil || paused || read.Values["pg_keyandthink"] != "off" {
		t.Errorf("got %v and %v, want no pauses", read.Values, err)
	}
	const want = `"keytime 18" pauses although KEYANDTHINK is not true`
	if _, err := driver.Parse(never.Replace(unguarded), d, w); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}

	// What is HammerDB's own: the steps of who times the run, what is said about waiting,
	// and the other ways to write the same.
	const inTwo = `    set thinkingtime [ expr {abs(round(log(rand()) * $thinking))} ]
    after [ expr {$thinkingtime * 1000} ]
`
	for _, same := range [][2]string{
		{"proc run", "proc times {} { after 6000 }\nproc run"},
		{"proc run", "# after 60000\nproc run"},
		{"proc run", "puts \"waits after 60 secs\" ;# after 60000\nproc run"},
		{"proc run", "proc idle {} { after cancel $id }\nproc run"},
		{"{ keying } { after [ expr {$keying * 1000} ] }", "{k} {\n\tafter [expr $k*1000]\n\treturn\n}"},
		{inTwo, "    after [expr {abs(round(log(rand()) * $thinking)) * 1000}]\n"},
		{"proc run", "proc says {} { puts \"a brace \\} and a \\{\" }\nproc run"},
	} {
		text := strings.Replace(hammerDB, same[0], same[1], 1)
		if text == hammerDB {
			t.Fatalf("%q is not in the script", same[0])
		}
		if _, err := driver.Parse(text, d, w); err != nil {
			t.Errorf("with %q: %v", same[1], err)
		}
	}
}

func TestScriptOfHammerDBForADatabaseThatSledgeLacksIsNamed(t *testing.T) {
	d, w := pair(t, "pg")
	for library, want := range map[string]string{"tdbc::odbc": "HammerDB's for MSSQLServer,", "sqlite3": "HammerDB's for another database,"} {
		_, err := driver.Parse(strings.Replace(hammerDB, "Pgtcl", library, 1), d, w)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", library, err, want)
		}
	}
}

// TestDatabaseIsKnownByItsPrefix shows that a database may have another title than
// HammerDB's name for it, as that of SQL Server has.
func TestDatabaseIsKnownByItsPrefix(t *testing.T) {
	d, w := pair(t, "pg")
	other := *d
	other.Title, other.Names.Prefix = "SQL Server", "mssqls_"
	if _, err := driver.Parse(strings.Replace(hammerDB, "Pgtcl", "tdbc::odbc", 1), &other, w); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	bench := workbench.Bench{Databases: catalog.Databases, Workloads: catalog.Workloads}
	d, err := bench.Database("pg")
	if err != nil {
		f.Fatal(err)
	}
	w, err := bench.Workload("tprocc")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(hammerDB)
	f.Add(driver.Text(d, w, nil))
	f.Fuzz(func(t *testing.T, text string) {
		read, err := driver.Parse(text, d, w)
		if err != nil {
			return
		}
		again, err := driver.Parse(driver.Text(d, w, read.Values), d, w)
		if err != nil {
			t.Fatalf("what was read from %q is refused when it was saved: %v", text, err)
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
