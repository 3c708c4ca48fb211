package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

func TestRun_IsInvalidIfItsFileIsReplaced(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(path string) error
		want   string // "" for a valid run
	}{
		{"it stays", func(string) error { return nil }, ""},
		{"it is removed", os.Remove, "the database's file was removed while virtual users worked"},
		{"another file replaces it", func(path string) error {
			return os.Rename(path+".new", path)
		}, "was replaced by another while virtual users worked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tpcc.db")
			for _, name := range []string{path, path + ".new"} {
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Test(t, func(t *testing.T) {
				p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second})
				p.Database.Options.File = func(any) string { return path }
				time.AfterFunc(time.Second, func() {
					if err := tt.change(path); err != nil {
						t.Error(err)
					}
				})
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
				if tt.want == "" && err != nil || tt.want != "" && (result.Status != job.Invalid || !strings.Contains(err.Error(), tt.want)) {
					t.Errorf("got status %s and %v, want %q", result.Status, err, tt.want)
				}
			})
		})
	}
}
