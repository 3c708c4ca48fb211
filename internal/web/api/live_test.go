package api

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/meter"
	"sledge/internal/repository"
	"sledge/internal/repository/repositorytest"
	"sledge/internal/settings"
)

// looked is the state of a job as a page has it.
type looked struct {
	points   []live.Point
	messages int
	whole    int // number of messages with all points
	first    Live
	last     Live
	over     job.Status
	raw      []string // messages, to be validated against the description
}

// lookAt follows a job, and loses the connection after every size messages. Any goroutine may call
// it.
func lookAt(url, id string, size int) (all looked, err error) {
	from := ""
	for all.over == "" && err == nil {
		from, err = all.piece(url, id, from, size)
	}
	return all, err
}

// piece follows a job until it loses the connection, and returns the id of the last message.
func (l *looked) piece(url, id, from string, size int) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+Prefix+"/jobs/"+id+"/live", nil)
	if err != nil {
		return from, err
	}
	if from != "" {
		request.Header.Set("Last-Event-ID", from)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return from, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	name := ""
	for n := 0; lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case field == "id":
			from, name = value, ""
		case field == "event":
			name = value
		case field == "data" && name == "over":
			var over struct{ Status job.Status }
			err := json.Unmarshal([]byte(value), &over)
			l.over = over.Status
			return from, err
		case field == "data":
			l.messages++
			l.raw = append(l.raw, value)
			l.last = Live{}
			if err := json.Unmarshal([]byte(value), &l.last); err != nil {
				return from, err
			}
			if l.messages == 1 {
				l.first = l.last
			}
			if l.last.PointsFrom > len(l.points) {
				return from, fmt.Errorf("got points from %d on, but has only %d", l.last.PointsFrom, len(l.points))
			}
			if l.last.PointsFrom == 0 && len(l.last.Points) > 1 {
				l.whole++
			}
			l.points = append(l.points[:l.last.PointsFrom:l.last.PointsFrom], l.last.Points...)
			if n++; n == size {
				return from, nil
			}
		}
	}
	return from, fmt.Errorf("the stream ended before the job was over: %w", lines.Err())
}

// lookers follows a running job three times: without a break, with a connection that breaks
// repeatedly, and through another program with the same repository. wait returns the state of each.
func (w *world) lookers(id string) (wait func() []looked) {
	store, err := repository.Open(w.path)
	if err != nil {
		w.Fatal(err)
	}
	other := New(Config{Resolver: w.api.Resolver, Runner: w.api.Runner, Store: store, Say: func(line string) { w.Errorf("the other API says %s", line) }})
	server := httptest.NewServer(other)
	kept, failed := make([]looked, 3), make([]error, 3)
	var looking sync.WaitGroup
	for i, at := range []struct {
		url  string
		size int
	}{{w.url, 0}, {w.url, 2}, {server.URL, 0}} {
		looking.Go(func() { kept[i], failed[i] = lookAt(at.url, id, at.size) })
	}
	return func() []looked {
		looking.Wait()
		server.CloseClientConnections()
		other.Close()
		server.Close()
		if err := store.Close(); err != nil {
			w.Error(err)
		}
		for i, l := range kept {
			if failed[i] != nil {
				w.Errorf("looker %d: %v", i, failed[i])
			}
			for _, text := range l.raw {
				w.seen.WriteString(text)
				w.validate("#/components/schemas/api.Live", []byte(text))
			}
		}
		return kept
	}
}

