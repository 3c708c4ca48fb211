package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report/reporttest"
)

// routinesAndClient returns two runs: the first calls stored routines, the second sends each
// statement and takes longer for everything.
func routinesAndClient() []Measured {
	routines, client := reporttest.Run(), reporttest.Run()
	one, other := reporttest.Measured(), reporttest.Measured()
	routines.Result.Client = &job.ClientLoad{CPUSeconds: 0.2, Cores: 2}
	client.ID, client.Begun = "67FD3654479A03E263133334", client.Begun.Add(time.Hour)
	client.Spec.Options = option.Values{"warehouses": "10", "rampup": "2", "client_sql": "true"}
	client.Result.Metrics = []job.Metric{{Name: "NOPM", Value: 7912}, {Name: "TPM", Value: 18200}}
	client.Result.Client = &job.ClientLoad{CPUSeconds: 1.7, Cores: 2}
	client.Status, client.Reason = job.Partial, "the run was stopped\nafter 5 minutes"
	for i, each := range []int64{46, 8, 31, 3, 4} {
		n := one.Kinds[i].Ended()
		one.Kinds[i].Traffic = meter.Traffic{Sent: 200 * n, Received: 130 * n, RoundTrips: n}
		other.Kinds[i].Traffic = meter.Traffic{Sent: 90 * each * n, Received: 70 * each * n, RoundTrips: each * n}
	}
	return []Measured{{Job: routines, Summary: one}, {Job: client, Summary: other}}
}

func unset(job.Job, string) string { return "false" }

func TestRunsAreComparedSideBySide(t *testing.T) {
	c := Compare(routinesAndClient(), unset)
	var whole bytes.Buffer
	if err := c.Text(&whole, View{}); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "compare.txt", whole.Bytes())
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "compare.json", append(text, '\n'))
	fitsTerminals(t, c.Text, "client_sql", "round trips, a transaction", "46.00", "NOPM")
}

