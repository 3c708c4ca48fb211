package report

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report/reporttest"
	"sledge/internal/repository"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

func TestText_HasNoMeasuredTimeIfTheRunDidNotBegin(t *testing.T) {
	measured := func(j job.Job, sum meter.Summary) bool {
		return slices.ContainsFunc(Grounds(j, sum), func(g Ground) bool { return g.Name == "Measured" })
	}
	failed := reporttest.Run()
	failed.Status, failed.Reason = job.Failed, "connect: no such database"
	failed.Result = job.Result{Status: job.Failed, Extent: job.Extent{Started: failed.Begun, Elapsed: 0.01}}
	if measured(failed, meter.NewSummary(5)) {
		t.Error("a run that could not connect has a measured time")
	}
	if !measured(failed, meter.Summary{Elapsed: time.Second}) || !measured(reporttest.Run(), meter.Summary{}) {
		t.Error("a measured run has no measured time")
	}
}

func TestTextSaysWhatTheJobWasAndHowItEnded(t *testing.T) {
	for _, c := range []struct {
		name  string
		job   job.Job
		sum   meter.Summary
		whole bool
	}{
		{"run.txt", reporttest.Run(), reporttest.Measured(), false},
		{"whole.txt", reporttest.Run(), reporttest.Measured(), true},
		{"steps.txt", reporttest.Steps(), reporttest.Measured(), false},
		{"partial.txt", reporttest.Partial(), reporttest.Measured(), false},
		{"killed.txt", reporttest.Killed(), reporttest.Measured(), true},
		{"build.txt", reporttest.Build(), meter.Summary{}, false},
		{"check.txt", reporttest.Check(), meter.Summary{}, false},
		{"delete.txt", reporttest.Remove(), meter.Summary{}, false},
		{"imported.txt", reporttest.Imported(), meter.Summary{}, true},
	} {
		var b bytes.Buffer
		if err := Text(&b, c.job, c.sum, View{Whole: c.whole}); err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsRune(b.Bytes(), '\x1b') {
			t.Errorf("%s: the server's text can move the cursor", c.name)
		}
		reporttest.Golden(t, c.name, b.Bytes())
	}
	if err := Text(brokenPipe{}, reporttest.Run(), reporttest.Measured(), View{}); err == nil {
		t.Error("Text does not say that it could not write")
	}
}

