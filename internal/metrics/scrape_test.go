package metrics

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/testserver"
)

// prometheusAnswer is what Prometheus answers to a query.
type prometheusAnswer struct {
	Status string
	Error  string
	Data   struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
}

// ask evaluates a query.
func ask(t *testing.T, prometheus, query string) (a prometheusAnswer) {
	t.Helper()
	response, err := http.Get(prometheus + "/api/v1/query?" + url.Values{"query": {query}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	if a.Status != "success" {
		t.Errorf("%s: %s", query, a.Error)
	}
	return a
}

// number returns the only value of an answer, or -1.
func (a prometheusAnswer) number() float64 {
	if len(a.Data.Result) != 1 {
		return -1
	}
	text, _ := a.Data.Result[0].Value[1].(string)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1
	}
	return n
}

// Prometheus reads each metric, as native and as classic histograms, with the counts of the job. All
// queries of the dashboard and of the manual have a result.
func TestPrometheus_ReadsEachMetric(t *testing.T) {
	token, file, err := Token(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	registry := NewRegistry("1.2.3")
	server := Serve(listener, registry, token)
	defer server.Close()
	text := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept") // without protobuf there are only classic histograms
		registry.Handler().ServeHTTP(w, r)
	}))
	defer text.Close()
	classic := strings.TrimPrefix(text.URL, "http://")
	configuration, err := os.ReadFile("testdata/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	prometheus := testserver.OpenPrometheus(t, strings.NewReplacer(
		"sledge-token", file, "scrape_interval: 5s", "scrape_interval: 200ms", "[127.0.0.1:9464]", "["+listener.Addr().String()+", "+classic+"]",
	).Replace(string(configuration)), "--enable-feature=native-histograms")

	run := registry.begin(theJob)
	instances := map[string]string{"native": listener.Addr().String(), "classic": classic}
	await := func(query string, want float64) {
		t.Helper()
		for form, instance := range instances {
			for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
				got := ask(t, prometheus, fmt.Sprintf(query, instance)).number()
				if got == want {
					break
				}
				if time.Since(began) > 20*time.Second {
					t.Fatalf("%s: %s is %g, want %g", form, query, got, want)
				}
			}
		}
	}
	await(`sledge_users{instance=%q,state="waiting"}`, 4) // Prometheus begins after five seconds
	done := int64(0)
	for i := range 4 { // rates need several values
		for _, e := range theEvents() {
			run.add(e)
		}
		run.add(job.Event{At: time.Now(), Second: &job.Second{Moment: job.Moment{Phase: job.Measure}, Sessions: 2, Measured: theSecond(uint64(i), 250)}})
		done += 100 + 250
		time.Sleep(250 * time.Millisecond)
	}
	await(`sledge_transactions_total{instance=%q,kind="payment",phase="measure",outcome="done"}`, float64(done))
	for _, of := range []struct{ form, query string }{
		{"native", `histogram_count(sledge_response_seconds{instance=%q,kind="payment"})`},
		{"classic", `sledge_response_seconds_count{instance=%q,kind="payment"}`},
		{"classic", `sledge_service_seconds_bucket{instance=%q,kind="payment",le="+Inf"}`},
	} {
		if got := ask(t, prometheus, fmt.Sprintf(of.query, instances[of.form])).number(); got != float64(done) {
			t.Errorf("%s is %g, want %d", of.query, got, done)
		}
	}
	for _, m := range Metrics {
		for form, instance := range instances {
			name := m.Name
			if m.Type == Histogram && form == "classic" {
				name += "_bucket"
			}
			if len(ask(t, prometheus, fmt.Sprintf(`%s{instance=%q}`, name, instance)).Data.Result) == 0 {
				t.Errorf("%s: Prometheus has no %s", form, name)
			}
		}
	}
	for form, instance := range instances {
		for _, query := range append(queriesOfDashboard(t), queryOfManual(t)) {
			filled := strings.NewReplacer("$__rate_interval", "5s", "$instance", instance, "$run", ".*", "[1m]", "[5s]").Replace(query)
			if got := ask(t, prometheus, filled); len(got.Data.Result) == 0 || got.Data.Result[0].Value[1] == "NaN" {
				t.Errorf("%s: %s has the result %v", form, filled, got.Data.Result)
			}
		}
	}
}

// queriesOfDashboard returns the queries of Grafana's dashboard.
func queriesOfDashboard(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "grafana", "sledge.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			list = append(list, target.Expr)
		}
	}
	if len(list) < 20 || slices.Contains(list, "") {
		t.Errorf("the dashboard has the queries %q", list)
	}
	return list
}

// queryOfManual returns the query that docs/metrics.md shows.
func queryOfManual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	query := regexp.MustCompile(`    sum by \(run, instance\)[^\n]*\n[^\n]*`).FindString(string(text))
	if query == "" {
		t.Errorf("%s has no query", page)
	}
	return query
}
