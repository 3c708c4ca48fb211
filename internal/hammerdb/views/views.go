package views

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// The views in this file have the shapes of HammerDB's "jobs ID" commands, for scripts that parse
// these: every value is a string, and times are local.

// databaseName returns HammerDB's name for the database of a job. Sledge may not have the database
// of an imported job, and HammerDB may not have that of Sledge's jobs.
func databaseName(j job.Job, c catalog.Catalog) string {
	if d, err := c.Known().Database(j.Spec.Database); err == nil {
		return cmp.Or(names.Of(d.Name).Name, d.Title)
	}
	return cmp.Or(names.Named(j.Spec.Database).Name, j.Spec.Database)
}

// displayName returns the name of the database in HammerDB's texts.
func displayName(j job.Job, c catalog.Catalog) string {
	name := databaseName(j, c)
	return cmp.Or(names.Named(name).Display, name)
}

// benchmark returns the benchmark of a job. An unknown workload, for example of another version of
// Sledge, is shown by its name in options.
func benchmark(j job.Job, c catalog.Catalog) names.Benchmark {
	for _, b := range known(c) {
		if b.Workload == j.Spec.Workload {
			return b
		}
	}
	return names.Benchmark{Workload: j.Spec.Workload, Name: j.Spec.Workload, Title: j.Spec.Workload}
}

// known lists the workloads of a catalog, followed by those that only HammerDB has, whose jobs may
// be imported.
func known(c catalog.Catalog) (list []names.Benchmark) {
	for _, w := range c.Workloads {
		list = append(list, names.BenchmarkOf(w))
	}
	for _, b := range names.Benchmarks {
		if !slices.ContainsFunc(list, func(there names.Benchmark) bool { return there.Workload == b.Workload }) {
			list = append(list, b)
		}
	}
	return list
}

// release returns the version of a job's server, "16.4", or "".
func release(j job.Job) string {
	if j.Facts == nil {
		return ""
	}
	for word := range strings.FieldsSeq(j.Facts.Server) {
		if word[0] >= '0' && word[0] <= '9' {
			number, _, _ := strings.Cut(word, "-")
			return number
		}
	}
	return j.Facts.Server
}

// figureOf returns a headline figure as in HammerDB, truncated to a whole number, and whether the
// job has it.
func figureOf(j job.Job, name string) (string, bool) {
	value, ok := metricOf(j, name)
	if !ok {
		return "", false
	}
	return strconv.FormatInt(int64(value), 10), true
}

// metricOf returns a headline figure. For a run whose mix has no new orders, NOPM is 0, as in
// HammerDB.
func metricOf(j job.Job, name string) (value float64, found bool) {
	value, found = j.Result.Metric(name)
	if name == nopm && !found {
		_, found = j.Result.Metric(tpm)
	}
	return value, found
}

// mainFigure returns the figure that represents a job: the geometric mean of its queries, NOPM, or
// the first figure of another workload. It returns false if the job has no result.
func mainFigure(j job.Job) (job.Metric, bool) {
	if a, ok := answers(j); ok {
		return job.Metric{Name: geomean, Value: a.mean}, true
	}
	if value, ok := metricOf(j, nopm); ok {
		return job.Metric{Name: nopm, Value: value}, true
	}
	if lines.Result(j.Result, "") == "" || len(j.Result.Metrics) == 0 {
		return job.Metric{}, false
	}
	return j.Result.Metrics[0], true
}

// mainFigures returns the formatted headline figures of a job that is measured in transactions:
// NOPM and TPM, or the figures of another workload.
func mainFigures(j job.Job) object {
	if h, ok := mainFigure(j); ok && h.Name != nopm {
		var o object
		for _, m := range j.Result.Metrics {
			o = append(o, member{m.Name, written(m)})
		}
		return o
	}
	orders, _ := figureOf(j, nopm)
	transactions, _ := figureOf(j, tpm)
	return object{{nopm, orders}, {tpm, transactions}}
}

