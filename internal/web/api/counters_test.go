package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// heard is a message of a counter's stream.
type heard struct {
	id   string
	over bool
	news CounterNews
}

// counterEvents follows a counter from the message id from on, and calls each until each returns
// false or the counter has ended.
func (w *world) counterEvents(id, from string, each func(heard) bool) {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+Prefix+"/counters/"+id+"/events", nil)
	if err != nil {
		w.Fatal(err)
	}
	if from != "" {
		request.Header.Set("Last-Event-ID", from)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	var h heard
	for lines.Scan() {
		w.seen.WriteString(lines.Text() + "\n")
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			h.id = value
		case "event":
			h.over = value == "over"
		case "data":
			w.validate("#/components/schemas/api.CounterNews", []byte(value))
			if err := json.Unmarshal([]byte(value), &h.news); err != nil {
				w.Fatal(err)
			}
			if !each(h) || h.over {
				return
			}
			h = heard{}
		}
	}
	w.Fatalf("events of counter %s: the stream ended before the counter did: %v", id, lines.Err())
}

// settingsOf returns the settings for a server, as a request contains them.
func settingsOf(server *testserver.Server, more map[string]string) map[string]string {
	settings := map[string]string{"db": server.Database}
	for name, value := range server.Values() {
		settings[name] = value
	}
	for name, value := range more {
		settings[name] = value
	}
	return settings
}

// count starts a counter and returns its document.
func (w *world) count(settings map[string]string, more string, status int) map[string]any {
	w.Helper()
	text, err := json.Marshal(settings)
	if err != nil {
		w.Fatal(err)
	}
	return w.call("POST", "/counters", fmt.Sprintf(`{"settings": %s%s}`, text, more), status)
}

// The counter counts each transaction of another program, even if the client's connections break,
// and ends at a stop request.
func TestCounter_CountsCommitsOfOtherPrograms(t *testing.T) {
	for name, about := range map[string]string{"postgresql": "in all databases of the server", "mariadb": "of the whole server"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testserver.Open(t, name)
			w := newWorld(t)
			settings := settingsOf(server, map[string]string{"dbname": "postgres"})
			if _, own := settings["superuser_password"]; own {
				settings["password"] = plantedPassword // the password of the schema's owner, which is not needed
			}
			started := w.count(settings, `, "interval_seconds": 1, "all_databases": true`, 201)
			id := started["id"].(string)
			if started["state"] != "counting" || started["unit"] != "TPM" || !strings.Contains(started["counts"].(string), about) || started["interval_seconds"] != 1.0 {
				t.Errorf("got %v, want a counter of %s", started, about)
			}
			plan, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Action: job.Check, Database: name, Workload: "tprocc", Options: option.Values(server.Values())})
			if err != nil {
				t.Fatal(err)
			}
			s, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Admin)
			if err != nil {
				t.Fatal(err)
			}
			const commits = 300
			for range commits {
				for _, statement := range []string{"BEGIN", "SELECT 1", "COMMIT"} {
					if err := s.Exec(t.Context(), statement); err != nil {
						t.Fatal(err)
					}
				}
			}
			s.Close() // a session reports its statistics when it ends at the latest
			var all []CounterLine
			from, readings := "", 0
			for readings < 3 { // the connection breaks after each message
				w.counterEvents(id, from, func(h heard) bool {
					for _, line := range h.news.Lines {
						if len(all) > 0 && line.Sequence != all[len(all)-1].Sequence+1 {
							t.Errorf("line %d came after line %d", line.Sequence, all[len(all)-1].Sequence)
						}
						if all = append(all, line); line.Rate != nil {
							readings++
						}
					}
					from = h.id
					return false
				})
				time.Sleep(300 * time.Millisecond)
			}
			if stopped := w.call("POST", "/counters/"+id+"/stop", "", 202); stopped["id"] != id {
				t.Errorf("got %v", stopped)
			}
			var last heard
			w.counterEvents(id, from, func(h heard) bool {
				all, last = append(all, h.news.Lines...), h
				return true
			})
			var counted int64
			var passed float64
			for _, line := range all {
				if line.Transactions != nil {
					counted, passed = counted+*line.Transactions, passed+line.Elapsed
				}
			}
			if all[0].Event != "begun" || all[len(all)-1].Event != "ended" || counted < commits {
				t.Errorf("got %d transactions in %d lines from %s to %s, want %d at least", counted, len(all), all[0].Event, all[len(all)-1].Event, commits)
			}
			if name == "mariadb" && counted != commits { // other tests have servers of their own
				t.Errorf("got %d transactions, want %d", counted, commits)
			}
			c := last.news.Counter
			if mean := float64(counted) / passed * 60; c.State != "ended" || c.Reason != "it was stopped" || c.Summary.TPM == nil || c.Summary.TPM.Mean < mean*0.999 || c.Summary.TPM.Mean > mean*1.001 {
				t.Errorf("got %+v, want the mean %v of the stopped counter", c, mean)
			}
			if list := w.call("GET", "/counters", "", 200)["counters"].([]any); len(list) != 1 || list[0].(map[string]any)["state"] != "ended" {
				t.Errorf("got %v, want the ended counter", list)
			}
			if strings.Contains(w.seen.String(), plantedPassword) {
				t.Error("a password came back")
			}
		})
	}
}

