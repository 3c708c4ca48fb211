package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

// hammerdbScripts are a test like those of HammerDB's users: a shell script whose steps pass the
// job's ID in a file, and a generic script that replaces puts to collect results.
var hammerdbScripts = map[string]string{
	"build.tcl": `
puts "SETTING CONFIGURATION"
dbset db sqlite
dbset bm TPC-C
giset commandline keepalive_margin 1200
giset timeprofile xt_gather_timeout 1200
diset connection sqlite_file [file join $::env(TMP) tpcc.sqlite]
set vu [ numberOfCPUs ]
diset tpcc sqlite_count_ware [ expr {$vu > 0 ? 1 : 2} ]
diset tpcc sqlite_num_vu 1
puts "SCHEMA BUILD STARTED"
buildschema
puts "SCHEMA BUILD COMPLETED"
`,
	"run.tcl": `
set tmpdir $::env(TMP)
proc runtimer { seconds } {
    set x 0
    while {![vucomplete] && $x < $seconds} { incr x; after 1000; update }
}
proc wait_to_complete {} {
    global complete
    if {[set complete [vucomplete]]} { set ::forever 1 } else { after 500 wait_to_complete }
}
dbset db sqlite
diset tpcc sqlite_driver timed
diset tpcc sqlite_rampup 0
diset tpcc sqlite_duration 1s
diset tpcc sqlite_timeprofile true
jobs profileid $::env(PROFILEID)
foreach z { 1 2 } {
    loadscript
    vuset vu $z
    vucreate
    tcstart
    tcstatus
    set jobid [ vurun ]
    runtimer 5
    after 100 wait_to_complete
    vwait forever
    vudestroy
    tcstop
    regexp {jobid=(\w+)} $jobid -> id
    lappend ids $id
}
jobs profileid 0
set of [ open $tmpdir/sqlite_tprocc w ]
foreach id $ids { puts $of "Benchmark Run jobid=$id" }
close $of
`,
	"result.tcl": `
set tmpdir $::env(TMP)
set ::outputfile $tmpdir/sqlite_tprocc
source [ file join [ file dirname [ info script ] ] generic.tcl ]
`,
	"generic.tcl": `
set fd [ open $::outputfile r ]
set lines [ split [ string trim [ read $fd ] ] \n ]
close $fd
rename puts shown
proc puts { args } {
    set fd [ open $::collected a ]
    shown $fd [ lindex $args end ]
    close $fd
}
foreach line $lines {
    set jobid [ lindex [ split $line = ] 1 ]
    set ::collected $tmpdir/sqlite_tprocc_$jobid.out
    puts "TRANSACTION RESPONSE TIMES"
    jobs $jobid timing
    puts "TRANSACTION COUNT"
    jobs $line tcount
    puts "HAMMERDB RESULT"
    job $jobid result
}
`,
	"test.sh": `
set -e
export TMP=$(pwd)/TMP
mkdir -p $TMP
for step in build run result; do
    echo "+-+-+ $step"
    hammerdbcli auto $step.tcl > $TMP/$step.log
done
grep "TEST RESULT" $TMP/run.log | awk '{ if ($7 > 0 && $8 == "NOPM" && $10 > $7 && $11 == "SQLite") print "measured" }'
grep -l '"NEWORD": {' $TMP/*.out | wc -l
grep -c 'TEST RESULT : System achieved' $TMP/*.out | cut -d : -f 2
`,
}

func TestHammerDBName_RunsUsersTests(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	folder := t.TempDir()
	for name, text := range hammerdbScripts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(p.path, filepath.Join(folder, "hammerdbcli")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "test.sh")
	c.Dir, c.Env = folder, append(p.env, "PATH="+folder+":"+os.Getenv("PATH"), "PROFILEID=1001")
	out, err := c.CombinedOutput()
	want := "+-+-+ build\n+-+-+ run\n+-+-+ result\nmeasured\nmeasured\n2\n1\n1\n"
	if err != nil || string(out) != want {
		t.Errorf("got %v and\n%s\nwant\n%s", err, out, want)
		for _, log := range []string{"build.log", "run.log", "result.log"} {
			text, _ := os.ReadFile(filepath.Join(folder, "TMP", log))
			t.Logf("%s:\n%s", log, text)
		}
	}
}