// words has only the output of messages.
var words = Words{
	Headline: func(j job.Job) string { return j.Result.Line },
	Output: func(ctx context.Context, store *repository.Store, j job.Job) iter.Seq2[repository.OutputLine, error] {
		return func(yield func(repository.OutputLine, error) bool) {
			for line, err := range store.Output(ctx, j.ID) {
				if !yield(line, err) {
					return
				}
			}
			for e, err := range store.Events(ctx, j.ID) {
				if e.Message != "" && !yield(repository.OutputLine{At: e.At, User: e.User, Line: e.Message}, err) {
					return
				}
			}
		}
	},
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestDocument_HasTheFiguresAsNumbers(t *testing.T) {
	for name, j := range map[string]job.Job{"run.json": reporttest.Run(), "killed.json": reporttest.Killed(), "steps.json": reporttest.Steps(), "build.json": reporttest.Build(), "check.json": reporttest.Check()} {
		sum := meter.Summary{}
		if j.Spec.Action == job.Run {
			sum = reporttest.Measured()
		}
		text, err := json.MarshalIndent(NewDocument(j, sum), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, name, append(text, '\n'))
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

func TestSpell_FormatsTimesForPeople(t *testing.T) {
	for d, want := range map[time.Duration]string{
		7_690 * time.Millisecond: "7.69 s", 10_040 * time.Millisecond: "10 s", 12_340 * time.Millisecond: "12.3 s", 100 * time.Millisecond: "0.1 s",
		5 * time.Minute: "5 min", 3_903 * time.Second: "1 h 5 min 3 s", 0: "0 s",
	} {
		if got := Spell(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// stored records a run with two kinds of transaction, one with a name that a spreadsheet would take
// for a formula. It returns the repository and the run's ID.
func stored(t *testing.T) (*repository.Store, job.ID) {
	t.Helper()
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	names := []string{"new order", "=cmd|'/c calc'!A1"}
	r, err := store.Begin(t.Context(), reporttest.Run().Spec, names, 0)
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
		s := job.Second{Moment: job.Moment{Phase: job.Measure, Offset: float64(i)}, Measured: sum.Coded()}
		if i == 2 {
			s.ServerTPM = &tpm
		}
		r.Watch(job.Event{At: reporttest.Began.Add(s.Passed()), Second: &s})
		total.Add(sum)
	}
	r.Count(job.Count{At: reporttest.Began, Rate: 360})
	tide := job.Series{Name: "tide", Unit: "m", Labels: map[string]string{"sea": "north"}}
	r.Watch(job.Event{At: reporttest.Began, Samples: []job.Sample{{Series: tide, Value: 1.5}}})
	r.Watch(job.Event{At: reporttest.Began, User: 2, Message: "a line"})
	r.Watch(job.Event{At: reporttest.Began, User: 2, Failure: &job.Failure{Kind: "new order", Class: "deadlock", Message: "deadlock detected"}})
	facts := *reporttest.Run().Facts
	r.Watch(job.Event{At: reporttest.Began, Facts: &facts})
	if err := r.End(t.Context(), job.Result{Measured: job.Measured{Summary: total}, Extent: job.Extent{Elapsed: 3, Users: 4}}, nil); err != nil {
		t.Fatal(err)
	}
	return store, r.ID()
}

func TestAnExportedJobIsWhole(t *testing.T) {
	store, id := stored(t)
	var b bytes.Buffer
	if err := Export(t.Context(), &b, store, id[:20], "json", words, func(string) {}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		ExportHead
		Seconds []Second `json:"seconds"`
	}
	decoder := json.NewDecoder(&b)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != ExportSchema || got.ID != id || got.Facts.Server != "PostgreSQL 16.4" || got.Options["rampup"] != "2" {
		t.Errorf("got %+v", got.Document)
	}
	if len(got.Counts) != 1 || got.Counts[0].Rate != 360 || got.Counts[0].At.Location() != time.UTC {
		t.Errorf("got readings of the counter %+v, want one", got.Counts)
	}
	if s := got.Series; len(s) != 1 || s[0].Name != "tide" || s[0].Labels["sea"] != "north" || len(s[0].Points) != 1 || s[0].Points[0].Value != 1.5 {
		t.Errorf("got series %+v, want the tide", s)
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
		t.Error("the histograms of the seconds do not add up to the histogram of the job")
	}
	if len(got.Transactions) != 2 || got.Transactions[0].Response.P50 < 2 || got.Transactions[0].Service.P50 > 1.01 {
		t.Errorf("got transactions %+v", got.Transactions)
	}
}

// decoded decodes a histogram with the HdrHistogram library alone, as other programs do.
func decoded(t *testing.T, encoded []byte) *hdrhistogram.Histogram {
	t.Helper()
	h, err := hdrhistogram.Decode([]byte(base64.StdEncoding.EncodeToString(encoded)))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestExport_EscapesFormulasInCSV(t *testing.T) {
	store, id := stored(t)
	var b bytes.Buffer
	if err := Export(t.Context(), &b, store, id, "csv", words, func(string) {}); err != nil {
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

func TestExport_NamesTheReasonOfAFailure(t *testing.T) {
	store, id := stored(t)
	err := Export(t.Context(), io.Discard, store, id, "cvs", words, func(string) {})
	if err == nil || job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "did you mean csv?") {
		t.Errorf("an unknown format: got %v", err)
	}
	if err := Export(t.Context(), io.Discard, store, "FFFF", "csv", words, func(string) {}); !errors.Is(err, repository.ErrNotFound) {
		t.Errorf("an unknown job: got %v", err)
	}
	for _, format := range Formats {
		if err := Export(t.Context(), brokenPipe{}, store, id, format, words, func(string) {}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s into a broken pipe: got %v", format, err)
		}
	}
}

func TestPrintable_EscapesUnprintableCharacters(t *testing.T) {
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

func TestExport_ReportsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		progress := tellProgress("6B02", func(line string) { said = append(said, line) })
		for range 5 {
			progress(64)
			time.Sleep(1100 * time.Millisecond)
		}
		want := []string{"Exporting job 6B02: 192 seconds of the run so far", "Exporting job 6B02: 320 seconds of the run so far"}
		if !slices.Equal(said, want) {
			t.Errorf("got %q, want %q", said, want)
		}
	})
}
