package scripts_test

import (
	"fmt"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/hammerdb/names"
	"sledge/internal/hammerdb/scripts"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// hammerDB is a minimal driver script in the form that HammerDB saves. Its loop contains the work
// of virtual users.
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
	read, err := scripts.Parse(hammerDB, d, w)
	if err != nil {
		t.Fatal(err)
	}
	want := option.Values{
		"iterations": "5000000", "stop_on_failure": "false", "key_and_think": "true", "rampup": "1", "duration": "3",
		"mix": "10,10,1,1,1", "keying_time": "18,3,2,2,2", "think_time": "12,0.5,10,5,5", "driver": "timed",
		"all_warehouses": "false", "time_profile": "false", "async_scale": "false", "client_sql": "false", "connect_pool": "false",
	}
	for name, text := range want {
		if got := read.Values[name]; got != text {
			t.Errorf("%s: got %q, want %q", name, got, text)
		}
	}
	if len(read.Values) != len(want) {
		t.Errorf("got %v, want only %v, without connections and passwords", read.Values, want)
	}
	if !read.Timed || len(read.Notes) != 2 {
		t.Errorf("got timed %t and notes %q, want a timed script, and notes about what was read and what was not", read.Timed, read.Notes)
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
		{"set library Pgtcl", "set library mariatcl", "the script is HammerDB's for MariaDB, but PostgreSQL is chosen"},
		{"set rampup 1", "set rampup later", "option pg_rampup"},
		{"thinktime 12 }", "thinktime 12 }\n if { $KEYANDTHINK } { thinktime 3 }", "a transaction has a second thinktime"},
		{"payment $lda", "neword $lda", "neword is called in two branches"},
	}
	for _, test := range tests {
		_, err := scripts.Parse(strings.Replace(hammerDB, test.from, test.to, 1), d, w)
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
	if read, err := scripts.Parse(unguarded, d, w); err != nil || read.Values["keying_time"] != "18,3,2,2,2" {
		t.Errorf("got %v and %v, want the pause of an unguarded keytime", read.Values, err)
	}
	never := strings.NewReplacer(`set KEYANDTHINK "true"`, `set KEYANDTHINK "off"`)
	read, err := scripts.Parse(never.Replace(hammerDB), d, w)
	if _, paused := read.Values["keying_time"]; err != nil || paused || read.Values["key_and_think"] != "off" {
		t.Errorf("got %v and %v, want no pauses", read.Values, err)
	}
	read, err = scripts.Parse(never.Replace(unguarded), d, w)
	if err != nil || read.Values["keying_time"] != "18,0,0,0,0" || read.Values["think_time"] != "0,0,0,0,0" || read.Values["key_and_think"] != "true" {
		t.Errorf("got %v and %v, want the one pause that does not depend on KEYANDTHINK", read.Values, err)
	}

	// Harmless differences: the monitor's waits, texts about waiting, and other notations for the
	// same.
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
		if _, err := scripts.Parse(text, d, w); err != nil {
			t.Errorf("with %q: %v", same[1], err)
		}
	}
}

func TestScriptOfHammerDBForADatabaseThatSledgeLacksIsNamed(t *testing.T) {
	d, w := pair(t, "pg")
	for library, want := range map[string]string{"tdbc::odbc": "HammerDB's for MSSQLServer,", "sqlite3": "HammerDB's for another database,"} {
		_, err := scripts.Parse(strings.Replace(hammerDB, "Pgtcl", library, 1), d, w)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", library, err, want)
		}
	}
}

// TestDatabaseIsKnownByItsPrefix parses a script for a database whose title differs from HammerDB's
// name, such as SQL Server.
func TestDatabaseIsKnownByItsPrefix(t *testing.T) {
	d, w := pair(t, "pg")
	other := *d
	other.Name, other.Title = "mssqlserver", "SQL Server"
	if _, err := scripts.Parse(strings.Replace(hammerDB, "Pgtcl", "tdbc::odbc", 1), &other, w); err != nil {
		t.Error(err)
	}
}

// shape describes a variant of HammerDB's saved scripts, which depend on HammerDB's settings and
// version.
type shape struct {
	database                                       string // its prefix
	timed, keying, all, prepared, profile, clients bool
	old                                            bool // before version 3.3

	sql   bool // client SQL
	pool  bool // a connect pool
	twice bool // a loop of transactions for each way to connect
}

// String names the shape.
func (s shape) String() string {
	name := s.database
	for _, part := range []struct {
		has  bool
		name string
	}{{s.timed, "timed"}, {!s.timed, "test"}, {s.keying, "keying"}, {s.all, "all"}, {s.prepared, "prepared"}, {s.profile, "profile"}, {s.clients, "clients"}, {s.old, "old"}, {s.sql, "sql"}, {s.pool, "pool"}, {s.twice, "twice"}} {
		if part.has {
			name += " " + part.name
		}
	}
	return name
}

