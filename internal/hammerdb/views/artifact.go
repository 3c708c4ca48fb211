package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// artifactSchema is HammerDB's name for the shape of Artifact.
const artifactSchema = "hammerdb-job-report-v1"

// Artifact returns the document of "jobs ID save": a job with everything that other programs need
// to show it, without secrets. settings are all settings of the job, by section.
func Artifact(ctx context.Context, store *repository.Store, j job.Job, settings []job.Section, c catalog.Catalog) (View, error) {
	details, err := store.ImportDetails(ctx, j.ID)
	if err != nil {
		return View{}, err
	}
	timings, err := AllTimings(ctx, store, j, c)
	if err != nil {
		return View{}, err
	}
	counted, err := counts(ctx, store, j)
	if err != nil {
		return View{}, err
	}
	used, err := Used(ctx, store, j)
	if err != nil {
		return View{}, err
	}
	b := benchmark(j, c)
	o := object{
		{"schema", artifactSchema},
		{"description", "The result of one job of a database load test, with the facts that are needed to understand and repeat it."},
		{"artifact", object{
			{"type", "hammerdb-result-json"},
			{"schema", artifactSchema},
			{"source", "job repository"},
			{"generated_by", generatedBy(j)},
			{"visibility", "public"},
			{"redacted", true},
		}},
		{"disclaimer", disclaimer()},
		{"report_hints", hints(j, b)},
		{"analysis_hints", analysis(counted)},
		{"job", object{
			{"jobid", string(j.ID)},
			{"hdb_version", recordedBy(j)},
			{"database", databaseName(j, c)},
			{"database_display", displayName(j, c)},
			{"release", release(j)},
			{"benchmark", b.Name},
			{"timestamp", timestamp(j)},
		}},
		{"benchmark_config", configuration(j, b, settings)},
		{"system", available(system(j, details), "No system data available.")},
		{"result", outcome(j, c)},
	}
	if b.Queries {
		o = append(o, member{"query_times", queryTimes(timings)})
	} else {
		o = append(o, member{"transaction_count", transactionCount(j, counted, c)}, member{"response_times", responseTimes(timings, b.Labels)})
	}
	return View{value: append(o, member{"metrics", metricSeries(used)})}, nil
}

