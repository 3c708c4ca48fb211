package repository

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
)

// damage overwrites pages in the middle of a repository with some jobs.
func damage(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	if len(text) < 20*page {
		t.Fatalf("the repository has %d bytes, too few to damage its middle", len(text))
	}
	for at := len(text) / 2 / page * page; at < len(text)-2*page; at += 2 * page {
		copy(text[at:], bytes.Repeat([]byte("garbage!"), page/8))
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// filled creates a repository with several ended jobs.
func filled(t *testing.T, path string) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		r := begin(t, s, runSpec())
		for n := range 20 {
			r.Watch(second(job.Measure, n+1, measured(uint64(n), 2000), nil))
		}
		if err := r.End(t.Context(), job.Result{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// execute changes the file of a repository directly.
func execute(t *testing.T, path, statement string, arguments ...any) {
	t.Helper()
	s, err := OpenToRead(path) // it checks nothing
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(statement, arguments...); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpen_DoesNotWriteToADamagedFile(t *testing.T) {
	for _, c := range []struct{ name, statement string }{
		{"a day later", `UPDATE whole SET checked_ms = checked_ms - 25 * 3600 * 1000`},
		{"after a job was killed", `UPDATE job SET status = 'running', process_begun_ms = 1 WHERE number = 5`},
	} {
		path := filepath.Join(t.TempDir(), "jobs.db")
		filled(t, path)
		execute(t, path, c.statement)
		damage(t, path)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(path)
		if !errors.Is(err, ErrDamaged) || strings.Count(err.Error(), path) < 2 || !strings.Contains(err.Error(), "sledge jobs export") {
			t.Errorf("%s: got %v, want an error that names the damage and the remedy", c.name, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: Open changed the file, %v", c.name, err)
		}
		s, err := OpenToRead(path)
		if err != nil {
			t.Errorf("%s: got %v, want the readable jobs", c.name, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen_ChecksPagesOnceADay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	filled(t, path)
	execute(t, path, `UPDATE whole SET checked_ms = 0`)
	openStore(t, path)
	damage(t, path)
	openStore(t, path)
	execute(t, path, `UPDATE whole SET checked_ms = ?`, time.Now().Add(-checkEvery).UnixMilli())
	if _, err := Open(path); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v a day later, want ErrDamaged", err)
	}
}

func TestOpenToRead_CreatesNoFile(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(folder, "jbos.db"), filepath.Join(folder, "missing", "jobs.db"), empty} {
		if s, err := OpenToRead(path); job.ExitOf(err) != job.ExitMissing || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v and error %v, want an error about a missing repository", path, s, err)
		}
	}
	if _, err := OpenToRead(folder); job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: got error %v, want an error about a file that is not regular", err)
	}
	files, err := os.ReadDir(folder)
	if info, statErr := os.Stat(empty); err != nil || statErr != nil || len(files) != 1 || info.Size() != 0 {
		t.Errorf("got files %v, %v, %v, want only the empty file, unchanged", files, err, statErr)
	}
}

func TestOpenToRead_MigratesAnOlderRepository(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	filled(t, path)
	traffic := []string{"bytes_sent", "bytes_received", "round_trips"}
	for table, columns := range map[string][]string{"tally": traffic, "user_tally": traffic, "span": {"ended", "failed", "response"}} {
		for _, column := range columns {
			execute(t, path, "ALTER TABLE "+table+" DROP COLUMN "+column)
		}
	}
	execute(t, path, `ALTER TABLE user_tally DROP COLUMN phase; DROP TABLE event; DROP TABLE plans; DROP TABLE whole; DROP TABLE profile_number; DROP TABLE sample; DROP TABLE samples; DROP TABLE series; DROP TABLE scheduled_start; DROP TABLE schedule; DROP TABLE setup; DROP TABLE note; DROP TABLE board; DROP TABLE activity; DROP TABLE did;
		CREATE TABLE reading (number INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE, at_ms INTEGER NOT NULL, tpm REAL NOT NULL) STRICT;
		DROP INDEX job_running; DROP INDEX job_by_duration; DROP INDEX job_by_figure; PRAGMA user_version = 3`)
	s, err := OpenToRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if jobs, err := s.List(t.Context(), Query{}); err != nil || len(jobs) != 5 {
		t.Errorf("got %d jobs, %v, want 5", len(jobs), err)
	}
}
