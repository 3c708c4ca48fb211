package sysbench

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"sledge/internal/meter"
	"sledge/internal/workload/script/sysbench"
)

// The buckets of sysbench's histogram of latencies, in milliseconds.
const (
	buckets = 1024
	fastest = 0.001
	slowest = 100_000
)

func newHistogram() *sysbench.Histogram { return sysbench.NewHistogram(buckets, fastest, slowest) }

// sums are the sums of a thread.
type sums struct {
	events int64
	took   time.Duration
}

// counted are the counts of statements at one time.
type counted struct{ read, write, other, errors, reconnects int64 }

func (c counted) since(before counted) counted {
	return counted{c.read - before.read, c.write - before.write, c.other - before.other, c.errors - before.errors, c.reconnects - before.reconnects}
}

func (c counted) all() int64 { return c.read + c.write + c.other }

// period is what has been counted since a time.
type period struct {
	from      time.Duration // since users began
	counts    counted       // at that time
	events    int64
	histogram *sysbench.Histogram
}

// Statistics counts the events of a run and reports them. It is safe for concurrent use.
type Statistics struct {
	arguments   *Arguments
	checkpoints []float64
	hasRate     bool
	warmUp      time.Duration
	each        time.Duration // between reports; 0 for none
	percentile  float64
	to          io.Writer
	hooks       *sysbench.State // of the script's report hooks

	mu       sync.Mutex
	counts   []*sysbench.Counts // of the threads
	began    time.Time          // when users began; zero before the first event
	last     time.Duration      // the end of the last event, since then
	warm     bool               // the warm-up is over
	interval period
	total    period
	threads  []sums
	min, max time.Duration
	sum      time.Duration
	failed   error // of a hook
}

// NewStatistics returns the statistics of a run. The script's hooks are those of a state.
func NewStatistics(a *Arguments, checkpoints []float64, to io.Writer, hooks *sysbench.State) *Statistics {
	return &Statistics{
		arguments: a, checkpoints: checkpoints, to: to, hooks: hooks, threads: make([]sums, int(a.Number("threads"))), warm: a.Number("warmup_time") == 0,
		hasRate: a.Number("rate") > 0, warmUp: seconds(a.Number("warmup_time")), each: seconds(a.Number("report_interval")), percentile: a.Number("percentile"),
		interval: period{histogram: newHistogram()}, total: period{histogram: newHistogram()},
	}
}

// Join adds the counts of a thread: it is a job.Direct.Joined.
func (s *Statistics) Join(executor any) {
	counting, is := executor.(interface{ Counts() []*sysbench.Counts })
	if !is {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = append(s.counts, counting.Counts()...)
}

// now returns the counts of all threads.
func (s *Statistics) now() (sum counted) {
	for _, c := range s.counts {
		sum.read += c.Read.Load()
		sum.write += c.Write.Load()
		sum.other += c.Other.Load()
		sum.errors += c.Errors.Load()
		sum.reconnects += c.Reconnects.Load()
	}
	return sum
}

// Record counts an event: it is a job.Control.Records.
func (s *Statistics) Record(began time.Time, r *meter.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began, s.last = began, max(s.last, r.Ended)
	if r.Outcome == meter.Failed || r.Ended < s.warmUp {
		return
	}
	latency := r.Response - r.Late
	if s.hasRate {
		latency = r.Response
	}
	s.interval.events++
	inMs := float64(latency) / float64(time.Millisecond)
	s.interval.histogram.Add(inMs)
	s.total.histogram.Add(inMs)
	if s.total.events == 0 || latency < s.min {
		s.min = latency
	}
	s.max = max(s.max, latency)
	s.total.events++
	s.sum += latency
	if int(r.User) < len(s.threads) {
		t := &s.threads[r.User]
		t.events++
		t.took += latency
	}
}

// Any reports whether an event has ended.
func (s *Statistics) Any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.began.IsZero()
}

// Err returns the error of a report hook.
func (s *Statistics) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Tick reports what is due. It is called about once a second.
func (s *Statistics) Tick(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began.IsZero() {
		return
	}
	const early = 100 * time.Millisecond // seconds end a little early or late
	at := now.Sub(s.began)
	if !s.warm {
		if at < s.warmUp-early {
			return
		}
		s.warm = true
		s.reset(at)
		s.interval = period{from: at, counts: s.now(), histogram: newHistogram()}
		return
	}
	s.reportCheckpoints(at, early)
	if s.each > 0 && at-s.interval.from > s.each-early {
		s.reportInterval(at)
	}
}

