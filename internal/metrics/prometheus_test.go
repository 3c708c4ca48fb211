package metrics

import (
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// theJob is a run with two kinds of transaction.
var theJob = job.Job{
	ID: "6924D2A1CB2103E273937323", Kinds: []string{"new order", "payment"}, Begun: time.Now(), Facts: &job.Facts{Target: "tpcc on db1:5432"},
	Spec: job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 4},
}

// theEvents returns events with which a run has each metric.
func theEvents() []job.Event {
	now := time.Now()
	tpm := 600.0
	var samples []job.Sample
	for _, m := range sampled {
		labels := map[string]string{}
		for _, label := range m.Labels {
			labels[label] = "x"
		}
		if m.Series == "pressure" {
			labels["threads"] = "some wait"
		}
		samples = append(samples, job.Sample{Series: job.Series{Name: m.Series, Labels: labels}, Value: 1})
	}
	samples = append(samples, job.Sample{Series: job.Series{Name: "replication delay", Unit: "ms"}, Value: 3})
	return []job.Event{
		{At: now, User: job.Monitor, Facts: &job.Facts{Server: "15.18", Target: "PostgreSQL tpcc on db1:5432"}},
		{At: now, User: job.Monitor, State: job.UserRunning},
		{At: now, User: 2, State: job.UserRunning},
		{At: now, User: job.Monitor, Step: &job.Step{Name: job.StepUsers, Users: 3}},
		{At: now, Phase: &job.PhaseSpan{Name: job.Measure}},
		{At: now, User: job.Monitor, Second: &job.Second{
			Moment: job.Moment{Phase: job.Measure, Offset: 1, ServerTPM: &tpm}, Sessions: 2, Measured: theSecond(1, 100),
		}},
		{At: now, Samples: samples},
		{At: now, Headline: &job.Result{
			Metrics: []job.Metric{{Name: "NOPM", Value: 7982}},
			Demand:  job.Demand{Punctuality: job.Punctuality{StartLag: &meter.Latency{P50: 1, P95: 2, P99: 3, Max: 4}}},
		}},
	}
}

// theSecond returns a second with as many transactions of each kind, whose times are between 10 µs and
// 100 s.
func theSecond(seed uint64, of int) meter.CodedSummary {
	s := meter.NewSummary(len(theJob.Kinds))
	random := rand.New(rand.NewPCG(seed, seed))
	for k := range s.Kinds {
		t := &s.Kinds[k]
		t.Done, t.RolledBack, t.Retried, t.Failed[meter.Deadlock] = int64(of), 3, 5, 2
		t.Traffic = meter.Traffic{Sent: 10, Received: 20, RoundTrips: 5}
		for range of {
			ns := int64(1e4 * math.Pow(10, 7*random.Float64()))
			_ = t.Response.RecordValue(2 * ns)
			_ = t.Service.RecordValue(ns)
		}
	}
	s.Elapsed = time.Second
	return s.Coded()
}

