package repository

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/option"
)

func TestSetups_AreKeptByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openStore(t, path)
	nightly := Setup{Name: "nightly <b>ü</b>", Action: job.Run, Settings: option.Values{"db": "sqlite", "users": "1,2"}, By: "ann"}
	nightly, err := s.AddSetup(t.Context(), nightly)
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.AddSetup(t.Context(), Setup{Name: "build", Action: job.Build, Settings: option.Values{"db": "sqlite"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]job.Exit{"Build": job.ExitExists, "": job.ExitUsage, " x": job.ExitUsage, "a\nb": job.ExitUsage, strings.Repeat("x", 101): job.ExitUsage} {
		taken := other
		taken.Name = name
		if _, err := s.AddSetup(t.Context(), taken); job.ExitOf(err) != want {
			t.Errorf("add %.20q: got %v, want exit code %d", name, err, want)
		}
		taken.Number = nightly.Number
		if _, err := s.ChangeSetup(t.Context(), taken); job.ExitOf(err) != want {
			t.Errorf("rename to %.20q: got %v, want exit code %d", name, err, want)
		}
	}
	nightly.Name, nightly.By, nightly.Settings = strings.Repeat("ü", 100), "bob", option.Values{"db": "sqlite", "users": "8"}
	changed, err := s.ChangeSetup(t.Context(), nightly)
	if err != nil {
		t.Fatal(err)
	}
	again := openStore(t, path)
	list, err := again.Setups(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "build" || list[1].Number != nightly.Number {
		t.Fatalf("got %v, %v, want build and the renamed set-up", list, err)
	}
	got, err := again.Setup(t.Context(), nightly.Number)
	if err != nil || got.Name != nightly.Name || got.By != "bob" || !maps.Equal(got.Settings, nightly.Settings) || !got.Changed.Equal(changed.Changed) {
		t.Errorf("got %v, %v, want %v", got, err, changed)
	}
	if err := again.RemoveSetup(t.Context(), other.Number); err != nil {
		t.Fatal(err)
	}
	_, found := again.Setup(t.Context(), other.Number)
	_, replaced := again.ChangeSetup(t.Context(), other)
	for _, err := range []error{found, replaced, again.RemoveSetup(t.Context(), other.Number)} {
		if job.ExitOf(err) != job.ExitMissing {
			t.Errorf("a removed set-up: got %v", err)
		}
	}
	if next, err := again.AddSetup(t.Context(), other); err != nil || next.Number <= other.Number {
		t.Errorf("got %d, %v, want a new number, because links have the old one", next.Number, err)
	}
}

func TestSetups_AreLimited(t *testing.T) {
	s := openStore(t, ":memory:")
	_, err := s.db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO setup (name, action, settings, changed_by, changed_ms) SELECT 'set-up ' || i, 'run', '{"db": "sqlite"}', '', 0 FROM n`, mostSetups)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Setups(t.Context())
	if err != nil || len(list) != mostSetups {
		t.Fatal(len(list), err)
	}
	one := list[0]
	if _, err := s.ChangeSetup(t.Context(), one); err != nil {
		t.Errorf("change one at the limit: %v", err)
	}
	one.Name = fmt.Sprint("one more than ", mostSetups)
	if _, err := s.AddSetup(t.Context(), one); job.ExitOf(err) != job.ExitUsage {
		t.Errorf("got %v, want that there are too many", err)
	}
	if _, err := s.Setup(t.Context(), 0); errors.Is(err, ErrNotFound) || job.ExitOf(err) != job.ExitMissing {
		t.Errorf("got %v, want an error about set-ups, not about jobs", err)
	}
}
