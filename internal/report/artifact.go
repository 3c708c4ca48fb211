package report

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/job"
)

// artifactSchema names the shape of Artifact, which is HammerDB's.
const artifactSchema = "hammerdb-job-report-v1"

// Artifact is the document of "jobs ID save": a job with all that other programs
// need to show it, and nothing that is secret. The settings are all that the job
// had, by section.
func Artifact(ctx context.Context, store *job.Store, j job.Job, settings []job.Section, names Namer) (View, error) {
	details, err := store.Imported(ctx, j.ID)
	if err != nil {
		return View{}, err
	}
	timings, err := AllTimings(ctx, store, j, names)
	if err != nil {
		return View{}, err
	}
	counted, err := counts(store.Seconds(ctx, j.ID))
	if err != nil {
		return View{}, err
	}
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
		{"report_hints", hints(j)},
		{"analysis_hints", analysis(counted)},
		{"job", object{
			{"jobid", string(j.ID)},
			{"hdb_version", recordedBy(j)},
			{"database", databaseName(j, names)},
			{"database_display", displayName(j, names)},
			{"release", release(j)},
			{"benchmark", benchmark(j)},
			{"timestamp", timestamp(j)},
		}},
		{"benchmark_config", configuration(j, settings)},
		{"system", available(system(j, details), "No system data available.")},
		{"result", outcome(j, names)},
	}
	if benchmark(j) == tpcC {
		o = append(o, member{"transaction_count", transactionCount(j, counted, names)}, member{"response_times", responseTimes(timings)})
	} else {
		o = append(o, member{"query_times", queryTimes(timings)})
	}
	return View{value: append(o, member{"metrics", metricSeries(details)})}, nil
}

// AllTimings returns how long the transactions of a job took, of all virtual users
// together.
func AllTimings(ctx context.Context, store *job.Store, j job.Job, names Namer) ([]job.Timing, error) {
	details, err := store.Imported(ctx, j.ID)
	if err != nil || j.Origin != "" {
		return timingsOf(details, 0), err
	}
	sum, _, err := store.Summary(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	return Timings(sum, users(j), labelsOf(j, names)), nil
}

// UserTimings returns how long the transactions of the virtual user at a position took.
func UserTimings(ctx context.Context, store *job.Store, j job.Job, position int, names Namer) ([]job.Timing, error) {
	details, err := store.Imported(ctx, j.ID)
	if err != nil || j.Origin != "" {
		return timingsOf(details, position), err
	}
	sum, _, err := store.UserSummary(ctx, j.ID, position)
	if err != nil {
		return nil, err
	}
	return Timings(sum, 1, labelsOf(j, names)), nil
}

// labelsOf returns HammerDB's names for a job's kinds of transaction, or Sledge's own
// where the program does not have the workload any more.
func labelsOf(j job.Job, names Namer) []string {
	if known := names.Labels(j.Spec.Workload); len(known) == len(j.Kinds) {
		return known
	}
	return j.Kinds
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
		{"text", "This is no TPC result: it was not audited, and it must not be compared with published results of TPC benchmarks."},
		{"tpc_trademarks", "TPC, TPC-C and TPC-H are trademarks of the Transaction Processing Performance Council."},
	}
}

// hints say to programs that write reports what a job's document is good for.
func hints(j job.Job) object {
	bar := func(title, path string) object {
		return object{{"title", title}, {"chart_type", "bar"}, {"data_path", path}, {"x", "metric"}, {"y", "value"}}
	}
	o := object{
		{"title", "Database load test " + string(j.ID)},
		{"intended_use", "to show and compare results of load tests of databases"},
	}
	if benchmark(j) != tpcC {
		return append(o,
			member{"primary_result_metrics", []string{"geomean_seconds", "total_query_time_seconds"}},
			member{"recommended_charts", []object{
				bar("Result", "result.chart_data"),
				{{"title", "Query times"}, {"chart_type", "bar"}, {"data_path", "query_times.rows"}, {"x", "name"}, {"y", "seconds"}},
			}},
			member{"notes", []string{"A lower geometric mean is better."}})
	}
	return append(o,
		member{"primary_result_metrics", []string{nopm, tpm}},
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
		member{"notes", []string{
			"NOPM counts new orders a minute and can be compared between databases; TPM is the server's own count, whose meaning differs between them.",
		}})
}

