package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// program runs the real program like a new user's: each test has its own files and settings.
type program struct {
	t          *testing.T
	path       string
	repository string
	env        []string
}

func newProgram(t *testing.T, values map[string]string) *program {
	if runtime.GOOS == "windows" {
		t.Skip("it sends Unix signals")
	}
	dir := t.TempDir()
	p := &program{t: t, path: testserver.Program(t), repository: filepath.Join(dir, "jobs.db")}
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "SLEDGE_") || strings.HasPrefix(line, "SLEDGE_PYTHON=") {
			p.env = append(p.env, line)
		}
	}
	if cache, err := os.UserCacheDir(); err == nil { // share the folder into which Tcl is unpacked
		p.env = append(p.env, "XDG_CACHE_HOME="+cache)
	}
	p.env = append(p.env, "HOME="+dir, "SLEDGE_REPO="+p.repository, "SLEDGE_SETTINGS="+filepath.Join(dir, "settings.db"))
	for name, value := range values {
		p.env = append(p.env, "SLEDGE_"+strings.ToUpper(name)+"="+value)
	}
	return p
}

// run runs the program until it ends.
func (p *program) run(args ...string) (stdout, stderr string, exit job.Exit) {
	p.t.Helper()
	c := p.start(args...)
	exit = p.wait(c)
	return c.Stdout.(*bytes.Buffer).String(), c.Stderr.(*bytes.Buffer).String(), exit
}

// in returns the same program for a subtest.
func (p *program) in(t *testing.T) *program {
	part := *p
	part.t = t
	return &part
}

// command returns a command that has not been started.
func (p *program) command(args ...string) *exec.Cmd {
	c := exec.Command(p.path, args...)
	c.Env = p.env
	return c
}

func (p *program) start(args ...string) *exec.Cmd {
	p.t.Helper()
	c := p.command(args...)
	c.Stdout, c.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = c.Process.Kill() // it has ended, unless the test failed
		_ = c.Wait()
	})
	return c
}

func (p *program) wait(c *exec.Cmd) job.Exit {
	err := c.Wait()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		p.t.Fatal(err)
	}
	return job.Exit(c.ProcessState.ExitCode())
}

func (p *program) must(args ...string) string {
	p.t.Helper()
	stdout, stderr, exit := p.run(args...)
	if exit != job.OK {
		p.t.Fatalf("sledge %s: exit code %d\n%s\n%s", strings.Join(args, " "), exit, stdout, stderr)
	}
	return stdout
}

// unhurried adds options by which users pause between transactions, so that a run that waits for
// something leaves the machine to other tests.
func unhurried(values map[string]string) map[string]string {
	maps.Copy(values, map[string]string{"key_and_think": "true", "keying_time": "0,0,0,0,0", "think_time": "0.02,0.02,0.02,0.02,0.02"})
	return values
}

// onSchema returns a program whose SQLite file holds a schema of one warehouse: a copy of one that
// is built for all tests. Nothing shows that a build made the copy, so that a delete leaves the file.
func onSchema(t *testing.T) (p *program, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "test.db")
	p = newProgram(t, unhurried(map[string]string{"sqlite_file": file}))
	schema.Do(func() {
		p.must("build", "--db", "sqlite")
		schema.text, schema.err = os.ReadFile(file)
	})
	if schema.err != nil || len(schema.text) == 0 {
		t.Fatalf("the shared schema was not built: %v", schema.err)
	}
	if err := os.WriteFile(file, schema.text, 0o600); err != nil {
		t.Fatal(err)
	}
	return p, file
}

// schema holds the contents of a SQLite file with the schema for onSchema.
var schema struct {
	sync.Once
	text []byte
	err  error
}

// last returns the newest job in the repository.
func (p *program) last() (j struct {
	ID     string
	Status string
	Reason string
	Line   string
},
) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.must("jobs", "show", "last", "--json")), &j); err != nil {
		p.t.Fatal(err)
	}
	return j
}

// until calls done until it returns true, and fails the test after a minute.
func (p *program) until(what string, done func() bool) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("waited a minute for this: %s", what)
		}
	}
}

// untilMeasured waits until the repository has a measured second of a run.
func (p *program) untilMeasured() {
	p.t.Helper()
	store, err := repository.Open(p.repository)
	if err != nil {
		p.t.Fatal(err)
	}
	defer store.Close()
	p.until("a second of a run was measured", func() bool {
		runs, err := store.List(p.t.Context(), repository.Query{Action: job.Run, Limit: 1})
		if err != nil {
			p.t.Fatal(err)
		}
		for _, run := range runs {
			for second, err := range store.Seconds(p.t.Context(), run.ID) {
				if err != nil {
					p.t.Fatal(err)
				}
				if second.Second.Phase == job.Measure {
					return true
				}
			}
		}
		return false
	})
}

