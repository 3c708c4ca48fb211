package repository

import (
	"path/filepath"
	"testing"
)

func TestList_IgnoresCase(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	note := "ÄPFEL für Ömer; ЖУК, Σίσυφος"
	r := begin(t, s, runSpec())
	if _, err := s.Annotate(t.Context(), r.ID(), Annotation{Note: &note}); err != nil {
		t.Fatal(err)
	}
	begin(t, s, runSpec())
	for text, want := range map[string]int{
		"äpfel":       1,
		"ÄPFEL":       1,
		"ÖMER FÜR":    1,
		"ömer für":    1,
		"жук σίσυφος": 1,
		"ömer Xyz":    0,
		"Äpfeln":      0,
		"POSTGRESQL":  2,
		"fur":         0,
	} {
		jobs, err := s.List(t.Context(), Query{Text: text})
		if err != nil || len(jobs) != want {
			t.Errorf("%s: got %d jobs, %v, want %d", text, len(jobs), err, want)
		}
	}
}
