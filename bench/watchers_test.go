//go:build bench && linux

package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sledge/internal/job"
	reports "sledge/internal/report"
)

// TestWatchers measures the cost of ten browsers that watch a run. Each reads the live view, and
// once a second thirty boxes of the grid of virtual users, like the page. The cost includes reading
// on this machine, but not drawing, because users' browsers run on other machines.
//
// Runs alternate as in TestMeasuringCost.
func TestWatchers(t *testing.T) {
	pairs, length := 10*rounds(), trial()/2
	if testing.Short() {
		pairs = 4
	}
	p := openPostgreSQL(t, "bench_watchers")
	p.drop(t)
	build(t, p, cpuWarehouses(), builders)
	keepAwake(t)
	const users, watchers = 8, 10
	web := serveWeb(t)
	settings := map[string]string{"db": p.name(), "users": fmt.Sprint(users), "rampup": "1s", "duration": length.String()}
	maps.Copy(settings, p.values())
	var nopm, cpu [2][]float64 // without, with
	for i := range pairs {
		for _, on := range inTurns(i) {
			d, messages := web.run(settings, on*watchers)
			if on == 1 && messages < watchers*int(length.Seconds()) {
				t.Fatalf("%d watchers read %d messages in %v, fewer than one a second", watchers, messages, length)
			}
			at := slices.IndexFunc(d.Metrics, func(m job.Metric) bool { return m.Name == "NOPM" })
			if at < 0 || d.All == nil || d.Client == nil {
				t.Fatalf("got %+v, want NOPM, transactions and the client's CPU", d)
			}
			nopm[on] = append(nopm[on], d.Metrics[at].Value)
			cpu[on] = append(cpu[on], 1e6*d.Client.CPUSeconds/float64(d.All.Done+d.All.RolledBack))
		}
		t.Logf("pair %d: NOPM %.0f watched, %.0f not; client CPU %.1f and %.1f µs a transaction", i+1, nopm[1][i], nopm[0][i], cpu[1][i], cpu[0][i])
	}
	p.drop(t)
	about := fmt.Sprintf("%d watchers against none, %d users", watchers, users)
	for _, f := range []turns{
		{"NOPM", nopm, "NOPM", atLeast(0.99)},
		{"client CPU for a transaction", cpu, "µs", nil},
	} {
		f.note(t, p, about, length)
	}
}

// webServer is a running sledge web, with the token of a user who may act.
type webServer struct {
	*testing.T
	url, token string
}

// serveWeb starts sledge web until the test ends.
func serveWeb(t *testing.T) webServer {
	t.Helper()
	repository := filepath.Join(t.TempDir(), "jobs.db")
	added := execute(t, nil, sledgeProgram, "web", "user", "add", "bench", "--role", "act", "--token", "--repo", repository)
	c := exec.Command(sledgeProgram, "web", "--listen", "127.0.0.1:0", "--repo", repository)
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = c.Wait()
	})
	w := webServer{T: t, token: strings.TrimSpace(string(added.output))}
	lines := bufio.NewScanner(output)
	for w.url == "" && lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), "http://"); found {
			w.url = "http://" + strings.TrimRight(strings.Fields(after)[0], "/.,")
		}
	}
	if w.url == "" {
		t.Fatal("sledge web does not print an address")
	}
	go func() { _, _ = io.Copy(io.Discard, output) }() // until it ends
	return w
}

// ask sends a request to the API; the caller closes the response.
func (w webServer) ask(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, w.url+"/api/v1/"+path, &text)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+w.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err == nil && response.StatusCode >= 300 {
		answer, _ := io.ReadAll(response.Body)
		response.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	}
	return response, err
}

// document sends a request whose answer is a job.
func (w webServer) document(method, path string, body any) (d reports.Document) {
	w.Helper()
	response, err := w.ask(w.Context(), method, path, body)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&d); err != nil {
		w.Fatal(err)
	}
	return d
}

// run does a run with a number of watchers, and returns the run and the number of messages that
// they read.
func (w webServer) run(settings map[string]string, watchers int) (d reports.Document, messages int) {
	w.Helper()
	id := string(w.document(http.MethodPost, "jobs", map[string]any{"action": job.Run, "settings": settings}).ID)
	var watching sync.WaitGroup
	read, failed := make([]int, watchers), make([]error, watchers)
	for i := range watchers {
		watching.Go(func() { read[i], failed[i] = w.watch(id) })
	}
	for d.Status = job.Running; d.Status == job.Running; {
		time.Sleep(time.Second / 2)
		d = w.document(http.MethodGet, "jobs/"+id, nil)
	}
	watching.Wait()
	for i, n := range read {
		if failed[i] != nil {
			w.Fatal(failed[i])
		}
		messages += n
	}
	if d.Status != job.Succeeded {
		w.Fatalf("the run %s: %s", d.Status, d.Reason)
	}
	return d, messages
}

// watch reads what a page reads until the job is over, and returns the number of messages.
func (w webServer) watch(id string) (messages int, err error) {
	ctx, cancel := context.WithCancel(w.Context())
	var grid sync.WaitGroup
	defer grid.Wait()
	defer cancel()
	grid.Go(func() {
		for ctx.Err() == nil {
			response, err := w.ask(ctx, http.MethodGet, "jobs/"+id+"/users?limit=30", nil)
			if err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
	response, err := w.ask(ctx, http.MethodGet, "jobs/"+id+"/live", nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		switch {
		case lines.Text() == "event: over":
			return messages, nil
		case strings.HasPrefix(lines.Text(), "data:"):
			messages++
		}
	}
	return messages, fmt.Errorf("the stream of job %s ended before the job: %w", id, lines.Err())
}
