package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// Two builds take turns. The other one is this program with a byte more, so that its file has another checksum.
func TestRun_AgainstAnotherProgram(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newProgram(t, nil)
	file := filepath.Join(t.TempDir(), "tpcc.sqlite")
	other := filepath.Join(t.TempDir(), "sledge-other")
	text, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, append(text, '\n'), 0o700); err != nil {
		t.Fatal(err)
	}
	p.must("build", "--db", "sqlite", "--dbname", file)
	run := []string{"run", "--db", "sqlite", "--dbname", file, "--rampup", "0", "--duration", "1s", "--repeat", "2"}
	_, stderr, exit := p.run(append(run, "--against-program", other)...)
	if exit != 2 || !strings.Contains(stderr, "each in its own process") { // two pairs decide nothing
		t.Fatalf("got exit code %d: %s", exit, stderr)
	}
	store, err := repository.Open(p.repository)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	runs, err := store.List(t.Context(), repository.Query{Action: job.Run})
	if err != nil || len(runs) != 4 {
		t.Fatalf("%v: got %d runs, want two pairs", err, len(runs))
	}
	by := map[string]map[int]bool{} // profiles by the checksum of the program
	for _, j := range runs {
		if j.Facts == nil || !j.Status.Valid() {
			t.Fatalf("got %+v", j)
		}
		if by[j.Facts.SledgeSHA256] == nil {
			by[j.Facts.SledgeSHA256] = map[int]bool{}
		}
		by[j.Facts.SledgeSHA256][j.Profile] = true
	}
	if len(by) != 2 || by[""] != nil {
		t.Errorf("got runs of the programs %v, want two", by)
	}
	for sum, profiles := range by {
		if len(profiles) != 1 {
			t.Errorf("the runs of program %s are in the profiles %v, want one", sum, profiles)
		}
	}
	for _, wrong := range []string{"/bin/true", filepath.Join(t.TempDir(), "nosuch")} {
		if _, stderr, exit := p.run(append(run, "--against-program", wrong)...); exit != job.ExitUsage || !strings.Contains(stderr, "is not a program of Sledge") {
			t.Errorf("%s: got exit code %d: %s", wrong, exit, stderr)
		}
	}
}