// written formats a figure: NOPM and TPM as whole numbers like HammerDB, a geometric mean with all
// digits, and others to hundredths.
func written(m job.Metric) string {
	switch m.Name {
	case nopm, tpm:
		return strconv.FormatInt(int64(m.Value), 10)
	case geomean:
		return decimal(m.Value)
	}
	return decimal(math.Round(m.Value*100) / 100)
}

// field returns a name as a member of an object: "TPROC-C" becomes "tproc_c".
func field(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
}

// The headline figures that HammerDB knows, by their names in a job's metrics.
const (
	nopm      = "NOPM"
	tpm       = "TPM"
	geomean   = "geomean"
	querySets = "query sets"
	queryTime = "query set seconds"
)

// Headline returns the line with a run's result.
func Headline(j job.Job, c catalog.Catalog) string { return lines.Result(j.Result, displayName(j, c)) }

// Result is the view of "jobs ID result".
func Result(j job.Job, c catalog.Catalog) View {
	if a, ok := answers(j); ok {
		return View{value: append([]string{string(j.ID), timestamp(j)}, a.lines...)}
	}
	if lines.Result(j.Result, "") == "" {
		return without(j, "test result")
	}
	return View{value: []string{
		string(j.ID), timestamp(j), lines.Active(report.Users(j), j.Result.Clients), Headline(j, c),
	}}
}

func timestamp(j job.Job) string { return j.Begun.Format(time.DateTime) }

// Lines returns the view of "jobs ID": the output of all virtual users if user is -1, else of the
// user at that position; position 0 has lines about virtual users, such as that a user has
// finished. It returns false if there are no such lines.
func Lines(output iter.Seq2[repository.OutputLine, error], user int) (View, bool, error) {
	view := View{value: []string{}, lines: []string{}}
	list := []string{}
	for o, err := range output {
		if err != nil {
			return view, false, err
		}
		if slices.Contains([]string{lines.Running, lines.Succeeded, lines.Failed}, o.Line) && o.User > 0 {
			o.Line, o.User = fmt.Sprintf("Vuser %d:%s", o.User, o.Line), 0
		}
		if user >= 0 && o.User != user {
			continue
		}
		list = append(list, strconv.Itoa(o.User), o.Line)
		// A recorded line may contain several printed lines, such as a question. Each gets the
		// virtual user's name, because people search for it.
		for line := range strings.SplitSeq(strings.TrimRight(o.Line, "\r\n"), "\n") {
			view.lines = append(view.lines, fmt.Sprintf("Virtual User %d: %s", o.User, report.Printable(strings.TrimSuffix(line, "\r"))))
		}
	}
	view.value = list
	return view, len(list) > 0, nil
}

// Timing is the view of "jobs ID timing": response times, beginning with the kind that took the
// largest share of the time.
func Timing(j job.Job, list []job.Timing) View {
	if len(list) == 0 {
		return without(j, "timing data")
	}
	return View{value: timingsObject(list)}
}

// byRatio sorts timings by their share of the users' time, largest first.
func byRatio(list []job.Timing) []job.Timing {
	return slices.SortedStableFunc(slices.Values(list), func(a, b job.Timing) int { return cmp.Compare(b.Ratio, a.Ratio) })
}

func timingsObject(list []job.Timing) object {
	var o object
	for _, t := range byRatio(list) {
		o = append(o, member{t.Name, timingObject(t)})
	}
	return o
}

func timingObject(t job.Timing) object {
	three := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	o := object{
		{"elapsed_ms", strconv.FormatFloat(t.Elapsed, 'f', 1, 64)},
		{"calls", strconv.FormatInt(t.Calls, 10)},
		{"min_ms", three(t.Min)},
		{"avg_ms", three(t.Avg)},
		{"max_ms", three(t.Max)},
		{"total_ms", three(t.Total)},
		{"p99_ms", three(t.P99)},
		{"p95_ms", three(t.P95)},
	}
	if t.P75 != nil {
		o = append(o, member{"p75_ms", three(*t.P75)})
	}
	o = append(o, member{"p50_ms", three(t.P50)})
	if t.P25 != nil {
		o = append(o, member{"p25_ms", three(*t.P25)})
	}
	return append(o, member{"sd", three(t.SD)}, member{"ratio_pct", three(t.Ratio)})
}

