//go:build browser

package browser

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"testing"

	"sledge/internal/testserver"
)

// TestPictures makes the pictures of the manual, from real jobs.
func TestPictures(t *testing.T) {
	folder := os.Getenv("SLEDGE_BROWSER_PICTURES")
	if folder == "" {
		t.Skip("make pictures does this")
	}
	server := testserver.Open(t, "postgresql", testserver.Setting("shared_buffers=256MB"), testserver.Setting("fsync=on"))
	s := newSite(t)
	s.more = []string{"SLEDGE_SUPERUSER_PASSWORD=" + server.Password}
	ci := s.as("ci", "act")
	s.addUser("ann", "act")
	s.start()
	shop := func(more settings) settings {
		all := settings{"db": "pg", "host": server.Host, "port": server.Port, "user": "shop", "dbname": "shop", "password": "shop"}
		maps.Copy(all, more)
		return all
	}
	job := func(action string, more settings, others ...facts) string {
		id := ci.begin(action, shop(more), others...)
		ci.finish(id)
		return id
	}
	job("build", settings{"warehouses": 4, "builders": 2}, facts{"note": "before the upgrade"})
	job("check", nil)
	for n := range 2 {
		for _, users := range []int{1, 2, 4, 8} {
			job("run", settings{"users": users, "rampup": "1s", "duration": "5s"}, facts{"profile": n + 1, "labels": map[string]string{"kernel": fmt.Sprintf("6.%d", 11+n)}})
		}
	}
	run := job("run", settings{"users": 4, "rampup": "5s", "duration": "30s"}, facts{"note": "with huge pages", "labels": map[string]string{"ticket": "4711"}})
	job("run", settings{"dbname": "nosuch", "users": 4})
	stopped := ci.begin("run", shop(settings{"users": 2, "rampup": "0s", "duration": "10m"}))
	ci.measuring(stopped)
	ci.wants(http.StatusAccepted, "POST", "/jobs/"+stopped+"/stop", nil, nil)
	ci.finish(stopped)

	const script = "first.tcl"
	text := fmt.Sprintf(`# Two virtual users, for five seconds.
dbset db pg
dbset bm TPC-C
diset connection pg_host %s
diset connection pg_port %d
diset tpcc pg_user shop
diset tpcc pg_dbase shop
diset tpcc pg_pass shop
diset tpcc pg_driver timed
diset tpcc pg_rampup 0
diset tpcc pg_duration 5s
loadscript
vuset vu 2
vucreate
vurun
vudestroy
`, server.Host, server.Port)
	ci.wants(http.StatusOK, "PUT", "/scripts/"+script, facts{"text": text}, nil)
	live := ""
	play(t, "pictures.mjs", facts{
		"address": s.address, "pictures": folder, "run": run, "script": script, "database": "PostgreSQL",
		"options": settings{"host": server.Host, "port": fmt.Sprint(server.Port), "user": "shop", "dbname": "shop", "password": "shop", "warehouses": "4", "rampup": "5s", "duration": "30s"},
	}, deeds{
		"run": func() {
			live = ci.begin("run", shop(settings{"users": 8, "rampup": "8s", "duration": "5m"}))
			ci.measuring(live)
		},
		"stop": func() {
			ci.wants(http.StatusAccepted, "POST", "/jobs/"+live+"/stop", nil, nil)
			ci.finish(live)
		},
	})
}
