package repository

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/job"
)

// Notes are added to a run in progress, change, and go with their job. A note of another job cannot be
// reached through its number.
func TestNotes_OfARun(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r, other := begin(t, s, runSpec()), begin(t, s, runSpec())
	late, err := s.AddNote(t.Context(), r.ID(), Note{From: 30.0004, Until: 45, Text: "backup\nof the disk", Author: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	early, err := s.AddNote(t.Context(), r.ID(), Note{From: 2, Until: 2, Text: "cache filled"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Notes(t.Context(), r.ID()); err != nil || !slices.Equal(got, []Note{early, late}) || late.From != 30 || late.Changed.IsZero() {
		t.Errorf("got %+v, %v, want %+v and %+v", got, err, early, late)
	}
	changed, err := s.ChangeNote(t.Context(), r.ID(), late.Number, func(n *Note) { n.Text, n.Author = "backup", "lou" })
	if err != nil || changed.Text != "backup" || changed.Author != "lou" || changed.From != 30 || changed.Until != 45 {
		t.Errorf("got %+v, %v, want another text", changed, err)
	}
	for name, err := range map[string]error{
		"change through another job": errorOf(s.ChangeNote(t.Context(), other.ID(), late.Number, func(*Note) {})),
		"delete through another job": s.RemoveNote(t.Context(), other.ID(), late.Number),
	} {
		if job.ExitOf(err) != job.ExitMissing {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := s.RemoveNote(t.Context(), r.ID(), early.Number); err != nil {
		t.Error(err)
	}
	if got, err := s.Notes(t.Context(), r.ID()); err != nil || !slices.Equal(got, []Note{changed}) {
		t.Errorf("got %+v, %v, want the changed note alone", got, err)
	}
	if err := r.End(t.Context(), job.Result{Status: job.Succeeded}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := s.db.QueryRow(`SELECT count(*) FROM note`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d notes of the deleted job are left, %v", left, err)
	}
}

func errorOf[T any](_ T, err error) error { return err }

func TestNotes_RefuseInvalidTimesAndTexts(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r := begin(t, s, runSpec())
	for name, n := range map[string]Note{
		"before the run":      {From: -1, Until: 1, Text: "x"},
		"end before begin":    {From: 2, Until: 1, Text: "x"},
		"not a number":        {From: math.NaN(), Until: math.NaN(), Text: "x"},
		"endless":             {From: 1, Until: math.Inf(1), Text: "x"},
		"no text":             {Text: " \n"},
		"long text":           {Text: strings.Repeat("é", 4001)},
		"character to delete": {Text: "a\x00b"},
	} {
		if _, err := s.AddNote(t.Context(), r.ID(), n); job.ExitOf(err) != job.ExitUsage {
			t.Errorf("%s: got %v", name, err)
		}
	}
	spec := runSpec()
	spec.Action = job.Check
	if _, err := s.AddNote(t.Context(), begin(t, s, spec).ID(), Note{Text: "x"}); job.ExitOf(err) != job.ExitUsage {
		t.Errorf("a note of a check: got %v", err)
	}
	for range mostNotes {
		if _, err := s.AddNote(t.Context(), r.ID(), Note{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddNote(t.Context(), r.ID(), Note{Text: "x"}); job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "delete one") {
		t.Errorf("one note above the limit: got %v", err)
	}
}