// TestRun_KilledLeavesConsistentDataAndKilledJob kills the program in the middle of a run, which
// the program cannot handle.
func TestRun_KilledLeavesConsistentDataAndKilledJob(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, db := range []string{"sqlite", "postgresql", "mariadb"} {
		t.Run(db, func(t *testing.T) {
			var p *program
			if db == "sqlite" {
				p, _ = onSchema(t)
			} else {
				p = newProgram(t, unhurried(testserver.Open(t, db).Values()))
				p.must("build", "--db", db)
				defer p.must("delete", "--db", db, "--yes")
			}
			c := p.start("run", "--db", db, "--users", "4", "--rampup", "0s", "--duration", "10m")
			p.untilMeasured()
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.wait(c)
			if j := p.last(); j.Status != string(job.Killed) {
				t.Errorf("the job's status is %s (%s), want %s", j.Status, j.Reason, job.Killed)
			}
			if timing := p.must("jobs", "timing", "last"); !strings.Contains(timing, "new order") {
				t.Errorf("the measurements before the kill are lost:\n%s", timing)
			}
			// The server may still be ending the client's transactions, and the check reads one
			// table after another. An inconsistency that stays will still be there in a minute.
			p.until("the schema is consistent", func() bool {
				_, _, exit := p.run("check", "--db", db)
				return exit == job.OK
			})
		})
	}
}

// TestRun_EachRequestToEndKeepsResult ends runs in each way in which people and their tools ask a
// program to end.
func TestRun_EachRequestToEndKeepsResult(t *testing.T) {
	t.Parallel() // it mostly waits
	p, _ := onSchema(t)
	send := func(signals ...syscall.Signal) func(*testing.T, *exec.Cmd, *os.File) {
		return func(t *testing.T, c *exec.Cmd, _ *os.File) {
			for _, signal := range signals {
				if err := c.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Millisecond) // because the system merges equal pending signals
			}
		}
	}
	hangUp := func(t *testing.T, _ *exec.Cmd, out *os.File) {
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		end    func(t *testing.T, c *exec.Cmd, out *os.File)
		unread bool // whether the reader of the output has gone by then
	}{
		{"Ctrl-C", send(syscall.SIGINT), false},
		{"SIGTERM, which timeout sends twice", send(syscall.SIGTERM, syscall.SIGTERM), false},
		{"a terminal that hangs up", send(syscall.SIGHUP, syscall.SIGHUP), false},
		{"a service manager", send(syscall.SIGTERM, syscall.SIGHUP), false},
		{"a pipe without a reader", hangUp, true},
		{"Ctrl-C that also ends the reader of the output", func(t *testing.T, c *exec.Cmd, out *os.File) {
			hangUp(t, c, out)
			send(syscall.SIGINT)(t, c, out)
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := p.in(t)
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			c := p.command("run", "--db", "sqlite", "--users", "2", "--rampup", "0s", "--duration", "10m", "--interval", "1s")
			c.Stdout, c.Stderr = write, write
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			write.Close()
			overdue := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
			defer overdue.Stop()
			p.untilMeasured()
			test.end(t, c, read)
			var printed []byte
			if !test.unread {
				if printed, err = io.ReadAll(read); err != nil {
					t.Fatal(err)
				}
			}
			if exit := p.wait(c); exit != job.ExitStopped {
				t.Errorf("got %s, want exit code %d", c.ProcessState, job.ExitStopped)
			}
			if !test.unread && (!strings.Contains(string(printed), "NOPM") || !strings.Contains(string(printed), "PARTIAL")) {
				t.Errorf("no result is marked PARTIAL:\n%s", printed)
			}
			if j := p.last(); j.Status != string(job.Partial) || j.Line == "" {
				t.Errorf("got %+v, want a partial result", j)
			}
			p.must("jobs", "delete", "last", "--yes") // so that the next subtest waits for its own run
		})
	}
}

// TestRun_KeepsIgnoringHangUp ignores SIGHUP before it starts the program, as nohup does.
func TestRun_KeepsIgnoringHangUp(t *testing.T) {
	t.Parallel() // it mostly waits
	p, _ := onSchema(t)
	c := p.command("run", "--db", "sqlite", "--rampup", "0s", "--duration", "5s")
	c.Args = append([]string{"sh", "-c", `trap '' HUP; exec "$0" "$@"`}, c.Args...)
	c.Path = "/bin/sh"
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p.untilMeasured()
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if exit := p.wait(c); exit != job.OK {
		t.Errorf("exit code %d, want %d", exit, job.OK)
	}
	if j := p.last(); j.Status != string(job.Succeeded) {
		t.Errorf("got %+v, want a run that succeeded", j)
	}
}

// TestBuild_HangUpNamesResume ends a build as a closed terminal does.
func TestBuild_HangUpNamesResume(t *testing.T) {
	t.Parallel() // it mostly waits
	file := filepath.Join(t.TempDir(), "test.db")
	p := newProgram(t, map[string]string{"sqlite_file": file})
	c := p.start("build", "--db", "sqlite", "--warehouses", "2")
	p.until("some rows are loaded", func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > 1<<20
	})
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if exit := p.wait(c); exit != job.ExitStopped || !strings.Contains(c.Stderr.(*bytes.Buffer).String(), "--resume") {
		t.Errorf("exit code %d, want %d and a mention of --resume, got\n%s", exit, job.ExitStopped, c.Stderr)
	}
	if j := p.last(); j.Status != string(job.Failed) {
		t.Errorf("the job shows as %s, want %s", j.Status, job.Failed)
	}
}