// checkLooked compares the states that lookers returned with the seconds of the run.
func (w *world) checkLooked(kept []looked, seconds int) {
	w.Helper()
	for i, l := range kept {
		if len(l.points) != seconds || l.over != job.Succeeded {
			w.Errorf("looker %d has %d points, and the run %s, want %d", i, len(l.points), l.over, seconds)
			continue
		}
		for n, p := range l.points {
			// The repository records the end of a second in whole milliseconds.
			if q := kept[0].points[n]; *p.Client != *q.Client || p.Phase != q.Phase || !slices.Equal(p.Cells, q.Cells) {
				w.Errorf("looker %d has the point %+v, and the first one %+v", i, p, q)
			}
		}
		if here := i < 2; l.first.Here != here || strings.Contains(l.first.Elsewhere, "Another program") == here || l.first.Job == nil {
			w.Errorf("looker %d got elsewhere %q and here %v", i, l.first.Elsewhere, l.first.Here)
		}
		if metrics := l.last.Part; metrics == nil || len(metrics.Metrics) != 2 || metrics.Metrics[0].Value <= 0 {
			w.Errorf("looker %d has the figures %+v, want the workload's two by the client's count", i, metrics)
		}
	}
	if kept[0].whole > 1 || kept[1].whole > 1 {
		w.Errorf("the looker with a broken connection got all points %d times, want only new points", kept[1].whole)
	}
}

// slowRunner is a job.Runner of a run without transactions, which ends when the channel is closed.
type slowRunner chan struct{}

func (r slowRunner) Do(_ context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	tell := func(e job.Event) {
		for _, w := range control.Watchers {
			w.Watch(e)
		}
	}
	tell(job.Event{User: job.Monitor, Facts: &job.Facts{}})
	for n := job.FirstWorker; n <= spec.Users+1; n++ {
		tell(job.Event{User: n, State: job.UserRunning})
		tell(job.Event{User: n, Message: fmt.Sprintf("%d is here", n)})
	}
	i := meter.NewInterval(5)
	tell(job.Event{User: job.Monitor, Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: 1}, Measured: i.Cut(time.Second)}})
	<-r
	return job.Result{Status: job.Succeeded, Extent: job.Extent{Started: time.Now()}}, nil
}

func TestUsers_ReturnsTheRequestedPartOfTenThousand(t *testing.T) {
	w := newWorld(t)
	end := make(slowRunner)
	w.api.Runner = end
	w.api.Resolver = settings.Resolver{Catalog: edition.Catalog}
	id := w.start(map[string]any{"action": "run", "settings": map[string]any{"db": "sqlite", "dbname": "none", "users": 10000}})
	var page live.Some
	for deadline := time.Now().Add(time.Minute); page.Counts == nil || page.Counts[1] < 10000; {
		if time.Now().After(deadline) {
			t.Fatalf("got %v, want 10,000 running virtual users", page.Counts)
		}
		text := w.raw("GET", "/jobs/"+id+"/users?from=5000&limit=30", "", 200)
		page = live.Some{}
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatal(err)
		}
		if len(text) > 8<<10 {
			t.Fatalf("30 virtual users take %d bytes", len(text))
		}
	}
	if page.Total != 10001 || len(page.Users) != 30 || page.Users[0].User != 5001 || page.Users[0].Lines[1] != "5001 is here" {
		t.Errorf("got %d of %d, from %+v on", len(page.Users), page.Total, page.Users[0])
	}
	if found := w.call("GET", "/jobs/"+id+"/users?text=9876&state=running", "", 200); found["matching"] != 1.0 {
		t.Errorf("got %v, want only user 9876", found)
	}
	w.refuses("GET", "/jobs/"+id+"/users?state=asleep", 422, "")
	close(end)
	all, err := lookAt(w.url, id, 0)
	if err != nil || all.over != job.Succeeded {
		t.Errorf("got %s, %v", all.over, err)
	}
	for _, text := range all.raw {
		if w.validate("#/components/schemas/api.Live", []byte(text)); len(text) > 16<<10 {
			t.Errorf("a message has %d bytes: it must not grow with the number of virtual users", len(text))
		}
	}
	if w.api.Close(); len(w.api.views.byJob) > 1 {
		t.Error("there is more than one view of a job")
	}
}