// shapes lists the variants for a database.
func shapes(database string) []shape {
	list := []shape{
		{},
		{timed: true},
		{timed: true, keying: true},
		{timed: true, all: true},
		{timed: true, prepared: true},
		{timed: true, profile: true},
		{timed: true, keying: true, clients: true},
		{timed: true, keying: true, all: true, prepared: true, profile: true, clients: true},
		{timed: true, clients: true},
		{sql: true},
		{timed: true, sql: true},
		{timed: true, sql: true, keying: true, clients: true},
		{timed: true, pool: true},
		{pool: true},
		{timed: true, pool: true, twice: true, keying: true, all: true, profile: true},
		{timed: true, pool: true, clients: true, keying: true},
		{timed: true, pool: true, sql: true},
	}
	for i := range list {
		list[i].database = database
	}
	return list
}

// text returns a script of that shape. We wrote it from the facts about HammerDB's scripts;
// procedures that are not read are nearly empty.
func (s shape) text() string {
	mysql := s.database == "mysql" || s.database == "maria"
	spread := s.all || mysql
	var b strings.Builder
	line := func(format string, arguments ...any) { fmt.Fprintf(&b, format+"\n", arguments...) }
	line("#!/usr/local/bin/tclsh8.6\n#EDITABLE OPTIONS##################################################")
	line("set library %s ;# library {of the database}", map[string]string{"pg": "Pgtcl", "maria": "mariatcl", "mysql": "mysqltcl", "ora": "Oratcl", "mssqls": "tdbc::odbc", "db2": "db2tcl"}[s.database])
	line("set total_iterations 10000000 ;# as many transactions; then off\nset RAISEERROR \"false\" ;# (true or false)\nset KEYANDTHINK \"%t\" ;# (true or false)", s.keying)
	if s.timed {
		line("set rampup 3;  # minutes\nset duration 7;  # minutes\nset mode \"Local\" ;# mode")
	}
	if s.database == "pg" {
		if s.timed {
			line("set VACUUM \"false\" ;# at the end\nset DRITA_SNAPSHOTS \"false\";# snapshots")
		}
		line("set ora_compatible \"false\" ;# EPAS\nset pg_storedprocs \"%t\" ;# procedures\nset host \"db\" ;# host\nset superuser \"postgres\"", s.prepared)
	} else if s.timed && s.database == "db2" {
		line("set monreportinterval 2 ;# minutes of a report")
	} else if s.timed && !mysql {
		line("set CHECKPOINT \"false\" ;# at the end")
	}
	if mysql {
		line("set socket /tmp/my.sock ;# socket\nset ssl_options {-ssl 0 -sslca {a b}} ;# ssl\nset prepare %t ;# prepared", s.prepared)
		if s.timed && s.database == "maria" {
			line("set purge \"false\" ;# at the end")
		}
	}
	if spread {
		line("set allwarehouses \"%t\";# all of them", s.all)
	}
	if s.clients {
		line("set async_client 12;# clients\nset async_verbose \"true\";# talk\nset async_delay 750;# ms")
	}
	line("set password \"secret;#{[\" ;# password\n#EDITABLE OPTIONS##################################################")
	line("if [catch {package require $library} message] { error \"no $library - $message\" }")
	if s.timed {
		line(`switch $myposition {
    1 {
        set ramptime 0
        puts "Beginning rampup time of $rampup minutes"
        set rampup [ expr $rampup*60000 ]
        while {$ramptime != $rampup} {
            if { [ tsv::get application abort ] } { break } else { after 6000 }
            set ramptime [ expr $ramptime+6000 ]
        }
        set duration [ expr {$duration * 60000} ]`)
		if s.database == "db2" {
			line(`if {$monreportinterval > 0} {
            if {$monreportinterval >= $duration} { set monreportinterval 0; puts "longer than the test" } else {
                set duration [ expr {$duration - $monreportinterval * 60000} ]
            } }`)
		}
		line(`        set testtime 0
        while {$testtime != $duration} {
            if { [ tsv::get application abort ] } { break } else { after 6000 }
            set testtime [ expr $testtime+6000 ]
        }`)
		if s.database == "pg" {
			line(`        if { $VACUUM } {
            set RAISEERROR "true"
            puts "Checkpoint and Vacuum"
            vacuums $handle $RAISEERROR
        }`)
		}
		if s.pool {
			line(`        set waits 0
        while {$waits < 120} { after 1000; incr waits }
        puts "CLIENT SIDE TPM : neworder $no payment $py delivery $dl stocklevel $sl orderstatus $os"`)
		}
		line("    }\n    default {")
	}
	if s.sql {
		line("proc neword { handle no_w_id w_id_input RAISEERROR } {\n    set choice [ RandomNumber 1 100 ]\n    sends $handle \"update district set d_next_o_id = d_next_o_id + 1\"\n}")
		line("proc payment { handle p_w_id w_id_input RAISEERROR } { sends $handle {UPDATE warehouse SET w_ytd = w_ytd + 1} }")
	} else {
		line("#NEW ORDER\nproc neword { handle no_w_id w_id_input RAISEERROR } {\n    sends $handle \"call neword($no_w_id)\"\n}")
		line("proc payment { handle p_w_id w_id_input RAISEERROR } { sends $handle \"call payment($p_w_id)\" }")
	}
	if s.pool {
		line(`proc picks_one { policy list count } {
    switch $policy {
        first_named { return [ lindex $list 0 ] }
        round_robin { return [ lindex $list [ expr {$count % [ llength $list ]} ] ] }
    }
}`)
	}
	if s.clients {
		line("proc client { clientname total_iterations async_delay } {\n    after [ expr {[ number $clientname ] * $async_delay} ] [ info coroutine ]; yield")
	}
	line("set w_id_input [ sends $handle \"select max(w_id) from warehouse\" ]\n# set  choice [ RandomNumber 1 50 ]\nset w_id  [ RandomNumber 1 $w_id_input ]\nset stock_level_d_id  [ RandomNumber 1 10 ]")
	if mysql && s.pool {
		line("set prepare \"true\" ;# each connection has its own")
	}
	if mysql {
		line("if {$prepare} { foreach st {neword payment delivery slev ostat} { prepares $handle $st } }")
	}
	abort := `if { [expr {$it %% $abchk}] eq 0 } { if { [ time {if {  [ tsv::get application abort ]  } { break }} ] > $hi_t }  {  set  abchk [ expr {min(($abchk * 2), $abchk_mx)}]; set hi_t [ expr {$hi_t * 2} ] } }`
	if s.old {
		abort = `if {  [ tsv::get application abort ]  } { break }`
	} else {
		line(`set abchk 1; set abchk_mx 1024; set hi_t [ expr {pow([ lindex [ time {if {  [ tsv::get application abort ]  } { break }} ] 0 ],2)}]`)
	}
	loop := func() {
		line("for {set it 0} {$it < $total_iterations} {incr it} {\n" + abort)
		if spread {
			line(`if { $allwarehouses == "true" } { set w_id [lindex $myWarehouses [expr [RandomNumber 1 $myWhCount] -1]] }`)
		}
		line("set choice [ RandomNumber 1 23 ]")
		arguments := map[string]string{"pg": "$RAISEERROR $ora_compatible $pg_storedprocs", "maria": "$prepare $RAISEERROR", "mysql": "$prepare $RAISEERROR", "ora": "$RAISEERROR", "mssqls": "$RAISEERROR", "db2": "$RAISEERROR"}[s.database]
		if s.clients {
			arguments += " $clientname"
		}
		word := "if"
		for _, k := range []struct {
			upTo             int
			says, procedure  string
			input            string
			keying, thinking int
		}{
			{10, "new order", "neword", " $w_id_input", 18, 12},
			{20, "payment", "payment", " $w_id_input", 3, 12},
			{21, "delivery", "delivery", "", 2, 10},
			{22, "stock level", "slev", " $stock_level_d_id", 2, 5},
			{23, "order status", "ostat", "", 2, 5},
		} {
			line("%s {$choice <= %d} {", word, k.upTo)
			if !s.timed {
				line("puts \"%s\"", k.says)
			}
			pause := func(which string, seconds int) {
				if s.clients {
					line("if { $KEYANDTHINK } { async_%s %d $clientname %s $async_verbose }", which, seconds, k.procedure)
				} else {
					line("if { $KEYANDTHINK } { %s %d }", which, seconds)
				}
			}
			pause("keytime", k.keying)
			if s.clients {
				line("if { $async_verbose } { puts \"$clientname:w_id:$w_id:%s\" }", k.procedure)
			}
			handle := "$handle"
			if s.pool {
				line("set handle_%s [ picks_one $%s_policy [ join $cs%s ] $count_%[1]s ]", k.procedure, strings.ReplaceAll(k.says, " ", ""), k.procedure)
				handle = "$handle_" + k.procedure
			}
			line("%s %s $w_id%s %s", k.procedure, handle, k.input, arguments)
			if s.pool {
				line("incr count_%s", k.procedure)
			}
			pause("thinktime", k.thinking)
			fmt.Fprint(&b, "} ")
			word = "elseif"
		}
		line("\n}")
	}
	if s.twice {
		line("if {$standalone} {")
		loop()
		line("} else {")
	}
	loop()
	if s.twice {
		line("}")
	}
	if s.pool {
		line(`puts "processed neworder $count_neword transactions"`)
	}
	if s.clients {
		line("}\nstarts client")
	}
	if mysql && s.pool {
		line("set prepare \"true\" ;# each connection has its own")
	}
	if mysql {
		line("if {$prepare} { foreach st {neword payment delivery slev ostat} { deallocates $handle $st } }")
	}
	if s.profile {
		line("xtreport $myposition")
	}
	line("disconnects $handle")
	if s.timed {
		line("} }")
	}
	return b.String()
}

