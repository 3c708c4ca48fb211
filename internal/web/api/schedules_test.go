package api

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/schedule"
	"sledge/internal/testserver"
)

// scheduled saves a set-up, and returns its number.
func (w *world) scheduled(body string) any {
	w.Helper()
	return w.call("POST", "/setups", body, 201)["id"]
}

func TestSchedules_StartSetupsAtTheirTime(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "tpcc.sqlite")
	setup := w.scheduled(fmt.Sprintf(`{"name": "build it", "action": "check", "settings": {"db": "sqlite", "dbname": %q}}`, file))
	w.api.Schedule()
	once := w.call("POST", "/schedules", fmt.Sprintf(`{"setup": %v, "at": %q}`, setup, time.Now().Add(300*time.Millisecond).Format(time.RFC3339Nano)), 201)
	if once["next"] == nil || once["at"] != once["next"] {
		t.Errorf("got %v", once)
	}
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		list := w.call("GET", "/schedules", "", 200)
		one := list["schedules"].([]any)[0].(map[string]any)
		if last, _ := one["last"].(map[string]any); last != nil && last["outcome"] == "started" {
			if one["enabled"] != false || one["next"] != nil || list["starts"] != true {
				t.Errorf("got %v, want that it is off", list)
			}
			id := fmt.Sprint(last["job"])
			if j := w.call("GET", "/jobs/"+id, "", 200); fmt.Sprint(j["labels"]) != "map[schedule:build it]" {
				t.Errorf("got the labels %v", j["labels"])
			}
			w.end(id)
			break
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("no job has started: %v", list)
		}
	}
	if starts := w.call("GET", fmt.Sprintf("/schedules/%v/starts", once["id"]), "", 200)["starts"].([]any); len(starts) != 1 {
		t.Errorf("got %v, want one start", starts)
	}
}

func TestSchedules_CheckTimes(t *testing.T) {
	w := newWorld(t)
	setup := w.scheduled(`{"name": "x", "action": "run", "settings": {"db": "sqlite", "dbname": "x.sqlite", "users": "1,2"}}`)
	for times, want := range map[string]string{
		``:                       "give either cron",
		`, "cron": "0 2 * *"`:    "cron: write minute",
		`, "cron": "0 0 31 2 *"`: "no such time",
		`, "cron": "0 2 * * *", "zone": "Mars/Olympus"`:       "no time zone",
		`, "cron": "0 2 * * *", "at": "2099-01-01T00:00:00Z"`: "give either cron",
		`, "at": "2001-01-01T00:00:00Z"`:                      "has passed",
	} {
		if p := w.call("POST", "/schedules", fmt.Sprintf(`{"setup": %v%s}`, setup, times), 422); !strings.Contains(fmt.Sprint(p["detail"]), want) {
			t.Errorf("%s: got %v, want %s", times, p["detail"], want)
		}
	}
	w.call("POST", "/schedules", `{"setup": 99, "cron": "0 2 * * *"}`, 404)
	one := w.call("POST", "/schedules", fmt.Sprintf(`{"setup": %v, "cron": "0  2 * * *", "zone": "Asia/Tokyo"}`, setup), 201)
	at := fmt.Sprint("/schedules/", one["id"])
	if next := fmt.Sprint(one["next"]); !strings.HasSuffix(next, "T17:00:00Z") || one["cron"] != "0 2 * * *" {
		t.Errorf("got %v, want 02:00 in Tokyo", one)
	}
	w.call("DELETE", fmt.Sprint("/setups/", setup), "", 409)
	if off := w.call("PATCH", at, `{"enabled": false}`, 200); off["enabled"] != false || off["next"] != nil || off["cron"] != "0 2 * * *" {
		t.Errorf("got %v", off)
	}
	if on := w.call("PATCH", at, `{"enabled": true}`, 200); on["next"] != one["next"] {
		t.Errorf("got %v, want the next start %v", on, one["next"])
	}
	if moved := w.call("PATCH", at, `{"cron": "30 3 * * 0"}`, 200); !strings.HasSuffix(fmt.Sprint(moved["next"]), "T03:30:00Z") || moved["zone"] != "UTC" {
		t.Errorf("got %v", moved)
	}
	if d := w.call("GET", "/schedules/times?zone=Europe%2FBerlin&cron="+url.QueryEscape("*/5 * * * *"), "", 200); len(d["times"].([]any)) != 5 {
		t.Errorf("got %v", d)
	}
	w.call("GET", "/schedules/times?cron=x", "", 422)
	if list := w.call("GET", "/schedules", "", 200); list["starts"] != false {
		t.Errorf("got %v, want that this server starts none", list)
	}
	w.raw("DELETE", at, "", 204)
	w.call("PATCH", at, `{"enabled": false}`, 404)
	w.call("GET", at+"/starts", "", 404)
}

