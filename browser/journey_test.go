//go:build browser

package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"sledge/internal/testserver"
)

// TestAWholeTest follows README's steps in the browser.
func TestAWholeTest(t *testing.T) {
	t.Parallel()
	do := func(t *testing.T, name string, keyboard bool, database string, of func(s *site) settings) {
		t.Parallel()
		s := newSite(t)
		with := of(s)
		s.start()
		play(t, "journey.mjs", facts{"name": name, "keyboard": keyboard, "link": s.link, "address": s.address, "database": database, "uncounted": database == "SQLite", "options": with}, nil)
	}
	inFile := func(s *site) settings {
		return settings{"file": filepath.Join(s.folder, "t.sqlite")}
	}
	t.Run("postgresql", func(t *testing.T) {
		server := testserver.Open(t, "postgresql")
		do(t, "postgresql", false, "PostgreSQL", func(s *site) settings {
			s.more = []string{"SLEDGE_SUPERUSER_PASSWORD=" + server.Password}
			return settings{"host": server.Host, "port": fmt.Sprint(server.Port), "user": "journey", "dbname": "journey", "password": "journey"}
		})
	})
	t.Run("sqlite", func(t *testing.T) { do(t, "sqlite", false, "SQLite", inFile) })
	t.Run("sqlite by keyboard only", func(t *testing.T) { do(t, "keyboard", true, "SQLite", inFile) })
}