func TestForeignScript_SavedByHammerDBIsRead(t *testing.T) {
	count := 0
	for _, prefix := range []string{"pg", "maria", "mysql", "ora", "mssqls", "db2"} {
		d, w := pair(t, prefix)
		for _, s := range shapes(prefix) {
			count++
			t.Run(s.String(), func(t *testing.T) {
				want := option.Values{
					"total_iterations": "10000000", "raiseerror": "false", "mix": "10,10,1,1,1",
					"driver": map[bool]string{true: "timed", false: "test"}[s.timed], "keyandthink": fmt.Sprint(s.keying),
					"allwarehouse": fmt.Sprint(s.all), "timeprofile": fmt.Sprint(s.profile), "async_scale": fmt.Sprint(s.clients),
					"no_stored_procs": fmt.Sprint(s.sql), "connect_pool": fmt.Sprint(s.pool),
				}
				if s.timed {
					want["rampup"], want["duration"] = "3", "7"
				}
				if s.keying {
					want["keying_time"], want["think_time"] = "18,3,2,2,2", "12,12,10,5,5"
				}
				if s.clients {
					want["async_client"], want["async_verbose"], want["async_delay"] = "12", "true", "750"
				}
				switch prefix {
				case "pg":
					want["oracompat"] = "false"
				case "maria", "mysql":
					want["prepared"] = fmt.Sprint(s.prepared || s.pool)
				case "db2":
					if s.timed {
						want["monreport"] = "2"
					}
				default:
					if s.timed {
						want["checkpoint"] = "false"
					}
				}
				if s.timed && prefix == "pg" {
					want["vacuum"], want["dritasnap"] = "false", "false"
				}
				if s.timed && prefix == "maria" {
					want["purge"] = "false"
				}
				for _, ends := range []string{"\n", "\r\n"} {
					s.old = ends == "\r\n"
					read, err := scripts.Parse(strings.ReplaceAll(s.text(), "\n", ends), d, w)
					if err != nil {
						t.Fatalf("before 3.3 %t: %v", s.old, err)
					}
					if read.Timed != s.timed {
						t.Errorf("got timed %t", read.Timed)
					}
					for name, value := range want {
						if got := read.Values[meant(d, name)]; got != value {
							t.Errorf("%s: got %q, want %q", name, got, value)
						}
					}
					if len(read.Values) != len(want) {
						t.Errorf("got %v, want %v", read.Values, want)
					}
				}
			})
		}
	}
	if count != 6*17 {
		t.Errorf("got %d scripts, want 102", count)
	}
}

