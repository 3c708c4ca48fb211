package pgbench

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"sledge/internal/meter"
)

// sums are sums of values in microseconds.
type sums struct {
	count    int64
	sum, sq  float64
	min, max float64
}

func (s *sums) add(v float64) {
	if s.count == 0 || v < s.min {
		s.min = v
	}
	if s.count == 0 || v > s.max {
		s.max = v
	}
	s.count++
	s.sum += v
	s.sq += v * v
}

// mean and deviation are in milliseconds.
func (s *sums) mean() float64 { return s.sum / float64(s.count) / 1000 }

func (s *sums) deviation() float64 {
	mean := s.sum / float64(s.count)
	return math.Sqrt(max(0, s.sq/float64(s.count)-mean*mean)) / 1000
}

// counts are the counts of pgbench for some transactions.
type counts struct {
	done, skipped                  int64
	serialization, deadlock, other int64
	retried, retries               int64
	late                           int64 // over the latency limit
	latency, lag                   sums
}

func (c *counts) failed() int64 { return c.serialization + c.deadlock + c.other }
func (c *counts) all() int64    { return c.done + c.skipped + c.failed() }

// add counts a transaction.
func (c *counts) add(r *meter.Record, a *Arguments) {
	if r.Outcome == meter.Failed && r.Class == meter.Skipped {
		c.skipped++
		return
	}
	if r.Retries > 0 {
		c.retried++
		c.retries += int64(r.Retries)
	}
	if r.Outcome == meter.Failed {
		switch r.Class {
		case meter.Serialization:
			c.serialization++
		case meter.Deadlock:
			c.deadlock++
		default:
			c.other++
		}
		return
	}
	c.done++
	latency := micros(latencyOf(r, a))
	c.latency.add(latency)
	if a.LatencyLimit > 0 && latency > a.LatencyLimit*1000 {
		c.late++
	}
	if a.Rate > 0 {
		c.lag.add(micros(r.Late))
	}
}

// latencyOf returns the latency of a transaction: from the scheduled start if there is a rate, otherwise from its
// start.
func latencyOf(r *meter.Record, a *Arguments) time.Duration {
	if a.Rate > 0 {
		return r.Response
	}
	return r.Response - r.Late
}

func micros(d time.Duration) float64 { return float64(d.Microseconds()) }

// Statistics counts the transactions of a run, reports its progress, and writes its log. It is safe for concurrent
// use.
type Statistics struct {
	arguments *Arguments
	log       *log // nil without a log

	mu      sync.Mutex
	began   time.Time     // when clients began; zero before the first transaction
	last    time.Duration // the end of the last transaction, since then
	total   counts
	scripts []counts
	aborted bool // a client was

	progress   io.Writer
	reported   counts
	reportedAt time.Duration
}

// NewStatistics returns the statistics of a run. Its progress goes to a writer, and its log to another, if that is
// not nil.
func NewStatistics(a *Arguments, progress, log io.Writer) *Statistics {
	s := &Statistics{arguments: a, progress: progress, scripts: make([]counts, len(a.Scripts))}
	if log != nil {
		s.log = newLog(a, log)
	}
	return s
}

// Record counts a transaction: it is a job.Control.Records.
func (s *Statistics) Record(began time.Time, r *meter.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began, s.last = began, max(s.last, r.Ended)
	fatal := r.Outcome == meter.Failed && r.Class != meter.Skipped && !r.Class.Retryable()
	if fatal && !s.arguments.ContinueOnError {
		s.aborted = true
		return
	}
	s.total.add(r, s.arguments)
	s.scripts[r.Kind].add(r, s.arguments)
	if s.log != nil {
		s.log.add(began, r)
	}
}

// Tick reports the progress if it is time to. It is called about once a second.
func (s *Statistics) Tick(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	each := time.Duration(s.arguments.Progress) * time.Second
	if each == 0 || s.began.IsZero() {
		return
	}
	const early = 100 * time.Millisecond // seconds end a little early or late
	if at := now.Sub(s.began); at-s.reportedAt > each-early {
		s.report(at, now)
	}
}