// AllTimings returns the response times of a job's transactions, over all virtual users.
func AllTimings(ctx context.Context, store *repository.Store, j job.Job, c catalog.Catalog) ([]job.Timing, error) {
	details, err := store.ImportDetails(ctx, j.ID)
	if err != nil || j.Origin != "" {
		return timingsOf(details, 0), err
	}
	if len(j.Result.Spans) > 0 {
		return spanTimings(j, 0, c), nil
	}
	sum, _, err := store.Summary(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	return Timings(sum, report.Users(j), labelsOf(j, c)), nil
}

// UserTimings returns the response times of the virtual user at a position.
func UserTimings(ctx context.Context, store *repository.Store, j job.Job, position int, c catalog.Catalog) ([]job.Timing, error) {
	details, err := store.ImportDetails(ctx, j.ID)
	if err != nil || j.Origin != "" {
		return timingsOf(details, position), err
	}
	if len(j.Result.Spans) > 0 {
		return spanTimings(j, position, c), nil
	}
	sum, _, err := store.UserSummary(ctx, j.ID, position)
	if err != nil {
		return nil, err
	}
	return Timings(sum, 1, labelsOf(j, c)), nil
}

// labelsOf returns HammerDB's names for a job's kinds of transaction, or Sledge's names if the
// workload no longer exists.
func labelsOf(j job.Job, c catalog.Catalog) []string {
	return benchmark(j, c).LabelsOf(j.Kinds)
}

func recordedBy(j job.Job) string {
	switch {
	case j.Origin != "":
		return j.Origin
	case j.Facts == nil:
		return "Sledge"
	}
	return strings.TrimSpace("Sledge " + j.Facts.SledgeVersion)
}

func generatedBy(j job.Job) string {
	if j.Origin == "" {
		return recordedBy(j)
	}
	return "Sledge, of a job that " + j.Origin + " recorded"
}

func disclaimer() object {
	return object{
		{"result_type", "workload derived from a TPC benchmark"},
		{"audited", false},
		{"text", "This is not a TPC result: it was not audited, and it must not be compared with published results of TPC benchmarks."},
		{"tpc_trademarks", "TPC, TPC-C and TPC-H are trademarks of the Transaction Processing Performance Council."},
	}
}

// hints tells programs that write reports how to use a job's document.
func hints(j job.Job, b names.Benchmark) object {
	bar := func(title, path string) object {
		return object{{"title", title}, {"chart_type", "bar"}, {"data_path", path}, {"x", "metric"}, {"y", "value"}}
	}
	o := object{
		{"title", "Database load test " + string(j.ID)},
		{"intended_use", "to show and compare results of load tests of databases"},
	}
	if b.Queries {
		return append(o,
			member{"primary_result_metrics", []string{"geomean_seconds", "total_query_time_seconds"}},
			member{"recommended_charts", []object{
				bar("Result", "result.chart_data"),
				{{"title", "Query times"}, {"chart_type", "bar"}, {"data_path", "query_times.rows"}, {"x", "name"}, {"y", "seconds"}},
			}},
			member{"notes", []string{"A lower geometric mean is better."}})
	}
	var primary []string
	for _, f := range mainFigures(j) {
		primary = append(primary, f.name)
	}
	notes := []string{}
	if slices.Contains(primary, nopm) {
		notes = append(notes, "NOPM counts new orders a minute and can be compared between databases; TPM is the server's own count, whose meaning differs between them.")
	}
	return append(o,
		member{"primary_result_metrics", primary},
		member{"recommended_charts", []object{
			bar("Result", "result.chart_data"),
			{{"title", "Transaction count"}, {"chart_type", "line"}, {"data_path", "transaction_count.series"}, {"x", "timestamp"}, {"y", "value"}},
			{
				{"title", "Response times"},
				{"chart_type", "boxplot"},
				{"data_path", "response_times.rows"},
				{"category", "name"},
				{"values", []string{"min_ms", "p25_ms", "p50_ms", "p75_ms", "p99_ms", "max_ms"}},
			},
			{
				{"title", "Processors"},
				{"chart_type", "line"},
				{"data_path", "metrics.cpu_percent"},
				{"x", "timestamp"},
				{"y_series", []string{"usr_pct", "sys_pct"}},
			},
		}},
		member{"notes", notes})
}

// activeAbove is the rate, in transactions a minute, above which a run counts as active.
const activeAbove = 1000

// analysis returns the active window of a run: from the first to the last count above the limit.
func analysis(counted []reading) object {
	var active []string
	for _, r := range counted {
		if r.rate > activeAbove {
			active = append(active, r.at)
		}
	}
	window := object{{"available", len(active) > 0}, {"start", ""}, {"end", ""}}
	tail := false
	if len(active) > 0 {
		last := active[len(active)-1]
		window[1].value, window[2].value = active[0], last
		tail = counted[len(counted)-1].at > last
	}
	return object{
		{"active_window", append(
			window,
			member{"method", "first to last count above the limit"},
			member{"transaction_count_min_active_value", strconv.Itoa(activeAbove)},
			member{"recommended_filter", "start <= timestamp <= end"},
		)},
		{"shutdown_tail", object{
			{"present", tail},
			{"threshold", strconv.Itoa(activeAbove)},
			{"note", "Counts after the active window are of virtual users that finish."},
		}},
	}
}

// configuration returns a few important settings. The document has no other settings, so it cannot
// contain a secret.
func configuration(j job.Job, b names.Benchmark, settings []job.Section) object {
	find := func(option string) string {
		if option == "" {
			return ""
		}
		name := names.Short(j.Spec.Database, j.Spec.Workload, option)
		for _, section := range settings {
			i := slices.IndexFunc(section.Settings, func(s job.Setting) bool { return s.Name == name || strings.HasSuffix(s.Name, "_"+name) })
			if i >= 0 && section.Name != "connection" {
				return section.Settings[i].Value
			}
		}
		return ""
	}
	o := object{
		{"warehouses", ""},
		{"virtual_users", strconv.Itoa(report.Users(j))},
		{"scale_factor", ""},
		{"rampup_minutes", minutes(find("rampup"))},
		{"duration_minutes", minutes(find("duration"))},
	}
	size := member{field(b.Unit), find(b.Size)}
	i := slices.IndexFunc(o, func(m member) bool { return m.name == size.name })
	switch {
	case i >= 0:
		o[i] = size
	case b.Size != "":
		o = append(o, size)
	}
	return o
}

// minutes returns a time in minutes; text may have another unit.
func minutes(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return text // already in minutes
	}
	return strconv.FormatFloat(d.Minutes(), 'f', -1, 64)
}