// Timings returns statistics of the response times of a number of users. The labels are HammerDB's
// names for the kinds of transaction. It uses response times, not service times, because HammerDB's
// times also include retries.
func Timings(sum meter.Summary, users int, labels []string) []job.Timing {
	elapsed := float64(sum.Elapsed) / float64(time.Millisecond)
	var list []job.Timing
	for i := range sum.Kinds {
		t := &sum.Kinds[i]
		if t.Done == 0 {
			continue
		}
		l := meter.NewLatency(t.Response)
		mean, p75, p25 := float64(l.Mean), float64(l.P75), float64(l.P25)
		total := mean * float64(t.Done)
		list = append(list, job.Timing{
			Name: report.KindName(labels, i), Calls: t.Done, Elapsed: elapsed,
			Min: float64(l.Min), Avg: mean, Max: float64(l.Max), Total: total,
			P99: float64(l.P99), P95: float64(l.P95), P75: &p75, P50: float64(l.P50), P25: &p25, SD: float64(l.StdDev),
			Ratio: report.Percent(total, elapsed*float64(max(1, users))), // of all users' time
		})
	}
	return list
}

// timingsOf returns the recorded timings of the virtual user at a position, or of all users
// together if position is 0.
func timingsOf(details job.ImportDetails, position int) []job.Timing {
	var list []job.Timing
	for _, t := range details.Timings {
		if t.User == position {
			list = append(list, t)
		}
	}
	return list
}

// TCount is the view of "jobs ID tcount": transactions a minute over time. The view has a
// resolution of one second; of two readings in one second it shows the later.
func TCount(ctx context.Context, store *repository.Store, j job.Job, c catalog.Catalog) (View, error) {
	readings, err := counts(ctx, store, j)
	if err != nil {
		return View{}, err
	}
	if len(readings) == 0 {
		return without(j, "transaction counter data"), nil
	}
	var points object
	for _, r := range readings {
		points = append(points, member{r.at, Rate(r.rate)})
	}
	return View{value: object{{databaseName(j, c) + " " + counterMetric(j, c), points}}}, nil
}

// counterMetric returns the unit of HammerDB's transaction counter.
func counterMetric(j job.Job, c catalog.Catalog) string {
	if benchmark(j, c).Queries {
		return "qph"
	}
	return "tpm"
}

// Rate formats a rate of transactions a minute like HammerDB's transaction counter, as a whole
// number.
func Rate(perMinute float64) string { return strconv.FormatFloat(perMinute, 'f', 0, 64) }

// reading is a rate of transactions with its formatted time.
type reading struct {
	at   string
	rate float64
}

// counts returns the rates of a job, at most one per second: the readings of the transaction
// counter during the job, or if the counter was not running, the server's own rates that the run
// sampled.
func counts(ctx context.Context, store *repository.Store, j job.Job) ([]reading, error) {
	list, err := readings(store.Readings(ctx, j.ID))
	if err != nil || len(list) > 0 {
		return list, err
	}
	return readings(sampled(store.Seconds(ctx, j.ID)))
}

func readings(counts iter.Seq2[job.Count, error]) ([]reading, error) {
	var list []reading
	for c, err := range counts {
		if err != nil {
			return nil, err
		}
		r := reading{c.At.Format(time.DateTime), c.Rate}
		if n := len(list); n > 0 && list[n-1].at == r.at {
			list[n-1] = r
			continue
		}
		list = append(list, r)
	}
	return list, nil
}

