package report

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// TestMain has local time be UTC, so that views, whose times are local, can be
// compared with golden files.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// catalogNames are those of the catalog that these tests need.
type catalogNames struct{}

func (catalogNames) Title(database string) string {
	return map[string]string{"postgresql": "PostgreSQL", "mariadb": "MariaDB", "sqlite": "SQLite"}[database]
}

func (catalogNames) Benchmarks() []job.Benchmark {
	return []job.Benchmark{
		{Workload: "tprocc", Name: "TPC-C", Title: "TPROC-C", Size: "count_ware", Unit: "warehouses", Labels: labels},
		{Workload: "tproch", Name: "TPC-H", Title: "TPROC-H", Size: "scale_fact", Unit: "scale factor", Queries: true},
	}
}

// figures makes a run of a number of users with a result, begun some minutes after
// the first.
func figures(id string, minute, users int, orders float64) job.Job {
	j := run()
	j.ID, j.Begun = job.ID(id), began.Add(time.Duration(minute)*time.Minute)
	j.Spec.Users, j.Result.Users = users, users
	j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: orders}, {Name: "TPM", Value: orders * 2}}
	return j
}

func ended(j job.Job, status job.Status) job.Job {
	j.Status = status
	if status != job.Invalid && status != job.Partial {
		j.Result = job.Result{}
	}
	return j
}

// queries is a run of TPROC-H that HammerDB recorded.
func queries() job.Job {
	return job.Job{
		ID: "67FD3345479A03E26313FFFF", Origin: "HammerDB", Status: job.Succeeded, Begun: began,
		Spec:  job.Spec{Action: job.Run, Database: "mssqlserver", Workload: "tproch"},
		Facts: &job.Facts{Server: "2022-CU1 16.0"},
		Result: job.Result{
			Line:    "Geometric mean of query times returning rows (22) is 1.23456",
			Metrics: []job.Metric{{Name: "query sets", Value: 1}, {Name: "query set seconds", Value: 52}, {Name: "geomean", Value: 1.23456}},
		},
	}
}

func TestTheTableOfJobsShowsTheNewestFirstAndTheBest(t *testing.T) {
	jobs := []job.Job{
		ended(figures("A6", 6, 4, 0), job.Running), ended(figures("A5", 5, 4, 99_000), job.Invalid), figures("A4", 4, 4, 15_824.9),
		figures("A3", 3, 2, 9000), ended(build(), job.Killed), check(), remove(), queries(),
		{ID: "A0", Spec: job.Spec{Workload: "tprocc", Database: "oracle"}, Status: job.Failed, Begun: began},
	}
	golden(t, "table.txt", []byte(Table(jobs, catalogNames{}, "/data/jobs.db", 0, 0)+"\n\n"+Table(jobs[:1], catalogNames{}, "/data/jobs.db", 0, 0)+"\n"))
	for line := range strings.Lines(Table(jobs, catalogNames{}, "x", 0, 0)) {
		if strings.HasPrefix(line, "---") && len(line) != 100+1 {
			t.Errorf("got a line of %d dashes, want 100", len(line)-1)
		}
	}
}

func TestViewsOfOneJobAndOfManyHaveHammerDBsShapes(t *testing.T) {
	sd := 2.5
	imported := job.Imported{
		Timings: []job.Timing{
			{Name: "PAYMENT", Calls: 3, SD: 1, Ratio: 10},
			{Name: "NEWORD", Calls: 5, Elapsed: 1000.25, P75: &sd, P25: &sd, Ratio: 52.308},
			{User: 2, Name: "NEWORD", Calls: 1},
		},
		System:  []job.Setting{{Name: "hostname", Value: "db1"}, {Name: "cpucount", Value: "8"}},
		Metrics: []job.SystemMetric{{At: began, User: &sd, Sys: &sd}},
	}
	settings := []job.Section{
		{Name: "connection", Settings: []job.Setting{{Name: "pg_host", Value: "<b>&"}}},
		{Name: "tpcc", Settings: []job.Setting{{Name: "pg_count_ware", Value: "10"}, {Name: "pg_rampup", Value: "2"}}},
	}
	two := []job.Job{run(), build(), queries()}
	var b strings.Builder
	for _, view := range []View{
		Results(two, catalogNames{}), Timestamps(two...), Result(queries()),
		Timing(run(), timingsOf(imported, 0)), Timing(run(), timingsOf(imported, 2)), Timing(run(), timingsOf(imported, 3)),
		Metrics(run(), imported), Metrics(run(), job.Imported{}), System(run(), job.Imported{}), System(queries(), imported), System(killed(), job.Imported{}),
		Settings(settings), Settings(nil), Database(run(), catalogNames{}), Database(queries(), catalogNames{}), Database(killed(), catalogNames{}), Benchmark(run(), catalogNames{}), Benchmark(queries(), catalogNames{}),
	} {
		fmt.Fprintf(&b, "%s\n%s\n\n", view.JSON(), view.Text())
	}
	golden(t, "views.txt", []byte(b.String()))
}

