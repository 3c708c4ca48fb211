//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sledge/internal/job"
)

// TestJobs_ReadableWithoutWritePermission runs Sledge as another user, because no permission
// restricts root, who runs the tests.
func TestJobs_ReadableWithoutWritePermission(t *testing.T) {
	t.Parallel() // it mostly waits
	if os.Getuid() != 0 {
		t.Skip("only root can run a program as another user")
	}
	p, _ := onSchema(t)
	folder := t.TempDir()
	p.keepIn(folder)
	p.must("check", "--db", "sqlite")
	checked := p.last()
	read := filepath.Join(folder, "reader")
	for path := folder; len(path) > len(os.TempDir()); path = filepath.Dir(path) { // makes the parents accessible
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(p.repository, 0o644); err != nil {
		t.Fatal(err)
	}
	// This is a link, because a copy could not be executed at once: another test's child process may
	// have inherited the file while it was open for writing.
	if err := os.Link(p.path, read); err != nil {
		t.Fatal(err)
	}
	as := func(args ...string) (string, job.Exit) {
		c := exec.Command(read, args...)
		c.Env = append(p.env, "HOME="+folder, "SLEDGE_SETTINGS="+filepath.Join(folder, "settings.db"))
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, _ := c.CombinedOutput() // ProcessState contains the exit code
		return string(out), job.Exit(c.ProcessState.ExitCode())
	}
	files := func() (names []string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	before := files()
	for _, args := range [][]string{{"jobs"}, {"jobs", "show", "last"}, {"jobs", "export", "last"}} {
		if out, exit := as(args...); exit != job.OK || !strings.Contains(out, checked.ID) {
			t.Errorf("sledge %s: exit code %d, want %d and job %s\n%s", strings.Join(args, " "), exit, job.OK, checked.ID, out)
		}
	}
	if out, exit := as("check", "--db", "sqlite"); exit != job.ExitError || !strings.Contains(out, "permission denied") || !strings.Contains(out, "--repo") {
		t.Errorf("a recorded check: exit code %d, want %d and the reason\n%s", exit, job.ExitError, out)
	}
	if after := files(); !slices.Equal(before, after) {
		t.Errorf("got files %v, want %v as before", after, before)
	}
	if err := os.Chmod(p.repository, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, exit := as("jobs"); exit != job.ExitError || !strings.Contains(out, "permission denied") {
		t.Errorf("a private repository: exit code %d, want %d and the reason\n%s", exit, job.ExitError, out)
	}
}