// fitsTerminals fails the test if a text has a line that is wider than the terminal, or lacks a word.
func fitsTerminals(t *testing.T, write func(io.Writer, View) error, words ...string) {
	t.Helper()
	for width := 60; width <= 140; width += 20 {
		var b bytes.Buffer
		if err := write(&b, View{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if wide := runewidth.StringWidth(line); wide > width {
				t.Errorf("in %d columns a line has %d: %q", width, wide, line)
			}
		}
		for _, want := range words {
			if !strings.Contains(b.String(), want) {
				t.Errorf("in %d columns: %q is missing", width, want)
			}
		}
	}
}

func TestLabelsAreCompared(t *testing.T) {
	runs := []Measured{{Job: reporttest.Run()}, {Job: reporttest.Run()}, {Job: reporttest.Run()}}
	runs[0].Job.Spec.Labels = nil
	runs[1].Job.Spec.Labels = map[string]string{"kernel": "6.12"}
	runs[2].Job.Spec.Labels = map[string]string{"kernel": ""}
	want := []Difference{{Name: "label kernel", Values: []string{"not set", "6.12", "set"}}}
	c := Compare(runs, unset)
	if !reflect.DeepEqual(c.Differences, want) {
		t.Errorf("got %+v, want %+v", c.Differences, want)
	}
	for i, want := range []string{"A", "B: 6.12", "C: kernel"} {
		if got := c.Name(i); got != want {
			t.Errorf("run %d has the name %q, want %q", i, got, want)
		}
	}
	var b bytes.Buffer
	if err := c.Text(&b, View{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if want := "6.12: tprocc on "; !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwithout %q", &b, want)
	}
}

func TestComparison_ShowsLongValuesBelowTheTable(t *testing.T) {
	runs := routinesAndClient()
	runs[1].Job.Spec.Options["rate"] = "steps:" + strings.Repeat("0s=100/s,", 12) + "60s=1/s"
	for _, tt := range []struct {
		width  int
		broken bool
	}{{0, false}, {60, true}} {
		var b bytes.Buffer
		if err := Compare(runs, unset).Text(&b, View{Width: tt.width}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"  client_sql  false  true\n  rate\n    A  false\n    B  steps:0s=100/s"} {
			if !strings.Contains(strings.ReplaceAll(b.String(), "B\n      steps", "B  steps"), want) {
				t.Errorf("in %d columns: got\n%s\nwithout %q", tt.width, &b, want)
			}
		}
		if got := !strings.Contains(b.String(), runs[1].Job.Spec.Options["rate"]); got != tt.broken {
			t.Errorf("in %d columns the rate is broken: %v, want %v", tt.width, got, tt.broken)
		}
	}
}

func TestRunsWithoutSomeFiguresAreCompared(t *testing.T) {
	runs := routinesAndClient()
	killed, imported := reporttest.Killed(), reporttest.Imported()
	killed.ID, imported.ID = "67FD36540000000000000000", "67FD36550000000000000000"
	c := Compare(append(runs, Measured{Job: killed}, Measured{Job: imported}), unset)
	for _, f := range c.Figures {
		if len(f.Values) != 4 || len(f.Ratios) != 4 {
			t.Fatalf("%s: got %d values and %d ratios, want 4", f.Name, len(f.Values), len(f.Ratios))
		}
		if f.Name == "round trips" && (f.Values[2] != nil || f.Values[3] != nil || f.Ratios[2] != nil) {
			t.Errorf("runs without network traffic have round trips: %v", f.Values)
		}
		if f.Name == "NOPM" && (f.Values[2] != nil || f.Values[3] == nil) {
			t.Errorf("NOPM: got %v, want a value for each run except the killed one", f.Values)
		}
	}
	same := Compare([]Measured{runs[0], runs[0]}, unset)
	if len(same.Differences) != 0 {
		t.Errorf("one run differs from itself in %v", same.Differences)
	}
	var b bytes.Buffer
	if err := Compare([]Measured{{Job: killed}, {Job: killed}}, unset).Text(&b, View{}); err != nil || !strings.Contains(b.String(), "Nothing was measured") {
		t.Errorf("got %v and %q, want the note that nothing was measured", err, b.String())
	}
}

// TestText_ShowsNetworkTraffic covers the summary and the details of a run.
func TestText_ShowsNetworkTraffic(t *testing.T) {
	run := routinesAndClient()[1]
	show := func(v View) string {
		var b bytes.Buffer
		if err := Text(&b, run.Job, run.Summary, v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all := run.Summary.All()
	each := float64(all.Traffic.RoundTrips) / float64(all.Ended())
	if want := fmt.Sprintf("%.2f round trips a transaction", each); !strings.Contains(show(View{Whole: true}), want) {
		t.Errorf("got\n%s\nwant %q in it", show(View{Whole: true}), want)
	}
	for _, width := range []int{60, 80, 140} {
		text := show(View{Width: width, Whole: true})
		var got []string
		for line := range strings.SplitSeq(text, "\n") {
			if runewidth.StringWidth(line) > width {
				t.Errorf("in %d columns: %q is wider", width, line)
			}
			if fields := strings.Fields(line); len(fields) > 4 && fields[0] == "delivery" && fields[2] == "31.00" {
				got = fields
			}
		}
		if len(got) < 5 || got[1] != "100" || got[3] != "2790.0" || got[4] != "2170.0" {
			t.Errorf("in %d columns: got %v of deliveries, want 100 of 31 round trips, 2790 bytes sent and 2170 received", width, got)
		}
	}
	d := NewDocument(run.Job, run.Summary)
	if got, want := *d.Transactions[2].Traffic, (Traffic{RoundTrips: 3100, Sent: 279_000, Received: 217_000, RoundTripsEach: 31, SentEach: 2790, ReceivedEach: 2170}); got != want {
		t.Errorf("the document has %+v, want %+v", got, want)
	}
}

func TestRepeatsOf_SumsUpEqualRuns(t *testing.T) {
	run := func(nopm float64) job.Job {
		return job.Job{Result: job.Result{Metrics: []job.Metric{{Name: "NOPM", Value: nopm}}}}
	}
	other := job.Job{Result: job.Result{Metrics: []job.Metric{{Name: "TPM", Value: 9}}}}
	for _, tt := range []struct {
		like []job.Job
		want Repeats
		said string
	}{
		{[]job.Job{run(100)}, Repeats{1, "NOPM", 100, 100, 100}, "the only run of its kind in this repository"},
		// The middle of 80 and 100 is 90, and they are 20/90 apart.
		{[]job.Job{run(100), other, run(80)}, Repeats{2, "NOPM", 80, 90, 100}, "one of 2 runs with the same options: NOPM from 80.00 to 100.0, median 90.00, spread 22 %"},
		{[]job.Job{run(100), run(80), run(120)}, Repeats{3, "NOPM", 80, 100, 120}, "one of 3 runs with the same options: NOPM from 80.00 to 120.0, median 100.0, spread 40 %"},
	} {
		if got := RepeatsOf(run(100), tt.like); got != tt.want || got.String() != tt.said {
			t.Errorf("got %+v, %q; want %+v, %q", got, got, tt.want, tt.said)
		}
	}
	if got := RepeatsOf(job.Job{}, []job.Job{run(100)}); got != (Repeats{}) {
		t.Errorf("a run without figures: got %+v", got)
	}
}

// The same value from another source is a difference, if all runs know the sources.
func TestCompare_TellsWhereSettingsWereSet(t *testing.T) {
	run := func(value, source string) Measured {
		f := &job.Facts{ServerSettings: map[string]string{"work_mem": value}}
		if source != "" {
			f.ServerSettingSources = map[string]string{"work_mem": source}
		}
		return Measured{Job: job.Job{Spec: job.Spec{Database: "postgresql"}, Facts: f}}
	}
	for _, tt := range []struct {
		runs []Measured
		want string
	}{
		{[]Measured{run("4MB", "database"), run("4MB", "configuration file")}, "[4MB (database) 4MB (configuration file)]"},
		{[]Measured{run("4MB", "database"), run("8MB", "database")}, "[4MB (database) 8MB (database)]"},
		{[]Measured{run("4MB", "database"), run("4MB", "database")}, ""},
		{[]Measured{run("4MB", "database"), run("4MB", "")}, ""},
	} {
		got := ""
		for _, d := range Compare(tt.runs, func(job.Job, string) string { return "" }).Differences {
			if d.Name == "server's work_mem" {
				got = fmt.Sprint(d.Values)
			}
		}
		if got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