// analytic is a driver script in the form that HammerDB saves for TPROC-H.
const analytic = `#!/usr/local/bin/tclsh8.6
#EDITABLE OPTIONS##################################################
set library LIBRARY ;# library
set total_querysets 3 ;# sets
set RAISEERROR "true" ;# (true or false)
set VERBOSE "false" ;# (true or false)
set degree_of_parallel "4" ;# workers
set maxdop 4 ;# workers
set scale_factor 1 ;# of the schema
set refresh_on "true" ;# refresh
set update_sets 2 ;# sets
set trickle_refresh 250 ;# ms
set REFRESH_VERBOSE "false" ;# (true or false)
set password "secret;#{[" ;# password
#EDITABLE OPTIONS##################################################
if [catch {package require $library} message] { error "no $library - $message" }
proc sub_query { number } {
    set VERBOSE "true"
    set sql(1) "select l_returnflag, sum(l_quantity) from lineitem where l_shipdate <= date '1998-12-01' - interval ':1' day group by l_returnflag"
    return $sql($number)
}
proc do_tpch { handle scale_factor RAISEERROR VERBOSE total_querysets myposition } {
    for {set it 0} {$it < $total_querysets} {incr it} {
        puts "Executing Query 1 (1 of 22)"
        sends $handle [ sub_query 1 ] $RAISEERROR
        after 1000
    }
}
do_tpch $handle $scale_factor $RAISEERROR $VERBOSE $total_querysets $myposition
`