// A client that follows one job after another must not make the server keep all of them in memory.
func TestLive_FollowsFewJobsWithoutClients(t *testing.T) {
	w := newWorld(t)
	spec := job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc", Users: 1, Seed: 1}
	if err := repositorytest.Jobs(context.Background(), w.api.Store, []job.Spec{spec}, 3*mostLeft); err != nil {
		t.Fatal(err)
	}
	jobs, err := w.api.Store.List(context.Background(), repository.Query{})
	if err != nil || len(jobs) < 3*mostLeft {
		t.Fatalf("got %d jobs and %v", len(jobs), err)
	}
	looking := w.api.views.viewOf(jobs[0])
	for _, j := range jobs {
		w.call("GET", "/jobs/"+string(j.ID)+"/users", "", 200)
	}
	w.api.views.mu.Lock()
	defer w.api.views.mu.Unlock()
	if len(w.api.views.byJob) != mostLeft+1 || w.api.views.byJob[jobs[0].ID] != looking || w.api.views.byJob[jobs[len(jobs)-1].ID] == nil {
		t.Errorf("%d jobs are followed, want the one with a client and the last %d", len(w.api.views.byJob), mostLeft)
	}
}

// After an error of the repository, a page that asks every two seconds must get the job again.
func TestLive_BeginsAgainAfterFailure(t *testing.T) {
	w := newWorld(t)
	w.api.Say = func(line string) {
		if !strings.Contains(line, "the repository is busy") {
			t.Errorf("the API says %s", line)
		}
	}
	end := make(slowRunner)
	w.api.Runner = end
	id := w.start(map[string]any{"action": "run", "settings": map[string]any{"db": "sqlite", "dbname": "none", "users": 2}})
	j, err := w.api.Store.Get(context.Background(), job.ID(id))
	if err != nil {
		t.Fatal(err)
	}
	for _, ask := range []func() error{
		func() error { _, err := lookAt(w.url, id, 1); return err },
		func() error { w.raw("GET", "/jobs/"+id+"/users", "", 500); return nil },
	} {
		v := w.api.views.viewOf(j)
		v.mu.Lock()
		v.failed = errors.New("the repository is busy")
		v.mu.Unlock()
		if err := ask(); err != nil && !strings.Contains(err.Error(), "ended before") {
			t.Error(err)
		}
		v.leave()
		if again := w.api.views.viewOf(j); again == v {
			t.Error("the failed view is shown again")
		} else {
			again.leave()
		}
	}
	close(end)
	if all, err := lookAt(w.url, id, 0); err != nil || all.over != job.Succeeded {
		t.Errorf("got %s, %v", all.over, err)
	}
}

// If the end of a job cannot be recorded, the repository still lists it as running. Its followers
// learn of the end nevertheless, and do not wait forever.
func TestFollowers_LearnOfUnrecordedEnd(t *testing.T) {
	w := newWorld(t)
	said := make(chan string, 1)
	w.api.Say = func(line string) { said <- line }
	end := make(slowRunner)
	w.api.Runner = end
	id := w.start(map[string]any{"action": "run", "settings": map[string]any{"db": "sqlite", "dbname": "none", "users": 1}})
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	over := make(chan looked, 1)
	go func() {
		all, err := lookAt(w.url, id, 0)
		if err != nil {
			t.Error(err)
		}
		over <- all
	}()
	if _, err := db.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE UPDATE OF ended_ms ON job BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"); err != nil {
		t.Fatal(err)
	}
	close(end)
	if line := <-said; !strings.Contains(line, id) || !strings.Contains(line, "the disk is full") {
		t.Errorf("the API says %s", line)
	}
	if status := w.end(id); status == job.Running || status == "" {
		t.Errorf("the stream of events ends with a job in state %q", status)
	}
	if all := <-over; all.over == job.Running || all.over == "" {
		t.Errorf("the view ends with a job in state %q", all.over)
	}
}

// Requests may arrive while the program ends. Work that they start must not continue after Close.
func TestClose_NothingBeginsAfterIt(t *testing.T) {
	w := newWorld(t)
	spec := job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc", Users: 1, Seed: 1}
	if err := repositorytest.Jobs(context.Background(), w.api.Store, []job.Spec{spec}, 1); err != nil {
		t.Fatal(err)
	}
	w.api.Close()
	w.refuses("GET", "/jobs/last/users", http.StatusServiceUnavailable, "ending")
	w.refusesBody("POST", "/jobs", `{"action": "run", "settings": {"db": "sqlite"}}`, http.StatusServiceUnavailable, "ending")
}
