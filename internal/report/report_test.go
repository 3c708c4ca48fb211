package report

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

var began = time.Date(2025, 4, 14, 17, 9, 51, 0, time.UTC)

// kinds and labels are those of TPROC-C.
var (
	kinds  = []string{"new order", "payment", "delivery", "stock level", "order status"}
	labels = []string{"NEWORD", "PAYMENT", "DELIVERY", "SLEV", "OSTAT"}
)

// measured holds 1, 2, ... 1000 ms of service for new orders, tenths of that for
// payments, and no stock level at all.
func measured() meter.Summary {
	stripe, sum := meter.NewStripe(), meter.NewSummary(len(kinds))
	done := func(kind meter.Kind, service time.Duration) {
		stripe.Record(meter.Record{Kind: kind, Service: service, Response: service + 50*time.Microsecond})
	}
	for i := 1; i <= 1000; i++ {
		done(0, time.Duration(i)*time.Millisecond)
		done(1, time.Duration(i)*time.Millisecond/10)
	}
	for range 100 {
		done(2, 12*time.Microsecond)
		done(4, 2*time.Second)
	}
	for range 10 {
		stripe.Record(meter.Record{Kind: 0, Outcome: meter.RolledBack})
	}
	stripe.Record(meter.Record{Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock, Retries: 10})
	stripe.Record(meter.Record{Kind: 1, Outcome: meter.Failed, Class: meter.Connection})
	stripe.Take(&sum)
	sum.Elapsed = 5 * time.Minute
	return sum
}

func run() job.Job {
	return job.Job{
		ID: "67FD3345479A03E263133333",
		Spec: job.Spec{
			Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 4, Seed: 7,
			Options: option.Values{"pg_count_ware": "10", "pg_rampup": "2"},
		},
		Kinds: kinds, Status: job.Succeeded, Begun: began, Ended: began.Add(7 * time.Minute), PID: 4711,
		Facts: &job.Facts{
			SledgeVersion: "1.0.0", Server: "PostgreSQL 16.4", Target: "localhost:5432/tpcc",
			ServerSettings: map[string]string{"fsync": "on"},
			Host:           job.Host{Name: "client", OS: "debian 12", Arch: "amd64", CPUs: 2, MemoryBytes: 8 << 30},
		},
		Result: job.Result{
			Status: job.Succeeded, Line: "TEST RESULT : System achieved 15824 NOPM from 36400 PostgreSQL TPM",
			Metrics: []job.Metric{{Name: "NOPM", Value: 15824}, {Name: "TPM", Value: 36400}, {Name: "QphH", Value: 1234567.899}},
			Users:   4, Started: began.Add(2 * time.Minute), Elapsed: 300, Kinds: kinds,
			Agreement: &job.Agreement{What: "new order", Client: 79_120, Server: 79_121, Low: 79_116, High: 79_130, Holds: true},
		},
	}
}

func partial() job.Job {
	j := run()
	j.Status, j.Reason = job.Partial, "the run was stopped\nafter 5 minutes"
	j.Result.Agreement.Server, j.Result.Agreement.Holds = 90_000, false
	j.Dropped = 12_345
	return j
}

func killed() job.Job {
	j := run()
	j.Status, j.Reason, j.Facts, j.Result = job.Killed, "its process, 4711, went away without ending it", nil, job.Result{}
	return j
}

func build() job.Job {
	return job.Job{
		ID: "67FD3345479A03E263133334", Spec: job.Spec{Action: job.Build, Database: "mariadb", Workload: "tprocc", Seed: 1},
		Status: job.Succeeded, Begun: began,
		Result: job.Result{Elapsed: 12.5, Loaded: []job.Loaded{
			{Table: "item", Rows: 100_000, Bytes: 8_900_000, Seconds: 2.5},
			{Table: "order_line", Rows: 300_123, Bytes: 21_000_000, Seconds: 7},
			{Table: "warehouse", Rows: 1, Bytes: 90},
		}},
	}
}

