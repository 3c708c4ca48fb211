package setup_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/hammerdb/setup"
	"sledge/internal/settings"
)

var resolver = settings.Resolver{Catalog: edition.Catalog}

func TestScriptsAreReadWithoutBeingRun(t *testing.T) {
	const tcl = `#!/bin/tclsh
set tmpdir $::env(TMP)
puts "SETTING CONFIGURATION"
dbset db maria
dbset bm TPC-C
set host db1
diset connection maria_host $host
diset connection maria_port "3307"
diset tpcc maria_pass {planted; 1}
diset tpcc maria_rampup 1; diset tpcc maria_duration 4 ;# minutes
diset tpcc maria_user [exec whoami]
diset tpcc maria_partition false
diset tpcc maria_nonsense 1
diset tpch maria_scale_fact 10
vuset logtotemp 1
loadscript
foreach z { 1 2 4 } {
    vuset vu $z
    vurun
}
if {$z > 1} {
proc planted {} {}
`
	const python = `#!/usr/bin/env python3
import os
tmpdir = os.getenv('TMP')
host = 'db1'
dbset('db', 'maria')
dbset("bm", "TPC-C")
diset('connection', 'maria_host', host)
diset('connection','maria_port', 3307)
diset('tpcc', 'maria_pass', 'planted')
diset('tpcc','maria_rampup','1')
diset('tpcc','maria_duration', '4')
diset('tpcc','maria_user', tmpdir)
loadscript()
for z in [1, 2, 4]:
    vuset('vu', z)
    vurun()
`
	want := map[string]string{"db": "mariadb", "workload": "tprocc", "host": "db1", "port": "3307", "rampup": "1", "duration": "4", "users": "1,2,4"}
	passed := map[string][]string{
		tcl:    {"line 15: vuset", "line 21: \"if\"", "line 22: \"proc\"", "line 9: maria_pass", "line 11: the value of maria_user", "line 13: maria_nonsense", "line 14: maria_scale_fact"},
		python: {"line 9: maria_pass", "line 12: the value of maria_user"},
	}
	for script, lines := range passed {
		found, err := setup.TakeIn(resolver, script)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(found.Settings, want) || !slices.Equal(found.Secrets, []string{"password"}) {
			t.Errorf("got %v and %v, want %v", found.Settings, found.Secrets, want)
		}
		for i, line := range found.Passed {
			if strings.Contains(line, "planted") || i >= len(lines) || !strings.HasPrefix(line, lines[i]) {
				t.Errorf("got %q, want lines that begin like %q", line, lines)
			}
		}
		if len(found.Passed) != len(lines) {
			t.Errorf("got %q, want %q", found.Passed, lines)
		}
	}
}

// Read joins continued lines, and does not repeat a line that may be a password.
func TestLines_JoinsContinuedLines(t *testing.T) {
	const tcl = "dbset db maria\ndiset connection \\\n  maria_host db1\ndiset tpcc maria_pass \\\n  planted1\nset all {\n  planted\n}\n"
	const python = "dbset('db', 'maria')\ndiset('connection',\n  'maria_host',\n  'db1')\ndiset('tpcc', 'maria_pass',\n  'planted'\n)\nother(\n  'planted', 1)\n"
	for script, passed := range map[string]int{tcl: 2, python: 3} {
		found, err := setup.TakeIn(resolver, script)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"db": "mariadb", "workload": "tprocc", "host": "db1"}; !maps.Equal(found.Settings, want) || !slices.Equal(found.Secrets, []string{"password"}) {
			t.Errorf("got %v and %v, want %v", found.Settings, found.Secrets, want)
		}
		if all := strings.Join(found.Passed, "\n"); len(found.Passed) != passed || strings.Contains(all, "planted") {
			t.Errorf("got %q, want %d lines without a password", found.Passed, passed)
		}
	}
	if _, err := setup.TakeIn(resolver, "dbset db pg\n"+strings.Repeat("diset(\\\n", 20_000)); err != nil {
		t.Error(err)
	}
}

func TestTakeIn_ReportsUnknownSettings(t *testing.T) {
	for _, text := range []string{
		"db = 'pg'\nusers = [1, 2]\nnonsense = 1\n[options]\npg_host = 'db1'\npassword = 'planted'\nmaria_host = 'db2'\nrampup = 1\n",
		"db: pg\nusers: [1, 2]\nnonsense: 1\noptions:\n  pg_host: db1\n  password: planted\n  maria_host: db2\n  rampup: 1\n",
	} {
		found, err := setup.TakeIn(resolver, text)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"db": "pg", "users": "1,2", "host": "db1", "rampup": "1"}
		if !maps.Equal(found.Settings, want) || !slices.Equal(found.Secrets, []string{"password"}) {
			t.Errorf("got %v and %v, want %v", found.Settings, found.Secrets, want)
		}
		all := strings.Join(found.Passed, "\n")
		if len(found.Passed) != 3 || strings.Contains(all, "planted") || !strings.Contains(all, "nonsense") || !strings.Contains(all, "maria_host") {
			t.Errorf("got %q", found.Passed)
		}
	}
	if _, err := setup.TakeIn(resolver, "this = is = nothing {"); err == nil || strings.Contains(err.Error(), "nothing {") {
		t.Errorf("got %v, want an error that does not repeat the text", err)
	}
}
