//go:build browser

package browser

import (
	"maps"
	"net/http"
	"path/filepath"
	"testing"

	"sledge/internal/testserver"
)

// TestPages_AreAccessible checks each page of the application with data, and fails if there
// is a page that it does not check.
func TestPages_AreAccessible(t *testing.T) {
	t.Parallel()
	server := testserver.Open(t, "postgresql")
	s := newSite(t)
	s.more = []string{"SLEDGE_SUPERUSER_PASSWORD=" + server.Password}
	s.addUser("ann", "own")
	ci := s.as("ci", "own")
	s.start()
	with := func(one, more settings) settings {
		all := maps.Clone(one)
		maps.Copy(all, more)
		return all
	}
	shop := settings{"db": "pg", "host": server.Host, "port": server.Port, "user": "shop", "dbname": "shop", "password": "shop"}
	rows := settings{"db": "sqlite", "workload": "tproch", "dbname": filepath.Join(s.folder, "rows.sqlite")}
	job := func(action string, of settings, more ...facts) string {
		id := ci.begin(action, of, more...)
		ci.finish(id)
		return id
	}
	run := func(users int, more ...facts) string {
		return job("run", with(shop, settings{"users": users, "rampup": "0s", "duration": "1s"}), more...)
	}

	var files, counter struct{ ID string }
	ci.wants(http.StatusCreated, "POST", "/datagen", facts{"folder": "rows", "settings": settings{"db": "pg", "workload": "tproch", "scale": 0.01}, "format": "csv"}, &files)
	jobs := facts{
		"build":  job("build", shop, facts{"note": "before the upgrade"}),
		"check":  job("check", shop),
		"failed": job("run", with(shop, settings{"dbname": "nosuch"})),
	}
	runs := []string{run(1, facts{"profile": 1}), run(2, facts{"profile": 1})}
	run(1, facts{"profile": 2, "labels": map[string]string{"kernel": "6.12", "experiment": "scaling"}})
	jobs["run"] = runs[1]
	job("build", with(rows, settings{"scale": 0.01}))
	jobs["queries"] = job("run", rows)
	jobs["delete"] = job("delete", rows, facts{"confirm": rows["dbname"]})
	hook := facts{"events": []string{"failed", "missed"}, "webhook": facts{"url": "http://127.0.0.1:9/", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}}
	ci.wants(http.StatusOK, "PUT", "/notices/receivers/hook", hook, nil)
	ci.wants(http.StatusOK, "POST", "/notices/receivers/hook/test", nil, nil) // nothing listens there
	const script = "first.tcl"
	ci.wants(http.StatusOK, "PUT", "/scripts/"+script, facts{"text": "# What the answer is.\nputs [expr {6 * 7}]\n"}, nil)
	live := ci.begin("run", with(shop, settings{"users": 2, "rampup": "0s", "duration": "10m"}))
	ci.wants(http.StatusCreated, "POST", "/counters", facts{"settings": shop, "interval_seconds": 1}, &counter)
	ci.measuring(live)

	play(t, "pages.mjs", facts{
		"address": s.address, "runs": runs, "live": live, "jobs": jobs,
		"counter": counter.ID, "files": files.ID, "script": script,
	}, nil)
}