// pythonScripts are the same test in Python: values have spaces around them, print shows settings,
// and the result script replaces Tcl's puts.
var pythonScripts = map[string]string{
	"build.py": `
import os
dbset('db', ' sqlite')
dbset('bm', 'TPC-C ')
diset('connection', 'sqlite_file', ' ' + os.path.join(os.environ['TMP'], 'tpcc.sqlite'))
diset('tpcc', 'sqlite_count_ware', ' 1')
diset('tpcc', 'sqlite_num_vu', 1)
print('db')
print('dict')
buildschema()
`,
	"run.py": `
import os
diset('tpcc', 'sqlite_driver', 'timed')
diset('tpcc', 'sqlite_rampup', 0)
diset('tpcc', 'sqlite_duration', '1s')
diset('tpcc', 'sqlite_timeprofile', 'true')
loadscript()
print('script')
vuset('vu', ' 2')
print('vuconf')
vucreate()
jobid = tclpy.eval('vurun')
vudestroy()
with open(os.path.join(os.environ['TMP'], 'sqlite_tprocc'), 'w') as out:
    out.write(jobid + '\n')
`,
	"result.py": `
import os
tmp = os.environ['TMP']
with open(os.path.join(tmp, 'sqlite_tprocc')) as lines:
    jobid = lines.readline().split('=')[1]
target = os.environ.get('TARGET', os.path.join(tmp, 'sqlite_tprocc_' + jobid.strip() + '.out'))
tclpy.eval('set collected {' + target + '}')
tclpy.eval('''
    rename puts shown
    proc puts { args } {
        set fd [ open $::collected a ]
        shown $fd [ lindex $args end ]
        close $fd
    }
''')
for title, what in ('TRANSACTION RESPONSE TIMES', 'timing'), ('TRANSACTION COUNT', 'tcount'), ('HAMMERDB RESULT', 'result'):
    tclpy.eval('puts "' + title + '"')
    jobs(jobid, what)
tclpy.eval('rename puts {}; rename shown puts')
print('collected')
jobs(jobid, 'status')
`,
}

func TestHammerDBName_RunsUsersPythonScripts(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	folder := t.TempDir()
	link := filepath.Join(folder, "hammerdbcli")
	if err := os.Symlink(p.path, link); err != nil {
		t.Fatal(err)
	}
	p.path, p.env = link, append(p.env, "TMP="+folder)
	printed := make(map[string]string)
	for _, step := range []string{"build.py", "run.py", "result.py"} {
		file := filepath.Join(folder, step)
		if err := os.WriteFile(file, []byte(pythonScripts[step]), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, exit := p.run("py", "auto", file)
		if exit != job.OK {
			t.Fatalf("%s: got exit %d and\n%s\n%s", step, exit, stdout, stderr)
		}
		printed[step] = stdout
	}
	hasInOrder(t, "build.py", printed["build.py"],
		"\nDatabase SQLite set.\n", "\nDictionary Settings for SQLite\nconnection {\n sqlite_file ", "\ntpcc       {\n", "\nVuser 1:FINISHED SUCCESS\n")
	hasInOrder(t, "run.py", printed["run.py"], "duration", "\nVirtual Users = 2\n", "TEST RESULT : System achieved ")
	hasInOrder(t, "result.py", printed["result.py"], "\ncollected\n", "ALL VIRTUAL USERS COMPLETE")
	if strings.Contains(printed["result.py"], "NEWORD") {
		t.Errorf("result.py prints the text that belongs in its file:\n%s", printed["result.py"])
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.out"))
	if len(files) != 1 {
		t.Fatalf("results: got %q, want one file", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	hasInOrder(t, files[0], string(text), "TRANSACTION RESPONSE TIMES\n", `"NEWORD": {`, "TRANSACTION COUNT\n", "HAMMERDB RESULT\n", "TEST RESULT : System achieved ")

	p.env = append(p.env, "TARGET="+filepath.Join(folder, "nosuch", "file.out"))
	if stdout, stderr, exit := p.run("py", "auto", filepath.Join(folder, "result.py")); exit != job.ExitError || !strings.Contains(stderr, "no such file or directory") {
		t.Errorf("a file that cannot be written: got exit %d and\n%s\n%s", exit, stdout, stderr)
	}
}

// hasInOrder fails the test unless all contains the texts in this order.
func hasInOrder(t *testing.T, name, all string, texts ...string) {
	t.Helper()
	rest := all
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("%s: %q is missing or misplaced in\n%s", name, text, all)
			return
		}
		rest = after
	}
}

func TestHammerDBName_ShowsResultsOfPipedLines(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newConsole(t, nil)
	link := filepath.Join(t.TempDir(), "hammerdbcli")
	if err := os.Symlink(p.path, link); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		lines, shows string
		exit         job.Exit
	}{
		{"set x 6\nexpr {\n$x * 7}\nquit\n", "\n6\n42\nShutting down Sledge CLI\n", job.OK},
		{"find_current_dict\nnosuch\nquit\n", "\nconfigpostgresql\nShutting down Sledge CLI\n", job.ExitError},
		{"vurun now\nquit\n", "\nUsage: vurun\nShutting down Sledge CLI\n", job.ExitUsage},
	}
	for _, test := range tests {
		c := exec.Command(link)
		c.Env, c.Stdin = p.env, strings.NewReader(test.lines)
		out, _ := c.Output() // ProcessState contains the exit code
		if exit := job.Exit(c.ProcessState.ExitCode()); exit != test.exit || !strings.HasSuffix(string(out), test.shows) {
			t.Errorf("%q: got %d and %q, want %d and an end of %q", test.lines, exit, out, test.exit, test.shows)
		}
	}
}
