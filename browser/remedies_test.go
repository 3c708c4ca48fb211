//go:build browser

package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"sledge/internal/testserver"
)

// TestRemedies_LeadOutOfFailures fails on purpose, and follows the buttons out of it.
func TestRemedies_LeadOutOfFailures(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		s.start()
		play(t, "remedies.mjs", facts{
			"name": "sqlite", "link": s.link, "address": s.address, "database": "SQLite", "missing": "no such database yet",
			"options": settings{"file": filepath.Join(s.folder, "t.sqlite")}, "other": settings{"file": filepath.Join(s.folder, "u.sqlite")},
		}, nil)
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		server := testserver.Open(t, "postgresql")
		s := newSite(t)
		s.more = []string{"SLEDGE_SUPERUSER_PASSWORD=" + server.Password}
		s.start()
		play(t, "remedies.mjs", facts{
			"name": "postgresql", "link": s.link, "address": s.address, "database": "PostgreSQL", "missing": "no such database yet", "password_of": "password",
			"options": settings{"host": server.Host, "port": fmt.Sprint(server.Port), "user": "remedies", "dbname": "remedies", "password": "remedies"},
			"other":   settings{"dbname": "remedies2"},
		}, nil)
	})
}