// reportCheckpoints reports all statistics at the times that were asked for.
func (s *Statistics) reportCheckpoints(at, early time.Duration) {
	for len(s.checkpoints) > 0 && at > seconds(s.checkpoints[0])-early {
		s.checkpoints = s.checkpoints[1:]
		fmt.Fprintf(s.to, "[ %.0fs ] Checkpoint report:\n", at.Seconds())
		s.report(at)
		s.reset(at)
	}
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// reset begins the sums again.
func (s *Statistics) reset(at time.Duration) {
	s.total = period{from: at, counts: s.now(), histogram: newHistogram()}
	s.min, s.max, s.sum = 0, 0, 0
	clear(s.threads)
}

// figures returns the figures of a period for scripts.
func (s *Statistics) figures(p *period, at time.Duration) *sysbench.Figures {
	c := s.now().since(p.counts)
	f := &sysbench.Figures{
		Threads: len(s.threads), Interval: (at - p.from).Seconds(), Total: at.Seconds(), Percentile: p.histogram.Percentile(s.percentile) / 1000,
		Least: s.min.Seconds(), Most: s.max.Seconds(), Sum: s.sum.Seconds(), Events: p.events, Read: c.read, Write: c.write, Other: c.other,
		Errors: c.errors, Reconnects: c.reconnects,
	}
	if s.total.events > 0 {
		f.Mean = f.Sum / float64(s.total.events)
	}
	return f
}

// reportInterval reports the interval that ends.
func (s *Statistics) reportInterval(at time.Duration) {
	f := s.figures(&s.interval, at)
	if s.hooks.HasHook("report_intermediate") {
		if err := s.hooks.Report("report_intermediate", f); err != nil && s.failed == nil {
			s.failed = err
		}
	} else {
		s.line(f)
	}
	s.interval = period{from: at, counts: s.now(), histogram: newHistogram()}
}

// line prints the line of an interval.
func (s *Statistics) line(f *sysbench.Figures) {
	i := f.Interval
	if f.Read+f.Write+f.Other == 0 {
		fmt.Fprintf(s.to, "[ %.0fs ] thds: %d eps: %4.2f lat (ms,%.0f%%): %4.2f\n", f.Total, f.Threads, float64(f.Events)/i, s.percentile, f.Percentile*1000)
	} else {
		fmt.Fprintf(s.to, "[ %.0fs ] thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%.0f%%): %4.2f err/s: %4.2f reconn/s: %4.2f\n",
			f.Total, f.Threads, float64(f.Events)/i, float64(f.Read+f.Write+f.Other)/i, float64(f.Read)/i, float64(f.Write)/i, float64(f.Other)/i,
			s.percentile, f.Percentile*1000, float64(f.Errors)/i, float64(f.Reconnects)/i)
	}
}

// End reports all statistics.
func (s *Statistics) End() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report(max(s.last, s.total.from))
	return s.failed
}

// report prints all statistics.
func (s *Statistics) report(at time.Duration) {
	if s.hooks.HasHook("report_cumulative") {
		if err := s.hooks.Report("report_cumulative", s.figures(&s.total, at)); err != nil && s.failed == nil {
			s.failed = err
		}
		return
	}
	line := func(format string, args ...any) { fmt.Fprintf(s.to, format+"\n", args...) }
	took := (at - s.total.from).Seconds()
	perSecond := func(n int64) float64 {
		if took <= 0 {
			return 0
		}
		return float64(n) / took
	}
	if s.arguments.IsOn("histogram") {
		line("Latency histogram (values are in milliseconds)")
		s.total.histogram.Print(s.to)
		line(" ")
	}
	if c := s.now().since(s.total.counts); c.all() > 0 {
		line("SQL statistics:\n    queries performed:")
		line("        read:                            %d\n        write:                           %d", c.read, c.write)
		line("        other:                           %d\n        total:                           %d", c.other, c.all())
		line("    transactions:                        %-6d (%.2f per sec.)", s.total.events, perSecond(s.total.events))
		line("    queries:                             %-6d (%.2f per sec.)", c.all(), perSecond(c.all()))
		line("    ignored errors:                      %-6d (%.2f per sec.)", c.errors, perSecond(c.errors))
		line("    reconnects:                          %-6d (%.2f per sec.)\n", c.reconnects, perSecond(c.reconnects))
	}
	if s.arguments.Version == sysbench.Version11 {
		line("Throughput:\n    events/s (eps):                      %.4f", perSecond(s.total.events))
		line("    time elapsed:                        %.4fs", took)
	} else {
		line("General statistics:\n    total time:                          %.4fs", at.Seconds())
	}
	line("    total number of events:              %d\n", s.total.events)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	mean := 0.0
	if s.total.events > 0 {
		mean = ms(s.sum) / float64(s.total.events)
	}
	line("Latency (ms):\n         min:%40.2f\n         avg:%40.2f\n         max:%40.2f", ms(s.min), mean, ms(s.max))
	if s.percentile > 0 {
		line("        %3.0fth percentile:%28.2f", s.percentile, s.total.histogram.Percentile(s.percentile))
	} else {
		line("         percentile stats:               disabled")
	}
	line("         sum:%40.2f\n", ms(s.sum))
	var events, times []float64
	for _, t := range s.threads {
		events, times = append(events, float64(t.events)), append(times, t.took.Seconds())
	}
	line("Threads fairness:")
	mean, deviation := spread(events)
	line("    events (avg/stddev):           %.4f/%3.2f", mean, deviation)
	mean, deviation = spread(times)
	line("    execution time (avg/stddev):   %.4f/%3.2f\n", mean, deviation)
}

// spread returns the mean and the standard deviation.
func spread(list []float64) (mean, deviation float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	for _, v := range list {
		deviation += (v - mean) * (v - mean) / float64(len(list))
	}
	return mean, math.Sqrt(deviation)
}

// Begins prints what comes before the first report.
func (a *Arguments) Begins(to io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintf(to, format+"\n", args...) }
	line("Running the test with following options:")
	line("Number of threads: %s", a.value("threads"))
	if a.Number("warmup_time") > 0 {
		line("Warmup time: %ss", a.value("warmup_time"))
	}
	if a.Number("rate") > 0 {
		line("Target transaction rate: %s/sec", a.value("rate"))
	}
	if a.Number("report_interval") > 0 {
		line("Report intermediate results every %s second(s)", a.value("report_interval"))
	}
	if list := a.value("report_checkpoints"); list != "" {
		line("Report checkpoint(s) at %s seconds", list)
	}
	if a.Number("rand_seed") > 0 {
		line("Initializing random number generator from seed (%s).\n", a.value("rand_seed"))
	} else {
		line("Initializing random number generator from current time\n")
	}
	line("\nInitializing worker threads...\n")
}