func check() job.Job {
	return job.Job{
		ID: "67FD3345479A03E263133335", Spec: job.Spec{Action: job.Check, Database: "sqlite", Workload: "tprocc", Seed: 1},
		Status: job.Failed, Reason: "1 rule is broken", Begun: began,
		Result: job.Result{Elapsed: 0.75, Findings: []job.Finding{
			{Rule: "1", Title: "w_ytd is the sum of d_ytd", Source: "TPC-C 3.3.2.1", Holds: true},
			{
				Rule: "2", Title: "d_next_o_id is one above the newest order", Source: "TPC-C 3.3.2.2", Cause: "explained for all 2 rows that break it: a fault that is known", Columns: []string{"d_w_id", "d_id", "d_next_o_id"},
				Rows: [][]string{{"1", "3", "3001"}, {"1", "10", "\x1b[2J31"}},
			},
			{Rule: "3", Title: "new_order has no gap", Excuse: "HammerDB built this schema"},
			{Rule: "4", Title: "the sum of ol_cnt is right", Error: "no such table: orders"},
		}},
	}
}

func remove() job.Job {
	return job.Job{
		Spec:   job.Spec{Action: job.Delete, Database: "sqlite", Workload: "tprocc", Seed: 1},
		Status: job.Succeeded, Begun: began, Result: job.Result{Elapsed: 0.1},
	}
}

// imported is a run that HammerDB recorded, as part of a profile.
func imported() job.Job {
	j := run()
	j.Origin, j.Kinds, j.Facts, j.Spec.Profile, j.Spec.Seed = "HammerDB", nil, &job.Facts{Server: "16.4"}, 5, 0
	j.Result = job.Result{Line: j.Result.Line, Metrics: j.Result.Metrics[:2], Users: 4}
	return j
}