// sampled yields the server's rates of the seconds in which the run read them.
func sampled(seconds iter.Seq2[job.Event, error]) iter.Seq2[job.Count, error] {
	return func(yield func(job.Count, error) bool) {
		for s, err := range seconds {
			var c job.Count
			if err == nil {
				if s.Second.ServerTPM == nil {
					continue
				}
				c = job.Count{At: s.At, Rate: *s.Second.ServerTPM}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// Metrics is the view of "jobs ID metrics".
func Metrics(j job.Job, list []job.SystemMetric) View {
	if len(list) == 0 {
		return without(j, "metrics data")
	}
	var o object
	for _, m := range list {
		var figures object
		for _, f := range []struct {
			name  string
			value *float64
		}{{"usr%", m.User}, {"sys%", m.Sys}, {"irq%", m.IRQ}, {"idle%", m.Idle}, {"iops", m.IOPS}, {"mbps", m.MBps}} {
			if f.value != nil {
				figures = append(figures, member{f.name, strconv.FormatFloat(*f.value, 'f', 1, 64)})
			}
		}
		o = append(o, member{m.At.Format(time.DateTime), figures})
	}
	return View{value: o}
}

// System is the view of "jobs ID system". It describes the machine of Machine, and says which one that
// is.
func System(j job.Job, details job.ImportDetails) View {
	facts := system(j, details)
	if len(facts) == 0 {
		return without(j, "system data")
	}
	return View{value: facts}
}

func system(j job.Job, details job.ImportDetails) object {
	facts := map[string]string{}
	for _, s := range details.System {
		facts[s.Name] = s.Value
	}
	if j.Facts != nil && j.Origin == "" {
		name, machine := Machine(*j.Facts)
		facts = lines.SystemFacts(machine)
		facts["extra"] = "the machine that Sledge ran on"
		if name != job.ClientMachine {
			facts["extra"] = "the machine of the agent " + name
		}
	}
	if len(facts) == 0 {
		return nil
	}
	var o object
	for _, name := range names.SystemFacts {
		o = append(o, member{name, facts[name]})
	}
	return o
}

// Settings is the view of "jobs ID dict". The sections must not contain secrets.
func Settings(sections []job.Section) View {
	o := object{}
	for _, s := range sections {
		inner := object{}
		for _, setting := range s.Settings {
			inner = append(inner, member{setting.Name, setting.Value})
		}
		o = append(o, member{s.Name, inner})
	}
	return View{value: o}
}

// NoTiming returns HammerDB's line for a virtual user without response times.
func NoTiming(j job.Job, user int) string {
	return fmt.Sprintf("No Timing Data for VU %d for JOB %s: jobs jobid timing vuid", user, j.ID)
}

// Section returns a part of a job in the shape of HammerDB's web service, with the job's ID and the
// part's name.
func Section(j job.Job, name string, part View) View {
	value := part.value
	switch is := value.(type) {
	case []string:
		if len(is) > 0 && is[0] == string(j.ID) {
			is = is[1:] // the part is missing; the rest is the reason
		}
		if part.lines == nil {
			value = strings.Join(is, " ")
		}
	case object:
		if len(is) == 1 && is[0].name == string(j.ID) {
			value = is[0].value
		}
	}
	return View{value: object{{"jobid", string(j.ID)}, {"section", name}, {"value", value}}}
}

// Database is the view of "jobs ID db".
func Database(j job.Job, c catalog.Catalog) View {
	list := []string{databaseName(j, c)}
	if r := release(j); r != "" {
		list = append(list, r)
	}
	return View{value: list}
}

// IDs is the view of the list of jobs in HammerDB's web service up to version 5.
func IDs(jobs []job.Job) View {
	ids := []string{}
	for _, j := range jobs {
		ids = append(ids, string(j.ID))
	}
	return View{value: ids}
}

// Benchmark is the view of "jobs ID bm".
func Benchmark(j job.Job, c catalog.Catalog) View {
	return View{value: []string{benchmark(j, c).Name}}
}

// without returns the view of a missing part.
func without(j job.Job, what string) View {
	return View{value: []string{string(j.ID), "Jobid has no " + what}}
}
