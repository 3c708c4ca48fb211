package main_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// TestBuild_ResumeKeepsLoadTime resumes a killed build with load time now at least a second after
// it began. All rows must have the time at which the first build began, and the recorded jobs must
// contain this time.
func TestBuild_ResumeKeepsLoadTime(t *testing.T) {
	t.Parallel() // it mostly waits
	file := filepath.Join(t.TempDir(), "test.db")
	p, reader := newProgram(t, map[string]string{"sqlite_file": file}), openDatabase(t, "sqlite", file)
	args := []string{"build", "--db", "sqlite", "--warehouses", "2", "--set", "load_time=now"}
	build := p.start(args...)
	p.until("some rows are loaded", func() bool {
		var chunks int
		return reader.QueryRow("SELECT count(*) FROM sledge_build WHERE chunk >= 0").Scan(&chunks) == nil && chunks > 1
	})
	if err := build.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait(build)
	var identity string
	if err := reader.QueryRow("SELECT entry FROM sledge_build WHERE chunk = -1").Scan(&identity); err != nil {
		t.Fatal(err)
	}
	_, loadTime, _ := strings.Cut(identity, "load time ")
	p.until("it is later", func() bool { return time.Now().UTC().Format(time.DateTime) > loadTime })

	if _, stderr, exit := p.run("build", "--db", "sqlite", "--warehouses", "2", "--resume"); exit != job.ExitUsage || !strings.Contains(stderr, loadTime) {
		t.Errorf("resumed with another load time: exit code %d and %q, want %d and the time", exit, stderr, job.ExitUsage)
	}
	p.must(append(args, "--resume")...)
	p.must("check", "--db", "sqlite")
	var times int
	var entered string
	err := reader.QueryRow("SELECT count(DISTINCT o_entry_d), CAST(min(o_entry_d) AS varchar(19)) FROM orders").Scan(&times, &entered)
	if err != nil || times != 1 || entered != loadTime {
		t.Errorf("the orders have %d different times, the first %q, error %v; want only %s", times, entered, err, loadTime)
	}

	store, err := repository.OpenToRead(p.repository)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	builds, err := store.List(t.Context(), repository.Query{Action: job.Build})
	if err != nil || len(builds) != 3 {
		t.Fatalf("got %d recorded builds and error %v, want 3", len(builds), err)
	}
	first := builds[len(builds)-1].Spec
	kept := false
	for name, text := range first.Options {
		kept = kept || strings.HasSuffix(name, "load_time") && text == loadTime
	}
	if !kept {
		t.Errorf("the build's recorded options are %v, want the load time %s", first.Options, loadTime)
	}
}