func TestTextSaysWhatTheJobWasAndHowItEnded(t *testing.T) {
	for _, c := range []struct {
		name string
		job  job.Job
		sum  meter.Summary
	}{
		{"run.txt", run(), measured()},
		{"partial.txt", partial(), measured()},
		{"killed.txt", killed(), measured()},
		{"build.txt", build(), meter.Summary{}},
		{"check.txt", check(), meter.Summary{}},
		{"delete.txt", remove(), meter.Summary{}},
		{"imported.txt", imported(), meter.Summary{}},
	} {
		var b bytes.Buffer
		if err := Text(&b, c.job, c.sum, 0); err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsRune(b.Bytes(), '\x1b') {
			t.Errorf("%s: what the server said can move the cursor", c.name)
		}
		golden(t, c.name, b.Bytes())
	}
	if err := Text(brokenPipe{}, run(), measured(), 0); err == nil {
		t.Error("Text does not say that it could not write")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestTheDocumentHoldsTheSameAsNumbers(t *testing.T) {
	for name, j := range map[string]job.Job{"run.json": run(), "killed.json": killed(), "build.json": build(), "check.json": check()} {
		sum := meter.Summary{}
		if j.Spec.Action == job.Run {
			sum = measured()
		}
		text, err := json.MarshalIndent(NewDocument(j, sum), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, append(text, '\n'))
	}
}

func TestHammerDBsScriptsFindTheirShapes(t *testing.T) {
	tpm := func(v float64) *float64 { return &v }
	var counts, nothing []job.Event
	for i, v := range []*float64{tpm(0), nil, tpm(185196.4), tpm(185200)} {
		at, sum := began.Add(time.Duration(i)*time.Second), meter.NewSummary(len(kinds))
		if i == 3 {
			at = at.Add(-time.Second / 2) // in the same second of the clock as the one before
		}
		counts = append(counts, job.Event{At: at, Second: &job.Second{Phase: job.Measure, Summary: &sum, ServerTPM: v}})
	}
	count, none := tcount(t, run(), counts), tcount(t, build(), nothing)
	var b bytes.Buffer
	for _, view := range []View{
		Result(run()), Result(build()), Timing(run(), Timings(measured(), 4, labels)), Timing(build(), Timings(meter.Summary{}, 1, nil)), count, none,
	} {
		text, err := json.Marshal(view)
		if err != nil {
			t.Errorf("not JSON: %v", err)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	golden(t, "hammerdb.txt", b.Bytes())
}

// tcount records a job with these events and readings of a transaction counter, and
// returns what it shows of them.
func tcount(t *testing.T, j job.Job, events []job.Event, readings ...job.Count) View {
	t.Helper()
	store, err := job.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Begin(t.Context(), j.Spec, kinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		r.Watch(e)
	}
	for _, c := range readings {
		r.Count(c)
	}
	if err := r.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	shown := j
	shown.ID = r.ID()
	view, err := TCount(t.Context(), store, shown, catalogNames{})
	if err != nil {
		t.Fatal(err)
	}
	if list, ok := view.value.([]string); ok {
		list[0] = string(j.ID) // the golden files know it by
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := TCount(t.Context(), store, shown, catalogNames{}); err == nil {
		t.Error("TCount does not pass on that the counts could not be read")
	}
	return view
}

func TestAJobShowsWhatItsCounterReadBeforeWhatTheRunSampled(t *testing.T) {
	sum, sample := meter.NewSummary(len(kinds)), 9.0
	events := []job.Event{{At: began, Second: &job.Second{Phase: job.Measure, Summary: &sum, ServerTPM: &sample}}}
	view := tcount(t, run(), events, job.Count{At: began, Rate: 0}, job.Count{At: began.Add(time.Second), Rate: 359.99999})
	got, err := view.MarshalJSON()
	if want := `{"PostgreSQL tpm":{"2025-04-14 17:09:51":"0","2025-04-14 17:09:52":"360"}}`; err != nil || string(got) != want {
		t.Errorf("got %s and error %v, want %s", got, err, want)
	}
	if got, want := view.Text(), "PostgreSQL tpm {\n 2025-04-14 17:09:51 = 0\n 2025-04-14 17:09:52 = 360\n}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMillisecondsHaveThreeSignificantDigits(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0", 1: "0.00000100", 12_345: "0.0123", 586_000: "0.586", 999_999: "1.00", 5_765_432: "5.77", 9_999_000: "10.0",
		13_309_000: "13.3", 99_960_000: "100", 108_869_000: "109", 2_000_400_000: "2000",
	} {
		if got := millis(ns); got != want {
			t.Errorf("%v ns: got %s, want %s", ns, got, want)
		}
	}
}

// stored records a run of two kinds, one with a name that a spreadsheet would
// take for a formula, and returns the repository and its ID.
func stored(t *testing.T) (*job.Store, job.ID) {
	t.Helper()
	store, err := job.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	names := []string{"new order", "=cmd|'/c calc'!A1"}
	r, err := store.Begin(t.Context(), run().Spec, names)
	if err != nil {
		t.Fatal(err)
	}
	total, tpm := meter.NewSummary(2), 600.5
	for i := 1; i <= 3; i++ {
		stripe, sum := meter.NewStripe(), meter.NewSummary(2)
		for range i {
			stripe.Record(meter.Record{Kind: 0, Service: time.Millisecond, Response: 2 * time.Millisecond})
		}
		stripe.Take(&sum)
		sum.Elapsed = time.Second
		s := job.Second{Phase: job.Measure, Offset: time.Duration(i) * time.Second, Summary: &sum}
		if i == 2 {
			s.ServerTPM = &tpm
		}
		r.Watch(job.Event{At: began.Add(s.Offset), Second: &s})
		total.Add(sum)
	}
	r.Count(job.Count{At: began, Rate: 360})
	r.Watch(job.Event{At: began, User: 2, Text: "a line"})
	r.Watch(job.Event{At: began, User: 2, Failure: &job.Failure{Kind: "new order", Class: "deadlock", Message: "deadlock detected"}})
	facts := *run().Facts
	r.Watch(job.Event{At: began, Facts: &facts})
	if err := r.End(t.Context(), job.Result{Summary: total, Elapsed: 3, Users: 4}, nil); err != nil {
		t.Fatal(err)
	}
	return store, r.ID()
}

func TestAnExportedJobIsWhole(t *testing.T) {
	store, id := stored(t)
	var b bytes.Buffer
	if err := Export(t.Context(), &b, store, id[:20], "json"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Exported
		Seconds []Second `json:"seconds"`
	}
	decoder := json.NewDecoder(&b)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != ExportSchema || got.ID != id || got.Facts.Server != "PostgreSQL 16.4" || got.Options["pg_rampup"] != "2" {
		t.Errorf("got %+v", got.Document)
	}
	if len(got.Counts) != 1 || got.Counts[0].Rate != 360 || got.Counts[0].At.Location() != time.UTC {
		t.Errorf("got readings of the counter %+v, want the one", got.Counts)
	}
	if len(got.Output) != 1 || got.Output[0].Line != "a line" || len(got.Failures) != 1 || got.Failures[0].Message != "deadlock detected" {
		t.Errorf("got output %+v and failures %+v", got.Output, got.Failures)
	}
	if len(got.Seconds) != 3 || len(got.Seconds[2].Transactions) != 2 || got.Seconds[1].ServerTPM == nil {
		t.Fatalf("got seconds %+v", got.Seconds)
	}
	merged := meter.NewSummary(2)
	for _, s := range got.Seconds {
		for k, n := range s.Transactions {
			if n.Done == 0 {
				continue
			}
			one := meter.NewSummary(2)
			one.Kinds[k].Done = n.Done
			one.Kinds[k].Response, one.Kinds[k].Service = decoded(t, n.ResponseHistogram), decoded(t, n.ServiceHistogram)
			merged.Add(one)
		}
	}
	h := got.Histograms[0]
	if merged.Kinds[0].Done != 6 || !merged.Kinds[0].Response.Equals(decoded(t, h.Response)) || !merged.Kinds[0].Service.Equals(decoded(t, h.Service)) {
		t.Error("the histograms of the seconds do not add up to that of the job")
	}
	if len(got.Transactions) != 2 || got.Transactions[0].Response.P50 < 2 || got.Transactions[0].Service.P50 > 1.01 {
		t.Errorf("got transactions %+v", got.Transactions)
	}
}

// decoded reads a histogram as other programs do, by the library alone.
func decoded(t *testing.T, encoded []byte) *hdrhistogram.Histogram {
	t.Helper()
	h, err := hdrhistogram.Decode([]byte(base64.StdEncoding.EncodeToString(encoded)))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTheTableOfSecondsIsSafeInASpreadsheet(t *testing.T) {
	store, id := stored(t)
	var b bytes.Buffer
	if err := Export(t.Context(), &b, store, id, "csv"); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+3*2 {
		t.Fatalf("got %d rows, want a head and 3 seconds of 2 kinds", len(rows))
	}
	// The second second: two new orders of 2 ms each, and the server's count.
	want := []string{"2025-04-14T17:09:53Z", "2", "1", "measure", "new order", "2", "0", "0", "0", "2.000384", "2.000895", "2.000895", "2.000895", "600.5"}
	if !reflect.DeepEqual(rows[3], want) {
		t.Errorf("got %q, want %q", rows[3], want)
	}
	idle := []string{"2025-04-14T17:09:54Z", "3", "1", "measure", "'=cmd|'/c calc'!A1", "0", "0", "0", "0", "", "", "", "", ""}
	if !reflect.DeepEqual(rows[6], idle) {
		t.Errorf("got %q, want %q", rows[6], idle)
	}
}

func TestAnExportThatCannotBeSaysWhy(t *testing.T) {
	store, id := stored(t)
	err := Export(t.Context(), io.Discard, store, id, "cvs")
	if err == nil || job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "did you mean csv?") {
		t.Errorf("an unknown format: got %v", err)
	}
	if err := Export(t.Context(), io.Discard, store, "FFFF", "csv"); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("an unknown job: got %v", err)
	}
	for _, format := range Formats {
		if err := Export(t.Context(), brokenPipe{}, store, id, format); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s into a broken pipe: got %v", format, err)
		}
	}
}

func TestWhatHasNoLookIsEscapedInOneWay(t *testing.T) {
	for _, c := range []struct{ text, line, lines string }{
		{"plain, ü and 日本\u3000語", "plain, ü and 日本\u3000語", "plain, ü and 日本\u3000語"},
		{"a\x1b[2Jb\r\a", `a\x1b[2Jb\x0d\x07`, `a\x1b[2Jb\x0d\x07`},
		{"two\nlines\tand a tab", `two\x0alines\x09and a tab`, "two\nlines\tand a tab"},
		{"\u009b\u202eright to left", `\x9b\u202eright to left`, `\x9b\u202eright to left`},
	} {
		if got := Printable(c.text); got != c.line {
			t.Errorf("%q: got %q, want %q", c.text, got, c.line)
		}
		if got := PrintableLines(c.text); got != c.lines {
			t.Errorf("%q in lines: got %q, want %q", c.text, got, c.lines)
		}
	}
}