// report reports the progress since the last report.
func (s *Statistics) report(at time.Duration, now time.Time) {
	a, was, is := s.arguments, &s.reported, &s.total
	done := is.done - was.done
	average, deviation, lag := 0.0, 0.0, 0.0
	if done > 0 {
		part := sums{count: done, sum: is.latency.sum - was.latency.sum, sq: is.latency.sq - was.latency.sq}
		average, deviation = part.mean(), part.deviation()
		lag = (is.lag.sum - was.lag.sum) / float64(done) / 1000
	}
	when := fmt.Sprintf("%.1f s", at.Seconds())
	if a.Timestamps {
		when = fmt.Sprintf("%d.%03d s", now.Unix(), now.Nanosecond()/1e6)
	}
	fmt.Fprintf(s.progress, "progress: %s, %.1f tps, lat %.3f ms stddev %.3f, %d failed",
		when, float64(done)/(at-s.reportedAt).Seconds(), average, deviation, is.failed()-was.failed())
	if a.Rate > 0 {
		fmt.Fprintf(s.progress, ", lag %.3f ms", lag)
		if a.LatencyLimit > 0 {
			fmt.Fprintf(s.progress, ", %d skipped", is.skipped-was.skipped)
		}
	}
	if a.MaxTries != 1 {
		fmt.Fprintf(s.progress, ", %d retried, %d retries", is.retried-was.retried, is.retries-was.retries)
	}
	fmt.Fprintln(s.progress)
	s.reported, s.reportedAt = s.total, at
}

// Aborted reports whether a client was aborted.
func (s *Statistics) Aborted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aborted
}

// Any reports whether a transaction has ended.
func (s *Statistics) Any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.began.IsZero()
}

// End completes the log.
func (s *Statistics) End() error {
	if s.log == nil {
		return nil
	}
	return s.log.end()
}

// log writes every transaction, or sums of intervals.
type log struct {
	arguments *Arguments
	to        *bufio.Writer
	numbers   map[int32]int64 // transactions so far, by client
	random    *rand.Rand

	intervals map[int64]*counts // that are not written, by their starts in seconds since 1970
	oldest    int64
}

func newLog(a *Arguments, to io.Writer) *log {
	return &log{arguments: a, to: bufio.NewWriterSize(to, 1<<16), numbers: map[int32]int64{}, random: rand.New(rand.NewPCG(1, 2)), intervals: map[int64]*counts{}}
}

func (l *log) add(began time.Time, r *meter.Record) {
	l.numbers[r.User]++
	end := began.Add(r.Ended)
	if l.arguments.Aggregate > 0 {
		l.aggregate(end, r)
		return
	}
	if l.arguments.Sampling > 0 && l.random.Float64() >= l.arguments.Sampling {
		return
	}
	took := strconv.FormatInt(latencyOf(r, l.arguments).Microseconds(), 10)
	if r.Outcome == meter.Failed {
		switch {
		case r.Class == meter.Skipped:
			took = "skipped"
		case !l.arguments.FailuresDetailed:
			took = "failed"
		case r.Class == meter.Serialization, r.Class == meter.Deadlock:
			took = r.Class.String()
		default:
			took = "other"
		}
	}
	fmt.Fprintf(l.to, "%d %d %s %d %d %d", r.User, l.numbers[r.User], took, r.Kind, end.Unix(), end.Nanosecond()/1000)
	if l.arguments.Rate > 0 {
		fmt.Fprintf(l.to, " %d", r.Late.Microseconds())
	}
	if l.arguments.MaxTries != 1 {
		fmt.Fprintf(l.to, " %d", r.Retries)
	}
	_ = l.to.WriteByte('\n') // Flush returns the error
}

// keptIntervals is how many intervals are open at most: records come up to a second late.
const keptIntervals = 3

// aggregate adds a transaction to its interval, and writes those that are over.
func (l *log) aggregate(end time.Time, r *meter.Record) {
	each := int64(l.arguments.Aggregate)
	if l.oldest == 0 {
		l.oldest = end.Unix()
	}
	start := l.oldest + (end.Unix()-l.oldest)/each*each
	if start < l.oldest {
		start = l.oldest
	}
	of := l.intervals[start]
	if of == nil {
		of = &counts{}
		l.intervals[start] = of
	}
	of.add(r, l.arguments)
	for len(l.intervals) > keptIntervals {
		l.write()
	}
}

// write writes the oldest interval.
func (l *log) write() {
	first := int64(math.MaxInt64)
	for start := range l.intervals {
		first = min(first, start)
	}
	c := l.intervals[first]
	delete(l.intervals, first)
	l.oldest = max(l.oldest, first)
	fmt.Fprintf(l.to, "%d %d %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %d %d %d %d %d", first, c.done,
		c.latency.sum, c.latency.sq, c.latency.min, c.latency.max, c.lag.sum, c.lag.sq, c.lag.min, c.lag.max,
		c.skipped, c.retried, c.retries, c.serialization, c.deadlock)
	if l.arguments.ContinueOnError {
		fmt.Fprintf(l.to, " %d", c.other)
	}
	_ = l.to.WriteByte('\n') // Flush returns the error
}

// end writes what is left.
func (l *log) end() error {
	for len(l.intervals) > 0 {
		l.write()
	}
	return l.to.Flush()
}