// The reasons for which a start that is due is not tried.
func TestSchedules_MissStarts(t *testing.T) {
	w := newWorld(t)
	setup := w.scheduled(`{"name": "x", "action": "run", "settings": {"db": "pg", "host": "127.0.0.1", "port": 1}}`)
	w.call("POST", "/schedules", fmt.Sprintf(`{"setup": %v, "cron": "0 2 * * *"}`, setup), 201) // that server cannot refuse a password
	one, err := w.api.Store.Schedule(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	missed := func(want string) {
		t.Helper()
		_, err := w.api.schedules.start(t.Context(), one)
		if _, is := err.(*schedule.MissedError); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	one.Owner = "ann"
	w.api.Users = func() (Users, error) { return Users{Users: []User{{Name: "ann", Role: "look"}}}, nil }
	missed("ann, who owns the schedule, may not start jobs any more")
	w.api.Users = func() (Users, error) { return Users{Users: []User{{Name: "bob", Role: "act"}}}, nil }
	missed("ann, who owns the schedule, may not start jobs any more")
	w.api.Users = func() (Users, error) { return Users{Users: []User{{Name: "ann", Role: "own"}}}, nil }
	order, err := w.api.resolve(Wanted{Action: job.Check, Settings: map[string]Value{"db": "pg", "host": "127.0.0.1", "port": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.api.Store.Begin(t.Context(), order.Spec, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	missed("job " + string(r.ID()) + " was running on the same database")
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.schedules.start(t.Context(), one); err != nil {
		t.Errorf("got %v, want a job, which will not reach the server", err)
	}
}

func TestSchedules_RefuseTypedPasswords(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	w := newWorld(t)
	w.api.Connections = w.api.Resolver.ConnectionsIn(filepath.Dir(w.path))
	values := server.Values()
	account := fmt.Sprintf(`"host": %q, "port": %q, "ssl_mode": %q, "user": %q`, values["host"], values["port"], values["ssl_mode"], values["superuser"])
	run := func(name, settings string) string {
		return fmt.Sprintf(`{"setup": %v, "cron": "0 2 * * *"}`, w.scheduled(fmt.Sprintf(`{"name": %q, "action": "run", "settings": {%s}}`, name, settings)))
	}
	p := w.call("POST", "/schedules", run("typed", `"db": "pg", `+account), 422)
	if !strings.Contains(fmt.Sprint(p["detail"]), "Save a connection with the right password") {
		t.Errorf("got %v, want the way out", p["detail"])
	}
	w.call("PUT", "/connections/lab", fmt.Sprintf(`{"database": "pg", "values": {%s, "password": %q}, "keep_password": true}`, account, values["superuser_password"]), 200)
	w.call("POST", "/schedules", run("saved", `"connection": "lab"`), 201)
	w.call("PUT", "/connections/lab", fmt.Sprintf(`{"database": "pg", "values": {%s}}`, account), 200)
	w.call("PATCH", "/schedules/1", `{"enabled": true}`, 422)
	w.call("PATCH", "/schedules/1", `{"enabled": false}`, 200)
}
