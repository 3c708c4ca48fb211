package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/cli/site"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/testserver"
)

// oneSecond emits a second with so many new orders in the measured time.
func oneSecond(control job.Control, done int64) {
	s := meter.NewSummary(5)
	s.Elapsed, s.Kinds[0].Done = time.Second, done
	for range done {
		_ = s.Kinds[0].Response.RecordValue(1_500_000)
		_ = s.Kinds[0].Service.RecordValue(1_500_000)
	}
	control.Watchers[0].Watch(job.Event{Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: 1}, Measured: s.Coded()}})
}

// scrape reads metrics with a token until they contain a text.
func scrape(t *testing.T, url, token, until string) string {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("status %d, %v: %s", response.StatusCode, err, text)
		}
		if strings.Contains(string(text), until) || time.Since(began) > 10*time.Second {
			return string(text)
		}
	}
}

// A run serves metrics while it goes on, and until they have been read after its end.
func TestRun_ServesMetrics(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(filepath.Dir(w.repository), "metrics-token")
	address := fmt.Sprintf("127.0.0.1:%d", testserver.FreePort(t))
	url, token := "http://"+address+"/metrics", ""
	last := make(chan string, 1)
	w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		text, err := os.ReadFile(file)
		if err != nil {
			return job.Result{}, err
		}
		token = strings.TrimSpace(string(text))
		oneSecond(control, 7)
		want := `sledge_transactions_total{class="",kind="new order",outcome="done",phase="measure",run="1"} 7`
		if got := scrape(t, url, token, want); !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
		oneSecond(control, 4)
		go func() { last <- scrape(t, url, token, `sledge_job_state{run="1",state="succeeded"} 1`) }()
		return job.Result{Status: job.Succeeded, Extent: job.Extent{Started: time.Now()}}, nil
	})
	if code := w.run("run", "--db", "sqlite", "--metrics", address); code != job.OK || !strings.Contains(w.err.String(), "metrics at "+url+", with the token in "+file) {
		t.Errorf("got %d, %s", code, &w.err)
	}
	want := `sledge_response_seconds_bucket{kind="new order",phase="measure",run="1",le="0.002"} 11`
	if got := <-last; !strings.Contains(got, want) {
		t.Errorf("at the end, %s is missing in %s", want, got)
	}
	if strings.Contains(w.err.String()+w.out.String(), token) {
		t.Error("the token was printed")
	}
}

func TestRun_RefusesUnsafeAddressesOfMetrics(t *testing.T) {
	w := newWorld(t)
	for flag, want := range map[string]string{
		":9464": "other machines can reach this address", "0.0.0.0:9464": "--metrics 0.0.0.0:9464", "nonsense": "give an address and a port",
	} {
		if code := w.run("run", "--db", "sqlite", "--metrics", flag); code != job.ExitUsage || !strings.Contains(w.err.String(), want) || len(w.asked) > 0 {
			t.Errorf("--metrics %s: got %d, %s", flag, code, &w.err)
		}
	}
	if code := w.run("run", "--db", "sqlite", "--metrics", ":9464", "--dry-run"); code != job.OK {
		t.Errorf("a dry run: got %d, %s", code, &w.err)
	}
}

// The web application serves the metrics of the runs that it has started to its users.
func TestWeb_ServesMetrics(t *testing.T) {
	w := newWorld(t)
	w.Stdout, w.Stderr = io.Discard, io.Discard
	w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		oneSecond(control, 7)
		return job.Result{Status: job.Succeeded, Extent: job.Extent{Started: time.Now()}}, nil
	})
	w.run("web", "user", "add", "prometheus", "--role", "look", "--token")
	token := strings.TrimSpace(w.out.String())
	w.Stdout, w.Stderr = io.Discard, io.Discard
	s, err := site.Start(w.Program, w.repository, testserver.FreePort(t))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background()) }()
	for range 2 {
		answer := httptest.NewRecorder()
		s.Verbs.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/api/v1/jobs", strings.NewReader(`{"action": "run", "settings": {"db": "sqlite"}}`)))
		var begun struct{ ID string }
		if err := json.Unmarshal(answer.Body.Bytes(), &begun); err != nil || begun.ID == "" {
			t.Fatalf("got %d %s", answer.Code, answer.Body)
		}
	}
	url := "http://" + s.Address() + "/metrics"
	want := `sledge_job_state{run="2",state="succeeded"} 1`
	got := scrape(t, url, token, want)
	for _, want := range []string{want, `run="1",server_version="",sledge_version="v1.2.3",workload="tprocc"} 1`, `sledge_transactions_total{class="",kind="new order",outcome="done",phase="measure",run="2"} 7`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if response, err := http.Get(url); err != nil || response.StatusCode == http.StatusOK {
		t.Errorf("without a token: got %v, %v", response, err)
	} else {
		response.Body.Close()
	}
	s.Quit()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
