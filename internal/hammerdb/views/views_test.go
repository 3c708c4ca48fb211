package views

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report/reporttest"
	"sledge/internal/repository"
	"sledge/internal/workload"
)

func TestHammerDBsScriptsFindTheirShapes(t *testing.T) {
	tpm := func(v float64) *float64 { return &v }
	var counts, nothing []job.Event
	for i, v := range []*float64{tpm(0), nil, tpm(185196.4), tpm(185200)} {
		at, sum := reporttest.Began.Add(time.Duration(i)*time.Second), meter.NewSummary(len(reporttest.Kinds))
		if i == 3 {
			at = at.Add(-time.Second / 2) // in the same second of the clock as the one before
		}
		counts = append(counts, job.Event{At: at, Second: &job.Second{Moment: job.Moment{Phase: job.Measure, ServerTPM: v}, Measured: sum.Coded()}})
	}
	count, none := tcount(t, reporttest.Run(), counts), tcount(t, reporttest.Build(), nothing)
	var b bytes.Buffer
	for _, view := range []View{
		Result(reporttest.Run(), several), Result(reporttest.Build(), several), Timing(reporttest.Run(), Timings(reporttest.Measured(), 4, reporttest.Labels)), Timing(reporttest.Build(), Timings(meter.Summary{}, 1, nil)), count, none,
	} {
		text, err := json.Marshal(view)
		if err != nil {
			t.Errorf("not JSON: %v", err)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	reporttest.Golden(t, "hammerdb.txt", b.Bytes())
}

// tcount records a job with these events and readings of a transaction counter, and returns its
// view.
func tcount(t *testing.T, j job.Job, events []job.Event, readings ...job.Count) View {
	t.Helper()
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Begin(t.Context(), j.Spec, reporttest.Kinds, 0)
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
	view, err := TCount(t.Context(), store, shown, several)
	if err != nil {
		t.Fatal(err)
	}
	if list, ok := view.value.([]string); ok {
		list[0] = string(j.ID) // the golden files use this ID
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := TCount(t.Context(), store, shown, several); err == nil {
		t.Error("TCount does not return the error of reading the counts")
	}
	return view
}

func TestJob_PrefersItsCounterToTheRunsSamples(t *testing.T) {
	sum, sample := meter.NewSummary(len(reporttest.Kinds)), 9.0
	events := []job.Event{{At: reporttest.Began, Second: &job.Second{Moment: job.Moment{Phase: job.Measure, ServerTPM: &sample}, Measured: sum.Coded()}}}
	view := tcount(t, reporttest.Run(), events, job.Count{At: reporttest.Began, Rate: 0}, job.Count{At: reporttest.Began.Add(time.Second), Rate: 359.99999})
	got, err := view.MarshalJSON()
	if want := `{"PostgreSQL tpm":{"2025-04-14 17:09:51":"0","2025-04-14 17:09:52":"360"}}`; err != nil || string(got) != want {
		t.Errorf("got %s and error %v, want %s", got, err, want)
	}
	if got, want := view.Text(), "PostgreSQL tpm {\n 2025-04-14 17:09:51 = 0\n 2025-04-14 17:09:52 = 360\n}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMain sets the local time zone to UTC, because views have local times and are compared with
// golden files.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// several is a catalog with the databases and workloads of these tests.
var several = catalog.Catalog{
	Databases: []*database.Database{{Name: "postgresql", Title: "PostgreSQL"}, {Name: "mariadb", Title: "MariaDB"}, {Name: "sqlite", Title: "SQLite"}},
	Workloads: []*workload.Workload{{Name: "tprocc", Title: "TPROC-C"}},
}

func TestTheTableOfJobsShowsTheNewestFirstAndTheBest(t *testing.T) {
	jobs := []job.Job{
		reporttest.Ended(reporttest.Figures("A6", 6, 4, 0), job.Running), reporttest.Ended(reporttest.Figures("A5", 5, 4, 99_000), job.Invalid), reporttest.Figures("A4", 4, 4, 15_824.9),
		reporttest.Figures("A3", 3, 2, 9000), reporttest.Ended(reporttest.Build(), job.Killed), reporttest.Check(), reporttest.Remove(), reporttest.Queries(),
		{ID: "A0", Spec: job.Spec{Workload: "tprocc", Database: "oracle"}, Status: job.Failed, Begun: reporttest.Began},
	}
	reporttest.Golden(t, "table.txt", []byte(Table(jobs, several, "/data/jobs.db", 0, 0)+"\n\n"+Table(jobs[:1], several, "/data/jobs.db", 0, 0)+"\n"))
	for line := range strings.Lines(Table(jobs, several, "x", 0, 0)) {
		if strings.HasPrefix(line, "---") && len(line) != 100+1 {
			t.Errorf("got a line of %d dashes, want 100", len(line)-1)
		}
	}
}

func TestViewsOfOneJobAndOfManyHaveHammerDBsShapes(t *testing.T) {
	sd := 2.5
	imported := job.ImportDetails{
		Timings: []job.Timing{
			{Name: "PAYMENT", Calls: 3, SD: 1, Ratio: 10},
			{Name: "NEWORD", Calls: 5, Elapsed: 1000.25, P75: &sd, P25: &sd, Ratio: 52.308},
			{User: 2, Name: "NEWORD", Calls: 1},
		},
		System:  []job.Setting{{Name: "hostname", Value: "db1"}, {Name: "cpucount", Value: "8"}},
		Metrics: []job.SystemMetric{{At: reporttest.Began, User: &sd, Sys: &sd}},
	}
	settings := []job.Section{
		{Name: "connection", Settings: []job.Setting{{Name: "pg_host", Value: "<b>&"}}},
		{Name: "tpcc", Settings: []job.Setting{{Name: "pg_count_ware", Value: "10"}, {Name: "pg_rampup", Value: "2"}}},
	}
	two := []job.Job{reporttest.Run(), reporttest.Build(), reporttest.Queries()}
	var b strings.Builder
	for _, view := range []View{
		Results(two, several), Timestamps(two...), Result(reporttest.Queries(), several),
		Timing(reporttest.Run(), timingsOf(imported, 0)), Timing(reporttest.Run(), timingsOf(imported, 2)), Timing(reporttest.Run(), timingsOf(imported, 3)),
		Metrics(reporttest.Run(), imported.Metrics), Metrics(reporttest.Run(), nil), System(reporttest.Run(), job.ImportDetails{}), System(reporttest.Queries(), imported), System(reporttest.Killed(), job.ImportDetails{}),
		Settings(settings), Settings(nil), Database(reporttest.Run(), several), Database(reporttest.Queries(), several), Database(reporttest.Killed(), several), Benchmark(reporttest.Run(), several), Benchmark(reporttest.Queries(), several),
	} {
		fmt.Fprintf(&b, "%s\n%s\n\n", view.JSON(), view.Text())
	}
	reporttest.Golden(t, "views.txt", []byte(b.String()))
}

func said(lines ...repository.OutputLine) iter.Seq2[repository.OutputLine, error] {
	return func(yield func(repository.OutputLine, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

func TestLinesAboutAVirtualUserAreThoseOfNumberZero(t *testing.T) {
	output := said(
		repository.OutputLine{User: 1, Line: "RUNNING"},
		repository.OutputLine{User: 1, Line: "DBVersion:16.4"},
		repository.OutputLine{User: 0, Line: "Vuser 2:RUNNING"},
		repository.OutputLine{User: 1, Line: "FINISHED SUCCESS"},
	)
	for user, want := range map[int]string{
		-1: `["0","Vuser 1:RUNNING","1","DBVersion:16.4","0","Vuser 2:RUNNING","0","Vuser 1:FINISHED SUCCESS"]`,
		0:  `["0","Vuser 1:RUNNING","0","Vuser 2:RUNNING","0","Vuser 1:FINISHED SUCCESS"]`,
		1:  `["1","DBVersion:16.4"]`,
		7:  `[]`,
	} {
		view, found, err := Lines(output, user)
		text, _ := view.MarshalJSON()
		if err != nil || string(text) != want || found != (user != 7) {
			t.Errorf("user %d: got %s, %v and error %v, want %s", user, text, found, err, want)
		}
	}
	if view, _, _ := Lines(output, 1); view.Text() != "Virtual User 1: DBVersion:16.4" {
		t.Errorf("got %q as text", view.Text())
	}
}

func TestTextOfSeveralLinesIsSeveralLinesOfWhoSaidIt(t *testing.T) {
	output := said(
		repository.OutputLine{User: 0, Line: "Ready to create a schema\nin database TPCC?\nEnter yes or no: replied yes\n"},
		repository.OutputLine{User: 1, Line: "one\r\ntwo\x1b[2J"},
		repository.OutputLine{User: 1, Line: ""},
	)
	view, _, err := Lines(output, -1)
	if err != nil {
		t.Fatal(err)
	}
	want := `Virtual User 0: Ready to create a schema
Virtual User 0: in database TPCC?
Virtual User 0: Enter yes or no: replied yes
Virtual User 1: one
Virtual User 1: two\x1b[2J
Virtual User 1: `
	if got := view.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	text, _ := view.MarshalJSON()
	if want := `["0","Ready to create a schema\nin database TPCC?\nEnter yes or no: replied yes\n","1",`; !strings.HasPrefix(string(text), want) {
		t.Errorf("got %s, want the lines as they are in JSON: %s", text, want)
	}
}

// recorded records a run with a summary, counts and a virtual user's own figures.
func recorded(t *testing.T) (*repository.Store, job.Job) {
	t.Helper()
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	r, err := store.Begin(t.Context(), reporttest.Run().Spec, reporttest.Kinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.Watch(job.Event{At: reporttest.Began, Facts: reporttest.Run().Facts})
	for i, rate := range []float64{0, 36_000, 37_000, 12} {
		sum := meter.NewSummary(len(reporttest.Kinds))
		offset := time.Duration(10*i) * time.Second
		r.Watch(job.Event{At: reporttest.Began.Add(offset), Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: offset.Seconds(), ServerTPM: &rate}, Measured: sum.Coded()}})
	}
	result := reporttest.Run().Result
	result.Summary = reporttest.Measured()
	result.PerUser = []meter.CodedSummary{result.Summary.Coded()}
	if err := r.End(t.Context(), result, nil); err != nil {
		t.Fatal(err)
	}
	j, err := store.Get(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	return store, j
}

// A killed run has no event after its last measured second.
func TestMinutes_OfAKilledRunAreShown(t *testing.T) {
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r, err := store.Begin(t.Context(), reporttest.Run().Spec, reporttest.Kinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.Watch(job.Event{At: reporttest.Began, User: job.Monitor, Phase: &job.PhaseSpan{Name: job.Measure, Length: 5 * time.Minute}})
	for _, offset := range []time.Duration{59 * time.Second, time.Minute, 2 * time.Minute} {
		sum := meter.NewSummary(len(reporttest.Kinds))
		r.Watch(job.Event{At: reporttest.Began.Add(offset), User: job.Monitor, Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: offset.Seconds()}, Measured: sum.Coded()}})
	}
	if err := r.End(t.Context(), job.Result{Status: job.Killed}, nil); err != nil {
		t.Fatal(err)
	}
	j, err := store.Get(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	view, _, err := Lines(Output(t.Context(), store, j, catalog.Catalog{}), job.Monitor)
	if want := "Virtual User 1: Timing test period of 5 in minutes\nVirtual User 1: 1  ...,\nVirtual User 1: 2  ...,"; err != nil || view.Text() != want {
		t.Errorf("got %q, %v, want %q", view.Text(), err, want)
	}
}

// SQL Server is MSSQLServer in data, but not in texts.
func TestDatabase_HasItsNameInDataAndItsTitleInTheHeadline(t *testing.T) {
	c := catalog.Catalog{Databases: []*database.Database{{Name: "mssqlserver", Title: "SQL Server"}}}
	j := reporttest.Run()
	j.Spec.Database, j.Result.Line = "mssqlserver", ""
	if got, want := Headline(j, c), " SQL Server TPM"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end in %q", got, want)
	}
	if got := Database(j, c).Text(); !strings.HasPrefix(got, "MSSQLServer") {
		t.Errorf("got %q, want MSSQLServer", got)
	}
}

func TestTheLinesOfAJobOfAnotherProgramAreThoseThatItRecorded(t *testing.T) {
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	past := repository.Past{
		Job:    reporttest.Queries(),
		Output: []repository.OutputLine{{At: reporttest.Began, User: job.Monitor, Line: "1  ...,"}},
	}
	past.Counts = []job.Count{{At: past.Job.Begun.Add(2 * time.Minute), Rate: 7}}
	if _, err := store.Add(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	view, _, err := Lines(Output(t.Context(), store, past.Job, catalog.Catalog{}), -1)
	if want := "Virtual User 1: 1  ...,"; err != nil || view.Text() != want {
		t.Errorf("got %q, %v, want %q", view.Text(), err, want)
	}
}

func TestTheArtifactOfAJobIsWholeAndHasNothingToHide(t *testing.T) {
	store, j := recorded(t)
	id := j.ID
	j.ID, j.Begun = "last", reporttest.Began
	settings := []job.Section{
		{Name: "connection", Settings: []job.Setting{{Name: "pg_host", Value: "secret.example"}, {Name: "x_duration", Value: "9"}}},
		{Name: "tpcc", Settings: []job.Setting{{Name: "pg_count_ware", Value: "10"}, {Name: "pg_rampup", Value: "90s"}, {Name: "pg_duration", Value: "5"}}},
	}
	view, err := Artifact(t.Context(), store, j, settings, several)
	if err != nil {
		t.Fatal(err)
	}
	text := view.JSON()
	reporttest.Golden(t, "artifact.json", []byte(text+"\n"))
	if strings.Contains(text, "secret.example") || strings.Contains(text, string(id)) {
		t.Error("the artifact names the server")
	}

	own, err := UserTimings(t.Context(), store, j, 2, several)
	if err != nil || len(own) != 4 || own[0].Name != "NEWORD" || own[0].Calls != 1000 {
		t.Errorf("virtual user 2: got %+v and error %v", own, err)
	}
	if none, err := UserTimings(t.Context(), store, j, 3, several); err != nil || len(none) > 0 {
		t.Errorf("virtual user 3: got %+v and error %v, want nothing", none, err)
	}
}

func TestTheArtifactOfAJobOfHammerDBHasItsFigures(t *testing.T) {
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	idle := 40.5
	past := repository.Past{Job: reporttest.Queries(), Details: job.ImportDetails{
		Timings: []job.Timing{{Name: "Q14", Total: 1500}, {User: 1, Name: "Q14", Total: 1500}},
		Metrics: []job.SystemMetric{{At: reporttest.Began, User: &idle, Sys: &idle, IRQ: &idle, Idle: &idle, IOPS: &idle, MBps: &idle}},
	}}
	if _, err := store.Add(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	view, err := Artifact(t.Context(), store, reporttest.Queries(), nil, several)
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "artifact_queries.json", []byte(view.JSON()+"\n"))
}

// more is a catalog with an additional workload that HammerDB does not have.
var more = catalog.Catalog{Databases: several.Databases, Workloads: append(slices.Clone(several.Workloads), &workload.Workload{
	Name: "tellers", Title: "PROC-B", Schema: workload.Schema{Size: workload.Size{Option: "branches", Unit: "branches"}},
	Kinds: []workload.Kind{{Name: "credit"}, {Name: "debit"}},
})}

func TestJobsOfAnyWorkloadAreShownByWhatItDeclares(t *testing.T) {
	store, j := recorded(t)
	j.Spec.Workload, j.Begun, j.Kinds = "tellers", reporttest.Began, []string{"credit", "debit", "x", "y"}
	j.Result.Metrics, j.Result.Line = []job.Metric{{Name: "TPS", Value: 1234.567}}, "TEST RESULT : 1234.6 TPS"
	slower := j
	slower.ID, slower.Result.Metrics = "B1", []job.Metric{{Name: "TPS", Value: 99}}
	strange := reporttest.Ended(reporttest.Run(), job.Failed)
	strange.ID, strange.Spec.Workload = "C1", "stran\x1bge"

	table := Table([]job.Job{j, slower, strange}, more, "x", 0, 0)
	for _, want := range []string{
		"No TPROC-C runs found in database file x.\n\nPROC-B Jobs\nJobid                      Database           Date                Workload       TPS        Status\n",
		"Benchmark Run  1234.57    TOP\nB1", "99         SUCCESS\n\nNo TPROC-H runs found in database file x.\n\n" + `stran\x1bge Jobs` + "\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("got\n%s\nwant %q in it", table, want)
		}
	}
	results := string(must(Results([]job.Job{slower}, more).MarshalJSON()))
	if want := `"bm":"PROC-B","tstamp":"2025-04-14 17:09:51","activevu":"4","tps":"99"}}`; !strings.Contains(results, want) {
		t.Errorf("got %s, want %s in it", results, want)
	}
	settings := []job.Section{{Name: "tellers", Settings: []job.Setting{{Name: "pg_branches", Value: "7"}}}}
	view, err := Artifact(t.Context(), store, j, settings, more)
	if err != nil {
		t.Fatal(err)
	}
	text := string(must(view.MarshalJSON()))
	for _, want := range []string{
		`"benchmark":"PROC-B"`, `"warehouses":""`, `"branches":"7"`, `"type":"proc_b_result"`, `"tps":"1234.57","chart_data":[{"metric":"TPS","value":"1234.57"}]`,
		`"primary_result_metrics":["TPS"]`, `"transaction_count":{"available":true`, `"response_times":{"type":"boxplot"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %s in it", text, want)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

func TestResponseTimesAreInTheOrderOfTheLabels(t *testing.T) {
	got := string(encode(responseTimes([]job.Timing{{Name: "OTHER"}, {Name: "B"}, {Name: "A"}}, []string{"A", "B"})))
	a, b, other := strings.Index(got, `"A"`), strings.Index(got, `"B"`), strings.Index(got, `"OTHER"`)
	if a < 0 || b < a || other < b {
		t.Errorf("got %s, want A, B and OTHER", got)
	}
}