// available returns an object marked as available, or if it is empty, a message that it is not.
func available(o object, message string) object {
	if len(o) == 0 {
		return object{{"available", false}, {"message", message}}
	}
	return append(object{{"available", true}}, o...)
}

func outcome(j job.Job, c catalog.Catalog) object {
	a, ofQueries := answers(j)
	if !ofQueries && lines.Result(j.Result, "") == "" {
		return available(nil, "Jobid has no test result")
	}
	chart := func(figures ...member) []object {
		list := []object{}
		for _, f := range figures {
			list = append(list, object{{"metric", f.name}, {"value", f.value}})
		}
		return list
	}
	kind := field(benchmark(j, c).Title) + "_result"
	if ofQueries {
		mean := decimal(a.mean)
		return object{
			{"type", kind},
			{"queries", a.queries},
			{"query_sets", a.sets},
			{"geomean_seconds", mean},
			{"total_query_time_seconds", a.seconds},
			{"chart_data", chart(member{"geomean_seconds", mean}, member{"total_query_time_seconds", a.seconds})},
		}
	}
	o := object{
		{"type", kind},
		{"database_display", displayName(j, c)},
		{"active_virtual_users", strconv.Itoa(report.Users(j))},
	}
	for _, f := range mainFigures(j) {
		o = append(o, member{field(f.name), f.value})
	}
	return append(o, member{"chart_data", chart(mainFigures(j)...)})
}

func transactionCount(j job.Job, counted []reading, c catalog.Catalog) object {
	if len(counted) == 0 {
		return available(nil, "Jobid has no transaction counter data")
	}
	list := []object{}
	for _, r := range counted {
		list = append(list, object{{"timestamp", r.at}, {"value", Rate(r.rate)}})
	}
	return object{{"available", true}, {"series", []object{{
		{"name", fmt.Sprintf("%s %s", displayName(j, c), counterMetric(j, c))},
		{"database", databaseName(j, c)},
		{"database_display", displayName(j, c)},
		{"metric", counterMetric(j, c)},
		{"points", list},
	}}}}
}

// responseTimes lists transactions in the order of the workload's labels, followed by those without
// a label.
func responseTimes(timings []job.Timing, labels []string) object {
	place := func(t job.Timing) int {
		if i := slices.Index(labels, t.Name); i >= 0 {
			return i
		}
		return len(labels)
	}
	rows := []object{}
	for _, t := range slices.SortedStableFunc(slices.Values(timings), func(a, b job.Timing) int { return cmp.Compare(place(a), place(b)) }) {
		rows = append(rows, append(object{{"name", t.Name}}, timingObject(t)...))
	}
	return object{{"type", "boxplot"}, {"unit", "milliseconds"}, {"rows", rows}}
}

func queryTimes(timings []job.Timing) object {
	rows := []object{}
	for _, t := range timings {
		rows = append(rows, object{
			{"name", t.Name},
			{"total_ms", strconv.FormatFloat(t.Total, 'f', 3, 64)},
			{"seconds", strconv.FormatFloat(t.Total/1000, 'f', 3, 64)},
		})
	}
	return object{{"type", "bar"}, {"unit", "milliseconds"}, {"rows", rows}}
}

func metricSeries(list []job.SystemMetric) object {
	processors, operations, throughput := []object{}, []object{}, []object{}
	for _, m := range list {
		at := member{"timestamp", m.At.Format(time.DateTime)}
		if m.User != nil && m.Sys != nil && m.IRQ != nil && m.Idle != nil {
			processors = append(processors, object{
				at, {"usr_pct", decimal(*m.User)}, {"sys_pct", decimal(*m.Sys)}, {"irq_pct", decimal(*m.IRQ)}, {"idle_pct", decimal(*m.Idle)},
			})
		}
		if m.IOPS != nil {
			operations = append(operations, object{at, {"value", decimal(*m.IOPS)}})
		}
		if m.MBps != nil {
			throughput = append(throughput, object{at, {"value", decimal(*m.MBps)}})
		}
	}
	return object{{"available", len(list) > 0}, {"cpu_percent", processors}, {"iops", operations}, {"mbps", throughput}}
}