// TestOptions_ClosedPipeIsNotAnError closes the pipe early, as head does.
func TestOptions_ClosedPipeIsNotAnError(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newProgram(t, nil)
	c := p.command("options", "pg")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	var stderr bytes.Buffer
	c.Stdout, c.Stderr = write, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if exit := p.wait(c); exit != job.ExitStopped || stderr.Len() > 0 {
		t.Errorf("exit code %d and stderr %q, want %d and nothing", exit, &stderr, job.ExitStopped)
	}
}

// TestBuild_FailsOnFullDisk builds on a file system of 16 MB.
func TestBuild_FailsOnFullDisk(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := smallDisk(t, "16m")
	p := newProgram(t, map[string]string{"sqlite_file": filepath.Join(dir, "test.db")})
	_, stderr, exit := p.run("build", "--db", "sqlite")
	if exit != job.ExitError || !strings.Contains(stderr, "full") || !strings.Contains(stderr, "--resume") {
		t.Errorf("exit code %d, want %d, the reason and --resume, got\n%s", exit, job.ExitError, stderr)
	}
	if j := p.last(); j.Status != string(job.Failed) {
		t.Errorf("the job shows as %s, want %s", j.Status, job.Failed)
	}
	if _, _, exit := p.run("run", "--db", "sqlite"); exit != job.ExitExists {
		t.Errorf("a run on the half-built schema: exit code %d, want %d", exit, job.ExitExists)
	}
}

// smallDisk mounts a file system of a given size, and returns its folder.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a small file system cannot be mounted, perhaps because the user is not root: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}

// keepIn makes the program save its jobs in a folder.
func (p *program) keepIn(folder string) {
	p.repository = filepath.Join(folder, "jobs.db")
	p.env = append(p.env, "SLEDGE_REPO="+p.repository)
}

// TestRun_OnFullRepositoryIsMeasuredAndNotRecorded fills the disk of the repository while a run
// is recorded.
func TestRun_OnFullRepositoryIsMeasuredAndNotRecorded(t *testing.T) {
	t.Parallel() // it mostly waits
	p, _ := onSchema(t)
	disk := smallDisk(t, "2m")
	p.keepIn(disk)
	c := p.start("run", "--db", "sqlite", "--rampup", "0s", "--duration", "8s")
	p.untilMeasured()
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 4<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want a full disk", err)
	}
	exit := p.wait(c)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	stderr := c.Stderr.(*bytes.Buffer).String()
	j := p.last()
	if exit != job.ExitError || !strings.Contains(stderr, "not recorded") || j.Status != string(job.Succeeded) {
		t.Errorf("exit code %d and status %s, want %d and a succeeded job\n%s", exit, j.Status, job.ExitError, stderr)
	}
	if out := c.Stdout.(*bytes.Buffer).String(); !strings.Contains(out, "NOPM") || !strings.Contains(out, "MEASURED, BUT NOT RECORDED") || !strings.Contains(out, "the figures are whole") {
		t.Errorf("got no result that is marked as not recorded:\n%s", out)
	}
}

func TestJobs_DoNotCreateMistypedRepository(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newProgram(t, nil)
	mistyped := filepath.Join(t.TempDir(), "jbos.db")
	for _, args := range [][]string{
		{"jobs"},
		{"jobs", "list"},
		{"jobs", "show", "last"},
		{"jobs", "result", "last"},
		{"jobs", "timing", "last"},
		{"jobs", "tpm", "last"},
		{"jobs", "profile"},
		{"jobs", "export", "last"},
		{"jobs", "delete", "last", "--yes"},
	} {
		_, stderr, exit := p.run(append(args, "--repo", mistyped)...)
		if exit != job.ExitMissing || !strings.Contains(stderr, mistyped) || !strings.Contains(stderr, "--repo") {
			t.Errorf("sledge %s: exit code %d and %q, want %d and the name of the missing file", strings.Join(args, " "), exit, stderr, job.ExitMissing)
		}
	}
	if _, err := os.Stat(mistyped); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	// The default path cannot be mistyped, so a missing repository means that there are no jobs.
	home := t.TempDir()
	p.env = append(p.env, "SLEDGE_REPO=", "HOME="+home, "XDG_DATA_HOME=")
	if stdout := p.must("jobs", "--json"); !noJobs(stdout) {
		t.Errorf("got %s, want no jobs", stdout)
	}
	if made, err := os.ReadDir(home); err != nil || len(made) > 0 {
		t.Errorf("got files %v and error %v, want none", made, err)
	}
}

// noJobs reports whether a JSON list of jobs is empty.
func noJobs(list string) bool {
	var jobs document.Jobs
	return json.Unmarshal([]byte(list), &jobs) == nil && jobs.Schema == document.JobsSchema && len(jobs.Jobs) == 0
}