func TestScriptsOfQueriesAreTakenOver(t *testing.T) {
	for prefix, library := range map[string]string{
		"pg": "Pgtcl", "maria": "mariatcl", "mysql": "mysqltcl", "ora": "Oratcl", "mssqls": "tdbc::odbc", "db2": "db2tcl",
	} {
		d, w := pairOf(t, prefix, "tproch")
		read, err := scripts.Parse(strings.Replace(analytic, "LIBRARY", library, 1), d, w)
		if err != nil {
			t.Errorf("%s: %v", prefix, err)
			continue
		}
		wanted := option.Values{"query_sets": "3", "stop_on_failure": "true", "verbose": "false", "refresh": "true", "refresh_sets": "2", "refresh_delay": "250", "refresh_verbose": "false"}
		for name, want := range wanted {
			if got := read.Values[name]; got != want {
				t.Errorf("%s: %s: got %q, want %q", prefix, name, got, want)
			}
		}
		if said := strings.Join(read.Notes, "\n"); read.Timed || !strings.Contains(said, "Sledge runs its own") || strings.Contains(fmt.Sprint(read), "secret") {
			t.Errorf("%s: got timed %t and notes %q, want a note that its queries were not read", prefix, read.Timed, said)
		}
		if prefix == "pg" && read.Values["parallel_workers"] != "4" {
			t.Errorf("got %v, want 4 parallel workers", read.Values)
		}
		if prefix == "pg" || prefix == "maria" {
			cloud, err := scripts.Parse(strings.NewReplacer("LIBRARY", library, "1 of 22", "$i of 13").Replace(analytic), d, w)
			if err != nil || cloud.Values["cloud_queries"] != "true" || read.Values["cloud_queries"] != "false" {
				t.Errorf("%s: got %v and %v, want the cloud analytic queries", prefix, cloud.Values, err)
			}
		}
	}
}