// activeAbove is the count of transactions a minute above which a run is at work.
const activeAbove = 1000

// analysis says in which part of the counts the run was at work: from the first to
// the last of them that is above a limit.
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

// configuration is the few settings that everybody asks for. Nothing else of the
// settings is in the document, so no secret can be.
func configuration(j job.Job, settings []job.Section) object {
	find := func(name string) string {
		for _, section := range settings {
			i := slices.IndexFunc(section.Settings, func(s job.Setting) bool { return s.Name == name || strings.HasSuffix(s.Name, "_"+name) })
			if i >= 0 && section.Name != "connection" {
				return section.Settings[i].Value
			}
		}
		return ""
	}
	return object{
		{"warehouses", find("count_ware")},
		{"virtual_users", strconv.Itoa(users(j))},
		{"scale_factor", find("scale_fact")},
		{"rampup_minutes", minutes(find("rampup"))},
		{"duration_minutes", minutes(find("duration"))},
	}
}

// minutes spells a time in minutes, which may have been given with a unit.
func minutes(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return text // minutes as they are
	}
	return strconv.FormatFloat(d.Minutes(), 'f', -1, 64)
}

// available is an object that says that it is there, or a message that it is not.
func available(o object, message string) object {
	if len(o) == 0 {
		return object{{"available", false}, {"message", message}}
	}
	return append(object{{"available", true}}, o...)
}

func outcome(j job.Job, names Namer) object {
	if j.Result.Line == "" {
		return available(nil, "Jobid has no test result")
	}
	chart := func(figures ...member) []object {
		list := []object{}
		for _, f := range figures {
			list = append(list, object{{"metric", f.name}, {"value", f.value}})
		}
		return list
	}
	if mean, ok := metricOf(j, geomean); ok {
		sets, _ := figureOf(j, querySets)
		seconds, _ := figureOf(j, queryTime)
		return object{
			{"type", "tproc_h_result"},
			{"queries", queriesOf(j)},
			{"query_sets", sets},
			{"geomean_seconds", decimal(mean)},
			{"total_query_time_seconds", seconds},
			{"chart_data", chart(member{"geomean_seconds", decimal(mean)}, member{"total_query_time_seconds", seconds})},
		}
	}
	orders, _ := figureOf(j, nopm)
	transactions, _ := figureOf(j, tpm)
	return object{
		{"type", "tproc_c_result"},
		{"database_display", displayName(j, names)},
		{"active_virtual_users", strconv.Itoa(users(j))},
		{"nopm", orders},
		{"tpm", transactions},
		{"chart_data", chart(member{nopm, orders}, member{tpm, transactions})},
	}
}

func transactionCount(j job.Job, counted []reading, names Namer) object {
	if len(counted) == 0 {
		return available(nil, "Jobid has no transaction counter data")
	}
	list := []object{}
	for _, r := range counted {
		list = append(list, object{{"timestamp", r.at}, {"value", r.text()}})
	}
	return object{{"available", true}, {"series", []object{{
		{"name", fmt.Sprintf("%s %s", displayName(j, names), counterMetric(j))},
		{"database", databaseName(j, names)},
		{"database_display", displayName(j, names)},
		{"metric", counterMetric(j)},
		{"points", list},
	}}}}
}

// transactionOrder is the order in which the document has TPROC-C's transactions.
var transactionOrder = []string{"NEWORD", "PAYMENT", "DELIVERY", "SLEV", "OSTAT"}

func responseTimes(timings []job.Timing) object {
	rows := []object{}
	for _, name := range transactionOrder {
		i := slices.IndexFunc(timings, func(t job.Timing) bool { return t.Name == name })
		if i >= 0 {
			rows = append(rows, append(object{{"name", name}}, timingObject(timings[i])...))
		}
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

func metricSeries(details job.Imported) object {
	processors, operations, throughput := []object{}, []object{}, []object{}
	for _, m := range details.Metrics {
		at := member{"timestamp", m.At.Format(hammerTime)}
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
	return object{{"available", len(details.Metrics) > 0}, {"cpu_percent", processors}, {"iops", operations}, {"mbps", throughput}}
}
