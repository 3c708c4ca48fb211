package repository

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

// talks records a job with several megabytes of events. It ends the job if ends is true.
func talks(t *testing.T, s *Store, ends bool) *Recorder {
	t.Helper()
	r := begin(t, s, runSpec())
	line := strings.Repeat("a line of a virtual user ", 100)
	for range 2000 {
		r.Watch(job.Event{User: 1, Message: line})
	}
	if ends {
		if err := r.End(t.Context(), job.Result{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// sizes returns the number of bytes of the repository's file, and of the files beside it.
func sizes(t *testing.T, path string) (file, beside int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if log, err := os.Stat(path + "-wal"); err == nil {
		beside = log.Size()
	}
	return info.Size(), beside
}

func deletes(t *testing.T, s *Store, r *Recorder) {
	t.Helper()
	if err := s.Delete(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	if err := s.GiveBack(t.Context()); err != nil {
		t.Error(err)
	}
}

const small = 1 << 20 // bytes of a nearly empty repository

func TestGiveBack_ReturnsTheSpaceOfDeletedJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openStore(t, path)
	r := talks(t, s, true)
	if file, log := sizes(t, path); file+log < 4*small {
		t.Fatalf("a repository of %d and %d bytes has nothing to give back", file, log)
	}
	deletes(t, s, r)
	if file, log := sizes(t, path); file+log > small {
		t.Errorf("got %d bytes, and %d in the log, want less than %d", file, log, small)
	}
	if err := s.GiveBack(t.Context()); err != nil {
		t.Errorf("with nothing to give back: %v", err)
	}
}

// TestGiveBack_WorksBesideAReader gives space back while one connection reads and another records.
func TestGiveBack_WorksBesideAReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s, other := openStore(t, path), openStore(t, path)
	gone, stays := talks(t, s, true), talks(t, other, false)
	rows, err := other.db.Query("SELECT event FROM event")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatalf("the query returned no row: %v", rows.Err())
	}
	deletes(t, s, gone)
	read := 1
	for rows.Next() {
		read++
	}
	if err := rows.Close(); err != nil || read < 2000 {
		t.Errorf("the reader got %d lines, %v, want at least the 2000 that existed before", read, err)
	}
	if err := stays.End(t.Context(), job.Result{}, nil); err != nil {
		t.Error(err)
	}
	if lines := collect(t, s.Events(t.Context(), stays.ID())); len(lines) != 2000 {
		t.Errorf("the recorder recorded %d lines, want 2000", len(lines))
	}
	deletes(t, s, stays)
	if file, log := sizes(t, path); file+log > small {
		t.Errorf("afterwards: got %d bytes, and %d in the log, want less than %d", file, log, small)
	}
}

// TestGiveBack_RewritesAnOldFileBetweenJobs uses a repository as an older version created it.
func TestGiveBack_RewritesAnOldFileBetweenJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openStore(t, path)
	c, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"PRAGMA auto_vacuum = NONE", "VACUUM"} {
		if _, err := c.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	mode := func() (mode int) {
		if err := s.db.QueryRow("PRAGMA auto_vacuum").Scan(&mode); err != nil {
			t.Fatal(err)
		}
		return mode
	}
	if got := mode(); got != 0 {
		t.Fatalf("got a file with auto_vacuum mode %d, want 0, as in an older file", got)
	}
	gone, running := talks(t, s, true), begin(t, s, runSpec())
	deletes(t, s, gone)
	if file, log := sizes(t, path); file+log < 4*small || mode() != 0 {
		t.Errorf("got %d bytes, and %d in the log, want no rewrite while a job is being recorded", file, log)
	}
	if err := running.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	deletes(t, s, running)
	if file, log := sizes(t, path); file+log > small || mode() != 2 {
		t.Errorf("got %d bytes, %d in the log, and mode %d, want less than %d, and 2", file, log, mode(), small)
	}
}
