//go:build browser

package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"sledge/internal/testserver"
)

// TestJobPage_KeepsWhatItsReaderDoes watches a run until it has ended.
func TestJobPage_KeepsWhatItsReaderDoes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.addUser("ann", "act")
	ci := s.as("ci", "act")
	s.start()
	shop := settings{"db": "sqlite", "dbname": filepath.Join(s.folder, "shop.sqlite")}
	if got := ci.finish(ci.begin("build", shop)); got != "succeeded" {
		t.Fatalf("the build ended as %s", got)
	}
	shop["users"], shop["rampup"], shop["duration"] = 2, "0s", "3s"
	earlier := ci.begin("run", shop, facts{"labels": map[string]string{"kernel": "6.11"}})
	ci.finish(earlier)
	shop["rampup"], shop["duration"] = "2s", "50s"
	run := ci.begin("run", shop)
	ci.measuring(run)
	play(t, "live.mjs", facts{"address": s.address, "earlier": earlier, "run": run}, nil)
}

// TestStart_LeadsToAFirstNumber begins with an empty repository, and a server without a database.
func TestStart_LeadsToAFirstNumber(t *testing.T) {
	t.Parallel()
	server := testserver.Open(t, "postgresql")
	s := newSite(t)
	s.start()
	play(t, "first.mjs", facts{
		"link": s.link, "address": s.address,
		"postgresql": settings{"host": server.Host, "port": fmt.Sprint(server.Port), "superuser_password": server.Password},
	}, nil)
}