// On an idle server, the rate is that of the counter's own queries: none on MariaDB, and one at each
// reading on PostgreSQL.
func TestCounter_KnowsItsOwnShare(t *testing.T) {
	for name, own := range map[string]float64{"postgresql": 60, "mariadb": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testserver.Open(t, name, testserver.Own())
			w := newWorld(t)
			id := w.count(settingsOf(server, map[string]string{"dbname": "postgres"}), `, "interval_seconds": 1, "all_databases": true`, 201)["id"].(string)
			const begins, lasts = 3, 12 // the first readings include log-ins and a search for the schema
			from := ""
			var all []float64
			for len(all) < lasts {
				w.counterEvents(id, from, func(h heard) bool {
					for _, line := range h.news.Lines {
						if line.Rate != nil {
							all = append(all, *line.Rate)
						}
					}
					if h.news.Counter.OwnRate != own {
						t.Errorf("got the own rate %v, want %v", h.news.Counter.OwnRate, own)
					}
					from = h.id
					return false
				})
			}
			sum := 0.0
			for _, rate := range all[begins:] {
				sum += rate
			}
			// The server's own processes do a few transactions, too, and its counts are late.
			if mean := sum / float64(len(all)-begins); mean < own*0.7 || mean > own*1.5+10 {
				t.Errorf("got the rates %v with the mean %.0f, want about %v", all, mean, own)
			}
		})
	}
}

// The counter waits for a server that stops responding, and no rate includes the time without a
// response.
func TestCounter_ContinuesWhenTheServerIsBack(t *testing.T) {
	server := testserver.Open(t, "postgresql", testserver.Own())
	w := newWorld(t)
	id := w.count(settingsOf(server, map[string]string{"dbname": "postgres"}), `, "interval_seconds": 1`, 201)["id"].(string)
	until := func(state string) {
		t.Helper()
		w.counterEvents(id, "", func(h heard) bool {
			return h.news.Counter.State != state || state == counterCounting && h.news.Counter.Summary.TimesAway == 0
		})
	}
	server.Stop(testserver.Immediate)
	until(counterAway)
	server.Start()
	until(counterCounting)
	w.counterEvents(id, "", func(h heard) bool {
		events := ""
		for _, line := range h.news.Lines {
			events += " " + line.Event
			if line.Event == "away" && line.Error == "" || line.Event == "back" && line.Rate != nil {
				t.Errorf("got %+v", line)
			}
		}
		if !strings.Contains(events, "away back") {
			t.Errorf("got the lines%s, want the server away and back", events)
		}
		return false
	})
}

func TestCounter_NamesTheReasonIfItCannotBegin(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "t.sqlite")
	for _, test := range []struct {
		settings map[string]string
		more     string
		status   int
		want     string
	}{
		{map[string]string{"db": "sqlite", "file": file}, "", 422, "does not count its transactions"},
		{map[string]string{"db": "pg", "host": "127.0.0.1", "port": "1", "password": plantedPassword}, "", 409, "127.0.0.1"},
		{map[string]string{"db": "pg"}, `, "interval_seconds": 0.5`, 422, "interval_seconds"},
		{map[string]string{"db": "pg"}, `, "interval_seconds": 10, "length_seconds": 5`, 422, "there would be no rate"},
		{map[string]string{"db": "pg", "port": "many"}, "", 422, "not a whole number"},
		{map[string]string{}, "", 422, "choose a database"},
	} {
		if got := w.count(test.settings, test.more, test.status)["detail"].(string); !strings.Contains(got, test.want) {
			t.Errorf("%v%s: got %q, want %q", test.settings, test.more, got, test.want)
		}
	}
	w.call("GET", "/counters/nosuch", "", 404)
	w.call("GET", "/counters/nosuch/events", "", 404)
	w.call("POST", "/counters/nosuch/stop", "", 404)
	if list := w.call("GET", "/counters", "", 200)["counters"].([]any); len(list) > 0 {
		t.Errorf("got %v, want no counter, because none began", list)
	}
	if strings.Contains(w.seen.String(), plantedPassword) {
		t.Error("a password came back")
	}
}

// A counter without followers ends, the number of counters is limited, and they end with the program.
func TestCounters_AreLimited(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	w := newWorld(t)
	settings := settingsOf(server, map[string]string{"dbname": "sledge_nosuch"})
	if got := w.count(settings, "", 404)["detail"].(string); !strings.Contains(got, "count all databases") {
		t.Errorf("got %q, want the remedy", got)
	}
	settings["dbname"] = "postgres"
	if ended := w.ended(w.count(settings, `, "interval_seconds": 1, "length_seconds": 1`, 201)["id"].(string)); ended.Reason != "its time was over" || ended.Summary.Intervals != 1 {
		t.Errorf("got %+v, want one interval", ended)
	}
	keep := func(long time.Duration) {
		w.api.counters.kept = long
	}
	keep(time.Second)
	left := w.count(settings, "", 201)["id"].(string)
	c, err := w.api.counters.findCounter(left) // a request to the API would count as a follower
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !c.IsOver(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a counter without followers continues")
		}
	}
	if ended := w.ended(left); ended.Reason != "it had no followers for 1 s" {
		t.Errorf("got %+v, want it to have ended", ended)
	}
	keep(counterKept)
	var ids []string
	for range mostCounters {
		ids = append(ids, w.count(settings, "", 201)["id"].(string))
	}
	w.count(settings, "", 429)
	w.api.Interrupt()
	for _, id := range ids {
		if ended := w.ended(id); ended.Reason != programEnded {
			t.Errorf("got %+v, want it to have ended with the program", ended)
		}
	}
	w.count(settings, "", 503)
	for _, c := range w.api.counters.list.All() {
		c.mu.Lock()
		kept := c.counter.Plan.Connection
		c.mu.Unlock()
		if kept != nil {
			t.Error("an ended counter keeps its connection's password")
		}
	}
}

// ended waits until a counter has ended, and returns its state.
func (w *world) ended(id string) (c Counter) {
	w.Helper()
	w.counterEvents(id, "", func(h heard) bool { c = h.news.Counter; return true })
	return c
}