func TestRefusalGivesTheTrueReason(t *testing.T) {
	d, w := pair(t, "maria")
	_, queries := pairOf(t, "maria", "tproch")
	pooled := shape{database: "maria", timed: true, pool: true, twice: true}.text()
	sql := shape{database: "maria", timed: true, sql: true}.text()
	oltp := shape{database: "maria"}.text()
	ofQueries := strings.Replace(analytic, "LIBRARY", "mariatcl", 1)
	for _, c := range []struct {
		text, want string
		w          *workload.Workload
	}{
		{ofQueries, "the script is HammerDB's for TPROC-H, but TPROC-C is chosen: choose the other with dbset bm TPC-H", w},
		{oltp, "the script is HammerDB's for TPROC-C, but TPROC-H is chosen: choose the other with dbset bm TPC-C", queries},
		{"set library mariatcl\nputs hello", "but is not one of its driver scripts, which set total_iterations or total_querysets", w},
		{edited(t, pooled, "$choice <= 10}", "$choice <= 9}"), "this loop of transactions has another mix, other pauses or other warehouses than that of line", w},
		{edited(t, sql, "{UPDATE warehouse SET w_ytd = w_ytd + 1}", "{call payment(1)}"), "proc neword sends SQL of its own, and proc payment calls a stored routine", w},
		{edited(t, pooled, "lindex $list 0", "maria::exec $list"), "a transaction does something else", w},
		{edited(t, pooled, "first_named { return", "first_named { after 1000; return"), "a transaction does something else", w},
		{edited(t, ofQueries, "do_tpch $handle", "set total_querysets 9\ndo_tpch $handle"), "total_querysets is set to 3 at the top of the script and changed here (set 9)", queries},
		{edited(t, oltp, "set choice [ RandomNumber 1 23 ]", ""), "it has no loop of transactions", w},
	} {
		if _, err := scripts.Parse(c.text, d, c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// edited replaces text in a script, and fails the test if the script does not contain it.
func edited(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("%q is not in the script:\n%s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}

func TestEditsOfHammerDBsScriptsAreRead(t *testing.T) {
	d, w := pair(t, "maria")
	original := shape{database: "maria", timed: true, keying: true, all: true, profile: true}.text()
	const branch10 = "if {$choice <= 10} {\nif { $KEYANDTHINK } { keytime 18 }\nneword $handle $w_id $w_id_input $prepare $RAISEERROR\nif { $KEYANDTHINK } { thinktime 12 }\n"
	const branch23 = "elseif {$choice <= 23} {\nif { $KEYANDTHINK } { keytime 2 }\nostat $handle $w_id $prepare $RAISEERROR\nif { $KEYANDTHINK } { thinktime 5 }\n}"
	tests := []struct {
		name     string
		from, to string
		want     option.Values
	}{
		{"bounds", "$choice <= 10}", "$choice <= 4}", option.Values{"mix": "4,16,1,1,1"}},
		{"N and the last bound", branch23, strings.Replace(branch23, "23", "40", 1), nil}, // the number is drawn from 1 to 23
		{"pauses", "keytime 18", "keytime 1", option.Values{"keying_time": "1,3,2,2,2", "think_time": "12,12,10,5,5"}},
		{"after in place of keytime", "{ keytime 18 }", "{ after 18500 }", option.Values{"keying_time": "18.5,3,2,2,2"}},
		{"after in place of thinktime", "{ thinktime 12 }", "{ after 250 }", option.Values{"keying_time": "18.25,3,2,2,2", "think_time": "0,12,10,5,5"}},
		{"after without KEYANDTHINK", "if { $KEYANDTHINK } { keytime 18 }", "after 100\nafter 23", option.Values{"keying_time": "0.123,3,2,2,2"}},
		{"two pauses in one guard", "{ keytime 18 }", "{ keytime 18; after 500 }", option.Values{"keying_time": "18.5,3,2,2,2"}},
		{"the last branch by else", "elseif {$choice <= 23} {", "else {", option.Values{"mix": "10,10,1,1,1"}},
		{"a branch that is gone", branch23, "", nil}, // the choices go up to 22 only
		{"two of a kind", branch10, strings.Replace(branch10, "neword", "payment", 1), nil},
		{"all warehouses off", `set allwarehouses "true"`, `set allwarehouses "false"`, option.Values{"all_warehouses": "false"}},
		{"no report", "xtreport $myposition", "# xtreport $myposition", option.Values{"time_profile": "false"}},
		{"a report in a text", "xtreport $myposition", `puts "xtreport comes later"`, option.Values{"time_profile": "false"}},
		{"a comment with anything in it", "set choice [", "# after 5000; neword $handle; set choice [ RandomNumber 1 99 ]\nset choice [", option.Values{"mix": "10,10,1,1,1"}},
		{"a comment behind a statement", "set choice [ RandomNumber 1 23 ]", "set choice [ RandomNumber 1 23 ] ;# was 5; is 23", option.Values{"mix": "10,10,1,1,1"}},
		{"the layout", "if { [expr {$it % $abchk}] eq 0 } {", "if {[ expr { $it%$abchk } ] == 0} {\n\t", option.Values{"mix": "10,10,1,1,1"}},
		{"short waits of a monitor that purges", "set ramptime 0", "while {$left > 0} { after 500 }\nset ramptime 0", option.Values{"rampup": "3"}},
		{"another variable of that name", "set ramptime 0", "set purge [ sends $handle ]\nset ramptime 0", option.Values{"purge": "false"}},
		{"a wait after the transactions", "xtreport $myposition", "after 100", option.Values{"mix": "10,10,1,1,1"}},
		{"purge", `set purge "false"`, `set purge "true"`, option.Values{"purge": "true"}},
	}
	for _, test := range tests {
		read, err := scripts.Parse(edited(t, original, test.from, test.to), d, w)
		if test.want == nil {
			if err == nil {
				t.Errorf("%s: got %v, want a refusal", test.name, read.Values)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		for name, value := range test.want {
			if got := read.Values[name]; got != value {
				t.Errorf("%s: %s: got %q, want %q", test.name, name, got, value)
			}
		}
	}

	hundred := strings.NewReplacer("1 23 ]", "1 100 ]", "<= 10}", "<= 45}", "<= 20}", "<= 88}", "<= 21}", "<= 92}", "<= 22}", "<= 96}", "<= 23}", "<= 100}").Replace(original)
	if read, err := scripts.Parse(hundred, d, w); err != nil || read.Values["mix"] != "45,43,4,4,4" {
		t.Errorf("got %v and %v, want the standard's mix", read.Values, err)
	}
	without := strings.Replace(edited(t, original, branch23, ""), "1 23 ]", "1 22 ]", 1)
	if read, err := scripts.Parse(without, d, w); err != nil || read.Values["mix"] != "10,10,1,1,0" {
		t.Errorf("got %v and %v, want no order status", read.Values, err)
	}

	// If KEYANDTHINK is false, only pauses that do not depend on it count.
	never := edited(t, edited(t, original, `KEYANDTHINK "true"`, `KEYANDTHINK "false"`), "payment $handle $w_id", "after 40\npayment $handle $w_id")
	read, err := scripts.Parse(never, d, w)
	if err != nil || read.Values["key_and_think"] != "true" || read.Values["keying_time"] != "0,0.04,0,0,0" || read.Values["think_time"] != "0,0,0,0,0" {
		t.Errorf("got %v and %v, want the one pause", read.Values, err)
	}
	if said := strings.Join(read.Notes, "\n"); !strings.Contains(said, "whatever KEYANDTHINK says") {
		t.Errorf("got notes %q, want one about KEYANDTHINK", said)
	}
}

func TestForeignScript_RefusesLookalikes(t *testing.T) {
	d, w := pair(t, "maria")
	original := shape{database: "maria", timed: true, keying: true, all: true, profile: true}.text()
	before := shape{database: "maria", timed: true, old: true}.text()
	const spread = `if { $allwarehouses == "true" } { set w_id [lindex $myWarehouses [expr [RandomNumber 1 $myWhCount] -1]] }`
	tests := []struct{ from, to, want string }{
		// Statements disguised as the check whether to stop.
		{"{ break }} ] > $hi_t", "{ after 10 }} ] > $hi_t", "the loop of transactions holds something else"},
		{"{ break }} ] > $hi_t", "{ break }; neword } ] > $hi_t", "the loop of transactions holds something else"},
		{"[ time {if {  [ tsv::get application abort ]  } { break }} ] > $hi_t", "[ pauses ] > $hi_t", "the loop of transactions holds something else"},
		{"{$it % $abchk}] eq 0", "{[works] % $abchk}] eq 0", "the loop of transactions holds something else"},
		{"{$it % $abchk}] eq 0", "{$it % $abchk}] eq 0 && [works]", "the loop of transactions holds something else"},
		{"set hi_t [ expr {$hi_t * 2} ] } }", "set hi_t [ expr {$hi_t * [works]} ] } }", "the loop of transactions holds something else"},
		{"set hi_t [ expr {$hi_t * 2} ] } }", "set choice 1 } }", "the loop of transactions holds something else"},
		{"set hi_t [ expr {$hi_t * 2} ] } }", "set hi_t [ expr {$hi_t * 2} ] }; works }", "the loop of transactions holds something else"},
		{"set hi_t [ expr {$hi_t * 2} ] } }", "set hi_t [ expr {$hi_t * 2} ] } } else { works }", "the loop of transactions holds something else"},
		{"set hi_t [ expr {$hi_t * 2} ] } }", "set hi_t [ expr {$hi_t * 2} ] } else { works } }", "the loop of transactions holds something else"},

		// Warehouses outside the users' share.
		{spread, "", "allwarehouses is true, but the loop does not choose"},
		{spread, spread + "\n" + spread, "the loop of transactions holds something else"},
		{spread, "set w_id 1", `the loop of transactions holds something else: "set w_id 1"`},
		{"[RandomNumber 1 $myWhCount] -1", "[RandomNumber 1 5] -1", "the loop of transactions holds something else"},
		{"[RandomNumber 1 $myWhCount] -1", "[RandomNumber 1 $myWhCount]", "the loop of transactions holds something else"},
		{`$allwarehouses == "true"`, `$allwarehouses == "false"`, "the loop of transactions holds something else"},
		{`set allwarehouses "true";`, "", "no line at its top sets it"},
		{`set allwarehouses "true"`, `set allwarehouses yes`, `allwarehouses is "yes", which is neither true nor false`},
		{"set w_id  [ RandomNumber 1 $w_id_input ]", "set w_id 7", "w_id is set to 7 instead of being read or drawn"},
		{"set w_id_input [ sends", "set w_id_input {10}; [ sends", "w_id_input is set to 10 instead of being read or drawn"},
		{"neword $handle $w_id $w_id_input", "neword $handle 1 $w_id_input", "neword is called with something else"},
		{"neword $handle $w_id $w_id_input", "neword $handle $w_id [works]", "neword is called with something else"},
		{"slev $handle $w_id $stock_level_d_id", "slev $handle $w_id $w_id", "slev is called with something else"},
		{"ostat $handle $w_id", "ostat $handle", "ostat is called with something else"},

		// Other loops.
		{"{$it < $total_iterations}", "{$it < 50}", "the choice does not stand in"},
		{"{incr it}", "{incr it 2}", "the choice does not stand in"},
		{"{incr it}", "{incr it; after 50}", "the choice does not stand in"},
		{"for {set it 0}", "while 1 {\nfor {set it 0}", "stands in another one"},
		{"xtreport $myposition", "neword $handle $w_id", "neword is called outside the loop of transactions, too"},
		{"set choice [", "if { $KEYANDTHINK } { after 2000 }\nset choice [", "the loop of transactions holds something else"},
		{"set choice [ RandomNumber 1 23 ]", "foreach choice [set choice [ RandomNumber 1 23 ]] {}", "the loop of transactions holds something else"},
		{"set choice [ RandomNumber 1 23 ]", "set choice [ RandomNumber 1 0 ]", "the mix is drawn from 1 to 0"},
		{"set choice [ RandomNumber 1 23 ]", "set choice [ RandomNumber 1 99999999999999999999 ]", "the mix is drawn from 1 to 99999999999999999999"},

		// Waits in other forms than Tcl's plain after.
		{"{ keytime 18 }", "{ after 18000 works }", `a transaction does something else: "after 18000 works"`},
		{"{ keytime 18 }", "{ after idle }", "a transaction does something else"},
		{"{ keytime 18 }", "{ after [expr 18*1000] }", "a transaction does something else"},
		{"{ keytime 18 }", "{ after 99999999999999999999 }", "is longer than a day"},
		{"{ keytime 18 }", "{ keytime 18 } else { works }", "a transaction does something else"},
		{"{ keytime 18 }", "{ async_keytime 18 }", "a transaction does something else"},
		{"{ keytime 18 }", "{ keytime 18 $clientname neword $async_verbose }", "a transaction does something else"},
		{"for {set it 0}", "after 100\nfor {set it 0}", `users wait by "after 100"`},

		// Settings that have another value when they are used.
		{`set KEYANDTHINK "true"`, "set KEYANDTHINK false\nset KEYANDTHINK true", "KEYANDTHINK is set to"},
		{"set abchk 1;", "set KEYANDTHINK false; set abchk 1;", "KEYANDTHINK is set to"},
		{"set abchk 1;", "set allwarehouses false; set abchk 1;", "allwarehouses is set to"},
		{"set abchk 1;", "incr total_iterations 5; set abchk 1;", "total_iterations is set to"},
		{"after 6000", "after 5000", `it times the run by "after 5000"`},
		{"set ramptime 0", "set ramptime 0; after 20000", `it waits by "after 20000"`},
		{"$rampup*60000", "$rampup*600", "rampup is set to"},
		{"$duration * 60000", "$rampup * 60000", "duration is set to"},
		{"set total_iterations 10000000", "set total_iterations [expr 10*10]", "option maria_total_iterations"},
		{"set ramptime 0", "set purge true\nset ramptime 0", "purge is set to"},
		{"set prepare false", "set prepare maybe", "option maria_prepared"},
		{`sends $handle "call neword($no_w_id)"`, `sends $handle "UPDATE district SET d_next_o_id = 1"`, "proc neword sends SQL of its own"},
	}
	for _, test := range tests {
		text := edited(t, original, test.from, test.to)
		_, err := scripts.Parse(text, d, w)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("with %q: got %v, want %q", test.to, err, test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "create Sledge's own script with loadscript")) {
			t.Errorf("with %q: got %v, want advice, and no password", test.to, err)
		}
	}
	for from, to := range map[string]string{
		"if {  [ tsv::get application abort ]  } { break }\nif": "if { [works] || [ tsv::get application abort ] } { break }\nif",
		"{ break }\nif": "{ works; break }\nif",
	} {
		_, err := scripts.Parse(edited(t, before, from, to), d, w)
		if err == nil || !strings.Contains(err.Error(), "the loop of transactions holds something else") {
			t.Errorf("before 3.3, with %q: got %v, want a refusal", to, err)
		}
	}
	again := edited(t, edited(t, original, "for {set it 0}", "foreach again {1 2} {\nfor {set it 0}"), "if {$prepare} { foreach st {neword payment delivery slev ostat} { deallocates", "}\nif {$prepare} { foreach st {} { deallocates")
	if _, err := scripts.Parse(again, d, w); err == nil || !strings.Contains(err.Error(), "stands in another one: \"foreach again {1 2} {\"") {
		t.Errorf("got %v, want a refusal of a loop within a loop", err)
	}
}

func TestRefusalNamesTheLine(t *testing.T) {
	d, w := pair(t, "pg")
	text := shape{database: "pg", timed: true}.text()
	for from, to := range map[string]string{
		"set choice [":                       "works\nset choice [",
		"if { $KEYANDTHINK } { keytime 18 }": "works",
		"{ thinktime 10 }":                   "{\n    works }",
		"if {$choice <= 21} {":               "if {works} {",
	} {
		changed := edited(t, text, from, to)
		line := 1 + strings.Count(changed[:strings.Index(changed, "works")], "\n")
		want := fmt.Sprintf("line %d: ", line)
		if _, err := scripts.Parse(changed, d, w); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "works") {
			t.Errorf("with %q: got %v, want %q", to, err, want)
		}
	}
}

// meant returns the option for a name in driver scripts.
func meant(d *database.Database, name string) string {
	for _, key := range []string{name, names.Of(d.Name).Prefix + "_" + name} {
		if option := names.Meant(d.Name, "tprocc", key); option != key {
			return option
		}
	}
	return name
}