func said(lines ...job.OutputLine) iter.Seq2[job.OutputLine, error] {
	return func(yield func(job.OutputLine, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

func TestLinesAboutAVirtualUserAreThoseOfNumberZero(t *testing.T) {
	output := said(
		job.OutputLine{User: 1, Line: "RUNNING"},
		job.OutputLine{User: 1, Line: "DBVersion:16.4"},
		job.OutputLine{User: 0, Line: "Vuser 2:RUNNING"},
		job.OutputLine{User: 1, Line: "FINISHED SUCCESS"},
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
		job.OutputLine{User: 0, Line: "Ready to create a schema\nin database TPCC?\nEnter yes or no: replied yes\n"},
		job.OutputLine{User: 1, Line: "one\r\ntwo\x1b[2J"},
		job.OutputLine{User: 1, Line: ""},
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

func TestAProfileIsATableAndAChart(t *testing.T) {
	jobs := []job.Job{
		figures("A1", 0, 1, 10_000), figures("A2", 1, 2, 19_000), figures("A4", 2, 4, 30_000),
		ended(figures("A5", 3, 6, 99_000), job.Invalid), ended(figures("A6", 4, 7, 0), job.Failed), figures("A8", 5, 8, 35_000),
	}
	golden(t, "profile.txt", []byte(ProfileText(jobs, 0)))
	for line := range strings.Lines(ProfileText(jobs, 60)) {
		if wide := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); wide > 60 {
			t.Errorf("on 60 columns: a line takes %d: %q", wide, line)
		}
	}
	if text := ProfileText(jobs[:1], 0); strings.Contains(text, "over active") {
		t.Errorf("one number of users: got a chart\n%s", text)
	}
	if text := ProfileText(jobs, 0); strings.Contains(text, "\x1b") {
		t.Error("got colours, which a file or a pipe cannot show")
	}
}

func TestTheMeanOfRunsWithEqualUsersIsAPoint(t *testing.T) {
	got := Points([]job.Job{figures("A", 0, 4, 200), figures("B", 1, 1, 50), figures("C", 2, 4, 100), ended(figures("D", 3, 4, 900), job.Partial)})
	want := []Point{{1, 50, 100}, {4, 150, 300}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestProfilesAreComparedWhereBothHaveAPoint(t *testing.T) {
	base := []job.Job{figures("A", 0, 1, 100), figures("B", 1, 4, 200), figures("C", 2, 16, 900)}
	better := []job.Job{figures("D", 3, 4, 230), figures("E", 4, 1, 100), figures("F", 5, 32, 7)}
	for _, test := range []struct {
		name       string
		compared   []job.Job
		weighted   bool
		processors int
		ratio      string
		line       string
	}{
		// The means are 150 and 165.
		{"unweighted", better, false, 0, "+0.10", "Profiles compared (unweighted): matched=2, avg_base=150.00, avg_comp=165.00"},
		// Of 3 processors 2 are cores: the weights are 1 and 2, the means 500/3 and 560/3.
		{"weighted", better, true, 3, "+0.12", "Profiles compared (weighted linear, no cap): matched=2, phys_cores=2, avg_base=166.67, avg_comp=186.67"},
		{"weighted without processors", better, true, 0, "+0.10", "The number of processors of the base is not known: profiles compared without weights"},
		{"the same", base[:1], false, 0, "0.00", "Profiles compared (unweighted): matched=1, avg_base=100.00, avg_comp=100.00"},
		{"a little worse", []job.Job{figures("G", 6, 1, 99.9)}, false, 0, "-0.0010", "Profiles compared (unweighted): matched=1, avg_base=100.00, avg_comp=99.90"},
		{"worse", []job.Job{figures("H", 7, 1, 88)}, false, 0, "-0.12", "Profiles compared (unweighted): matched=1, avg_base=100.00, avg_comp=88.00"},
	} {
		c, ok := Compare(base, test.compared, test.weighted, test.processors)
		if !ok || c.String() != test.ratio || c.Lines[len(c.Lines)-1] != test.line {
			t.Errorf("%s: got %s, %q and %v, want %s and %q", test.name, c, c.Lines, ok, test.ratio, test.line)
		}
	}
	if c, ok := Compare(base[:1], better[:1], false, 0); ok {
		t.Errorf("no point in both: got %v", c)
	}
}

// recorded enters a run with a summary, counts and a virtual user's own figures.
func recorded(t *testing.T) (*job.Store, job.Job) {
	t.Helper()
	store, err := job.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	r, err := store.Begin(t.Context(), run().Spec, kinds)
	if err != nil {
		t.Fatal(err)
	}
	r.Watch(job.Event{At: began, Facts: run().Facts})
	for i, rate := range []float64{0, 36_000, 37_000, 12} {
		sum := meter.NewSummary(len(kinds))
		offset := time.Duration(10*i) * time.Second
		r.Watch(job.Event{At: began.Add(offset), Second: &job.Second{Phase: job.Measure, Offset: offset, Summary: &sum, ServerTPM: &rate}})
	}
	result := run().Result
	result.Summary, result.PerUser = measured(), []meter.Summary{measured()}
	if err := r.End(t.Context(), result, nil); err != nil {
		t.Fatal(err)
	}
	j, err := store.Get(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	return store, j
}

func TestTheArtifactOfAJobIsWholeAndHasNothingToHide(t *testing.T) {
	store, j := recorded(t)
	id := j.ID
	j.ID, j.Begun = "last", began
	settings := []job.Section{
		{Name: "connection", Settings: []job.Setting{{Name: "pg_host", Value: "secret.example"}, {Name: "x_duration", Value: "9"}}},
		{Name: "tpcc", Settings: []job.Setting{{Name: "pg_count_ware", Value: "10"}, {Name: "pg_rampup", Value: "90s"}, {Name: "pg_duration", Value: "5"}}},
	}
	view, err := Artifact(t.Context(), store, j, settings, catalogNames{})
	if err != nil {
		t.Fatal(err)
	}
	text := view.JSON()
	golden(t, "artifact.json", []byte(text+"\n"))
	if strings.Contains(text, "secret.example") || strings.Contains(text, string(id)) {
		t.Error("the artifact names the server")
	}

	own, err := UserTimings(t.Context(), store, j, 2, catalogNames{})
	if err != nil || len(own) != 4 || own[0].Name != "NEWORD" || own[0].Calls != 1000 {
		t.Errorf("virtual user 2: got %+v and error %v", own, err)
	}
	if none, err := UserTimings(t.Context(), store, j, 3, catalogNames{}); err != nil || len(none) > 0 {
		t.Errorf("virtual user 3: got %+v and error %v, want nothing", none, err)
	}
}

func TestTheArtifactOfAJobOfHammerDBHasItsFigures(t *testing.T) {
	store, err := job.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	idle := 40.5
	past := job.Past{Job: queries(), Details: job.Imported{
		Timings: []job.Timing{{Name: "Q14", Total: 1500}, {User: 1, Name: "Q14", Total: 1500}},
		Metrics: []job.SystemMetric{{At: began, User: &idle, Sys: &idle, IRQ: &idle, Idle: &idle, IOPS: &idle, MBps: &idle}},
	}}
	if _, err := store.Add(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	view, err := Artifact(t.Context(), store, queries(), nil, catalogNames{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "artifact_queries.json", []byte(view.JSON()+"\n"))
}

// more are the names of a program that has a workload more.
type more struct{ catalogNames }

func (m more) Benchmarks() []job.Benchmark {
	return append(m.catalogNames.Benchmarks(), job.Benchmark{Workload: "tellers", Name: "TPC-B", Title: "PROC-B", Size: "count_branches", Unit: "branches", Labels: []string{"CREDIT", "DEBIT"}})
}

func TestJobsOfAnyWorkloadAreShownByWhatItDeclares(t *testing.T) {
	store, j := recorded(t)
	j.Spec.Workload, j.Begun, j.Kinds = "tellers", began, []string{"credit", "debit", "x", "y"}
	j.Result.Metrics, j.Result.Line = []job.Metric{{Name: "TPS", Value: 1234.567}}, "TEST RESULT : 1234.6 TPS"
	slower := j
	slower.ID, slower.Result.Metrics = "B1", []job.Metric{{Name: "TPS", Value: 99}}
	strange := ended(run(), job.Failed)
	strange.ID, strange.Spec.Workload = "C1", "stran\x1bge"

	table := Table([]job.Job{j, slower, strange}, more{}, "x", 0, 0)
	for _, want := range []string{
		"No TPROC-C runs found in database file x.\n\nNo TPROC-H runs",
		"\n\nPROC-B Jobs\nJobid                      Database           Date                Workload       TPS        Status\n",
		"Benchmark Run  1234.57    TOP\nB1", "99         SUCCESS\n\n" + `stran\x1bge Jobs` + "\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("got\n%s\nwant %q in it", table, want)
		}
	}
	results := string(must(Results([]job.Job{slower}, more{}).MarshalJSON()))
	if want := `"bm":"TPC-B","tstamp":"2025-04-14 17:09:51","activevu":"4","tps":"99"}}`; !strings.Contains(results, want) {
		t.Errorf("got %s, want %s in it", results, want)
	}
	settings := []job.Section{{Name: "tellers", Settings: []job.Setting{{Name: "pg_count_branches", Value: "7"}}}}
	view, err := Artifact(t.Context(), store, j, settings, more{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(must(view.MarshalJSON()))
	for _, want := range []string{
		`"benchmark":"TPC-B"`, `"warehouses":""`, `"branches":"7"`, `"type":"proc_b_result"`, `"tps":"1234.57","chart_data":[{"metric":"TPS","value":"1234.57"}]`,
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
