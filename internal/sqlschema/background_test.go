package sqlschema_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/testserver"
)

func TestBackground_NamesCheckpointsAndVacuums(t *testing.T) {
	for _, version := range []string{"15", "18"} {
		t.Run(version, func(t *testing.T) {
			server := testserver.Open(t, "postgresql", testserver.Version(version))
			p := planOf(t, "postgresql", server)
			monitor, other := opened(t, p), opened(t, p)
			texts := func(prefix string) (list []string) {
				found, err := p.Server.Background(t.Context(), monitor)
				if err != nil {
					t.Fatal(err)
				}
				for _, work := range found {
					if strings.HasPrefix(work.ID, prefix) {
						list = append(list, work.ID, work.Began, work.Ended)
					}
				}
				return list
			}
			before := texts("checkpoint ")
			if err := other.Exec(t.Context(), "CHECKPOINT"); err != nil {
				t.Fatal(err)
			}
			after := texts("checkpoint ")
			if len(before) != 3 || len(after) != 3 || after[0] == before[0] || !strings.HasPrefix(after[1], "A checkpoint ended, ") || after[2] != "" {
				t.Errorf("got %q, and %q after a checkpoint, want another one", before, after)
			}

			for _, text := range []string{
				"DROP TABLE IF EXISTS swept", "CREATE TABLE swept AS SELECT g AS n FROM generate_series(1, 100000) g",
				"SET vacuum_cost_delay = '10ms'", "SET vacuum_cost_limit = 1",
			} {
				if err := other.Exec(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan bool)
			go func() {
				_ = other.Exec(ctx, "VACUUM swept") // it is aborted
				done <- true
			}()
			works := func(want bool) (vacuums []string) {
				for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
					if vacuums = texts("vacuum "); slices.Contains(vacuums, "A vacuum works on swept") == want {
						return vacuums
					}
				}
				t.Errorf("got the vacuums %q for 10 s, want that of swept to be there: %t", vacuums, want)
				return vacuums
			}
			if vacuums := works(true); !slices.Contains(vacuums, "The vacuum of swept ended") {
				t.Errorf("got %q while a vacuum works, want what to say at its end", vacuums)
			}
			stop()
			<-done
			works(false)
			if err := opened(t, p).Exec(t.Context(), "DROP TABLE swept"); err != nil {
				t.Error(err)
			}
		})
	}
}
