//go:build browser

package browser

import (
	"os"
	"testing"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/repository/repositorytest"
)

// TestSpeed_OfPages opens pages with a repository as large as a team's after years.
// Its time limits apply only to a machine without other work.
func TestSpeed_OfPages(t *testing.T) {
	if os.Getenv("SLEDGE_BROWSER_SPEED") == "" {
		t.Skip("make bench-pages does this")
	}
	s := newSite(t)
	store, err := repository.Open(s.repository())
	if err != nil {
		t.Fatal(err)
	}
	like := []job.Spec{{Database: "postgresql", Workload: "tprocc"}, {Database: "mariadb", Workload: "tprocc"}, {Database: "sqlite", Workload: "tproch"}}
	if err := repositorytest.Jobs(t.Context(), store, like, 5000); err != nil {
		t.Fatal(err)
	}
	day, err := repositorytest.Day(t.Context(), store, like[0], 86_400)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	s.start()
	play(t, "speed.mjs", facts{"link": s.link, "address": s.address, "day": day}, nil)
}