// Counts are those of the job's seconds, and times are in the buckets that contain them.
func TestHandler_CountsAsTheJob(t *testing.T) {
	r := NewRegistry("1.2.3")
	run := r.begin(theJob)
	sum := meter.NewSummary(len(theJob.Kinds))
	for i := range 20 {
		second := theSecond(uint64(i), 1000)
		if err := sum.AddCoded(second); err != nil {
			t.Fatal(err)
		}
		run.add(job.Event{At: time.Now(), Second: &job.Second{Moment: job.Moment{Phase: job.Measure}, Measured: second}})
	}
	all := prometheus.NewRegistry()
	all.MustRegister(collector{r})
	families, err := all.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, family := range families {
		if family.GetName() != "sledge_response_seconds" {
			continue
		}
		for k, m := range family.GetMetric() {
			h, exact := m.GetHistogram(), sum.Kinds[k].Response
			if h.GetSampleCount() != uint64(exact.TotalCount()) || math.Abs(h.GetSampleSum()*1e9/float64(exact.TotalCount())/exact.Mean()-1) > 0.001 {
				t.Errorf("%s: %d times with the sum %g, want %d with the mean %g", theJob.Kinds[k], h.GetSampleCount(), h.GetSampleSum(), exact.TotalCount(), exact.Mean())
			}
			for _, bucket := range h.GetBucket() {
				seen++
				from, to := countUpTo(exact, bucket.GetUpperBound()*0.999), countUpTo(exact, bucket.GetUpperBound()*1.001)
				if n := bucket.GetCumulativeCount(); n < from || n > to {
					t.Errorf("%s: %d times up to %g s, want %d to %d", theJob.Kinds[k], n, bucket.GetUpperBound(), from, to)
				}
			}
			index, count, below := int32(0), int64(0), uint64(0)
			deltas := h.GetPositiveDelta()
			for _, span := range h.GetPositiveSpan() {
				index += span.GetOffset()
				for range span.GetLength() {
					seen++
					count += deltas[0]
					deltas = deltas[1:]
					below += uint64(count)
					bound := math.Pow(2, float64(index)/32)
					if from, to := countUpTo(exact, bound*0.999), countUpTo(exact, bound*1.001); below < from || below > to {
						t.Errorf("%s: %d times up to %g s in native buckets, want %d to %d", theJob.Kinds[k], below, bound, from, to)
					}
					index++
				}
			}
			if below != uint64(exact.TotalCount()) || h.GetSchema() != 5 {
				t.Errorf("%s: native buckets of schema %d have %d times, want %d", theJob.Kinds[k], h.GetSchema(), below, exact.TotalCount())
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d buckets were compared", seen)
	}
}

// countUpTo counts the times of a histogram up to a bound in seconds.
func countUpTo(h interface {
	ValueAtQuantile(float64) int64
	TotalCount() int64
}, seconds float64,
) uint64 {
	low, high := int64(0), h.TotalCount()
	for low < high { // the number of times whose quantile is up to the bound
		middle := (low + high + 1) / 2
		if float64(h.ValueAtQuantile(100*float64(middle)/float64(h.TotalCount())))/1e9 <= seconds {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return uint64(low)
}

func get(t *testing.T, url, accept, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

// The server asks for the token, which it keeps in a private file, and waits for the last scrape.
func TestServer_AsksForTheToken(t *testing.T) {
	folder := t.TempDir()
	token, path, err := Token(folder)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := Token(folder); err != nil || again != token || len(token) < 20 {
		t.Errorf("got the token %q and then %q, %v", token, again, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v, want mode 0600", info.Mode(), err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := NewRegistry("1.2.3")
	run := r.begin(theJob)
	s := Serve(listener, r, token)
	for _, e := range theEvents() {
		run.add(e)
	}
	url := "http://" + listener.Addr().String() + "/metrics"
	said := time.Duration(0)
	s.AwaitLast(t.Context(), time.Now(), func(wait time.Duration) { said = wait })
	for _, wrong := range []string{"", "x", token + "x"} {
		if status, body := get(t, url, "", wrong); status != http.StatusUnauthorized || strings.Contains(body, "sledge_") {
			t.Errorf("with the token %q: got status %d and %q", wrong, status, body)
		}
	}
	s.AwaitLast(t.Context(), time.Now(), func(wait time.Duration) { said = wait })
	if said != 0 {
		t.Errorf("the server would wait %s for a scrape although there was none", said)
	}
	status, body := get(t, url, "text/plain", token)
	for _, want := range []string{
		`sledge_job_info{database="postgresql",id="6924D2A1CB2103E273937323",run="1",server_version="15.18",sledge_version="1.2.3",workload="tprocc"} 1`,
		`sledge_transactions_total{class="",kind="payment",outcome="done",phase="measure",run="1"} 100`,
		`sledge_transactions_total{class="deadlock",kind="new order",outcome="failed",phase="measure",run="1"} 2`,
		`sledge_response_seconds_bucket{kind="new order",phase="measure",run="1",le="+Inf"} 100`,
		`sledge_users{run="1",state="waiting"} 3`, `sledge_users{run="1",state="running"} 1`,
		`sledge_start_lag_seconds{quantile="0.99",run="1"} 0.003`, `sledge_result{figure="NOPM",run="1"} 7982`,
		`sledge_host_memory_bytes{machine="x",run="1",use="x"} 1.048576e+06`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("status %d: %s is missing in\n%s", status, want, body)
		}
	}
	if status, _ := get(t, strings.TrimSuffix(url, "/metrics"), "", token); status != http.StatusNotFound {
		t.Errorf("another address has the status %d, want 404", status)
	}
	s.AwaitLast(t.Context(), time.Now(), func(wait time.Duration) {
		said = wait
		get(t, url, "", token)
	})
	if said <= 0 || said > usualWait {
		t.Errorf("the server waited %s for the last scrape, want up to %s", said, usualWait)
	}
	s.AwaitLast(t.Context(), time.Now().Add(-time.Minute), func(time.Duration) { t.Error("the server would wait although the last scrape was later") })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
