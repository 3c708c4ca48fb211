package repository

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"sledge/internal/job"
)

func TestBoards_AreKeptByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openStore(t, path)
	wall, err := s.PutBoard(t.Context(), Board{Name: "wall ü", Tiles: []Tile{{Kind: "figure", Label: "kernel=6.11"}, {Kind: "times", Job: "4711"}}, By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.PutBoard(t.Context(), Board{Name: "other"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]job.Exit{"Wall Ü": job.OK, "OTHER": job.ExitExists, "": job.ExitUsage, "a\nb": job.ExitUsage} {
		taken := wall
		taken.Name = name
		if _, err := s.PutBoard(t.Context(), taken); job.ExitOf(err) != want {
			t.Errorf("rename to %q: got %v, want exit code %d", name, err, want)
		}
	}
	wall.By, wall.Tiles = "bob", wall.Tiles[:1]
	if wall, err = s.PutBoard(t.Context(), wall); err != nil {
		t.Fatal(err)
	}
	again := openStore(t, path)
	list, err := again.Boards(t.Context())
	if err != nil || len(list) != 2 || list[0].Number != other.Number {
		t.Fatalf("got %v, %v, want two boards by name", list, err)
	}
	if got, err := again.Board(t.Context(), wall.Number); err != nil || got.By != "bob" || !slices.Equal(got.Tiles, wall.Tiles) || !got.Changed.Equal(wall.Changed) {
		t.Errorf("got %v, %v, want %v", got, err, wall)
	}
	if err := again.RemoveBoard(t.Context(), other.Number); err != nil {
		t.Fatal(err)
	}
	_, found := again.Board(t.Context(), other.Number)
	_, replaced := again.PutBoard(t.Context(), other)
	for _, err := range []error{found, replaced, again.RemoveBoard(t.Context(), other.Number)} {
		if job.ExitOf(err) != job.ExitMissing {
			t.Errorf("a removed board: got %v", err)
		}
	}
	execute(t, path, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO board (name, tiles, changed_by, changed_ms) SELECT 'board ' || i, '[]', '', 0 FROM n`, mostBoards))
	if _, err := s.PutBoard(t.Context(), Board{Name: "one more"}); job.ExitOf(err) != job.ExitUsage {
		t.Errorf("one more than the limit: got %v", err)
	}
}
