package tproch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch/qgen"
)

// score computes the figures of the tests, the mean query times, and the queries an hour.
func score(w workload.Window) []job.Metric {
	f := figuresOf(w)
	metrics := f.metrics
	var withRows, all mean
	tests := map[string]*mean{powerTest: {}, throughputTest: {}}
	begun := 0.0 // when the tests began, in seconds since the users began; excludes the rest of an interrupted refresh set
	for _, span := range w.Spans {
		if span.Stage == restOfSet {
			begun = max(begun, span.From+span.Seconds)
		}
		if !span.Done() || isRefresh(span) {
			continue
		}
		all.add(span.Seconds)
		if span.Rows > 0 {
			withRows.add(span.Seconds)
		}
		if of := tests[span.Stage]; of != nil {
			of.add(span.Seconds)
		}
	}
	if all.n == 0 {
		return metrics
	}
	means := fmt.Sprintf("of the times of %s", queriesAnswered(all.n))
	switch without := all.n - withRows.n; {
	case withRows.n == 0:
		means += "; none returned rows"
	case without > 0:
		means += fmt.Sprintf("; without the %d that returned no rows, %s s", without, spelled(withRows.geometric()))
	}
	metrics = append(metrics, job.Metric{Name: meanFigure, Value: all.geometric(), Unit: "s", Means: means})
	if power, throughput := tests[powerTest], tests[throughputTest]; power.n > 0 && throughput.n > 0 {
		for _, name := range []string{powerTest, throughputTest} {
			metrics = append(metrics, job.Metric{
				Name: meanOf(name), Value: tests[name].geometric(), Unit: "s",
				Means: fmt.Sprintf("of the times of %s in it", queriesAnswered(tests[name].n)),
			})
		}
	}
	metrics = append(metrics, job.Metric{Name: hourlyFigure, Value: float64(all.n) * 3600 / (w.Elapsed.Seconds() - begun)})
	if withRows.n < all.n && withRows.n > 0 {
		metrics = append(metrics, job.Metric{
			Name: meanWithRows, Value: withRows.geometric(), Unit: "s",
			Means: fmt.Sprintf("of the times of %s with rows", queriesAnswered(withRows.n)),
		})
	}
	return metrics
}

func queriesAnswered(n int) string {
	if n == 1 {
		return "1 query that was answered"
	}
	return fmt.Sprintf("%d queries that were answered", n)
}

// spelled formats seconds with at least four digits.
func spelled(seconds float64) string {
	digits := max(0, 3-int(math.Floor(math.Log10(max(seconds, 1e-9)))))
	return strconv.FormatFloat(seconds, 'f', digits, 64)
}

func isRefresh(s job.Span) bool {
	return s.Kind == newSales.kind() || s.Kind == oldSales.kind()
}

// remarks explains why a test has no figure, or how the test differs from the standard.
func remarks(w workload.Window) []string { return figuresOf(w).remarks }

// The names of the figures.
const (
	powerFigure      = "power"
	throughputFigure = "throughput"
	compositeFigure  = "composite"
	hourlyFigure     = "queries an hour"
	meanFigure       = "geometric mean" // based on the times of queries
	meanWithRows     = "geometric mean with rows"
)

// meanOf returns the name of one test's geometric mean.
func meanOf(test string) string { return meanFigure + ", " + test }

// figures computes the figures of a run's tests.
type figures struct {
	metrics []job.Metric
	remarks []string
}

func figuresOf(w workload.Window) (f figures) {
	options, is := w.Options.(*Options)
	if !is {
		return f
	}
	tests, err := options.tests(w.Users)
	if err != nil {
		return f
	}
	survey, known := w.Survey.(surveyed)
	if !known { // the figures are recomputed from a record, which does not have it
		return f
	}
	for _, name := range tests {
		t := test{options: options, factor: survey.factor, set: setSize(survey.size), streams: 1}
		for _, span := range w.Spans {
			if span.Stage == name {
				t.spans = append(t.spans, span)
			}
		}
		compute, figure := t.power, powerFigure
		if name == throughputTest {
			t.streams = w.Users - 1
			compute, figure = t.throughput, throughputFigure
		}
		if lacks := t.lacks(); lacks != "" {
			f.remarks = append(f.remarks, fmt.Sprintf("No figure for %s: %s.", figure, lacks))
			continue
		}
		value, means := compute()
		f.metrics = append(f.metrics, job.Metric{Name: figure, Value: value, Means: means})
		if least := leastStreams(t.factor); name == throughputTest && t.streams < least {
			f.remarks = append(f.remarks, fmt.Sprintf("The throughput test had fewer streams than TPC-H requires at scale factor %g: %d instead of %d.", t.factor, t.streams, least))
		}
	}
	if len(f.metrics) == 2 {
		f.metrics = slices.Insert(f.metrics, 0, job.Metric{
			Name: compositeFigure, Value: math.Sqrt(f.metrics[0].Value * f.metrics[1].Value), Means: "geometric mean of power and throughput",
		})
	}
	return f
}

// test is a power test or a throughput test with its results.
type test struct {
	options *Options
	factor  float64 // scale factor
	set     int64   // orders in a refresh set
	streams int     // of queries
	spans   []job.Span
}

// lacks returns why there is no figure, or "".
func (t test) lacks() string {
	if t.options.QuerySets != 1 {
		return fmt.Sprintf("each stream ran %d query sets, and the test has one", t.options.QuerySets)
	}
	done := map[string]int{}
	for _, s := range t.spans {
		switch {
		case !s.Done():
			return fmt.Sprintf("%s %s", s.Kind, notDone[s.Outcome])
		case s.Retries > 0:
			return fmt.Sprintf("%s took %d tries", s.Kind, s.Retries+1)
		case isRefresh(s) && s.Rows != t.set:
			return fmt.Sprintf("a %s had %d orders instead of %d", s.Kind, s.Rows, t.set)
		}
		done[s.Kind]++
	}
	for _, k := range slices.Concat(queryKinds(), refreshKinds()) {
		if n := done[k.Name]; n != t.streams {
			if n > t.streams { // only refresh functions can run more often
				return fmt.Sprintf("%s was done %d times instead of %d: the test needs one refresh set for each stream of queries", k.Name, n, t.streams)
			}
			short := fmt.Sprintf("%s was done %d of %d times", k.Name, n, t.streams)
			if strings.HasSuffix(k.Name, "refresh") && n > 0 {
				short += ": the test needs one refresh set for each stream of queries"
			}
			return short
		}
	}
	return ""
}

var notDone = map[job.SpanOutcome]string{job.SpanFailed: "failed", job.SpanCutOff: "was aborted"}

// power is 3600 * scale factor / geometric mean of the seconds of 22 queries and the two refresh
// functions. Queries that took less than a thousandth of the longest one count as a thousandth
// (TPC-H 5.4.1).
func (t test) power() (value float64, means string) {
	longest := 0.0
	for _, s := range t.spans {
		if !isRefresh(s) {
			longest = max(longest, s.Seconds)
		}
	}
	var m mean
	raised := 0
	for _, s := range t.spans {
		seconds := s.Seconds
		if least := longest / 1000; !isRefresh(s) && seconds < least {
			seconds = least
			raised++
		}
		m.add(seconds)
	}
	means = "3,600 s x scale factor / geometric mean of the times of 22 queries and 2 refreshes"
	if raised > 0 {
		means += fmt.Sprintf("; %s counted as a thousandth of the longest", numbered(raised))
	}
	return 3600 * t.factor / m.geometric(), means
}

func numbered(n int) string {
	if n == 1 {
		return "1 query"
	}
	return fmt.Sprintf("%d queries", n)
}

// throughput is the number of queries per hour of all streams, times the scale factor (TPC-H
// 5.4.2). The time is from the beginning of the first query or refresh to the end of the last
// (TPC-H 5.3.6).
func (t test) throughput() (value float64, means string) {
	from, to := math.Inf(1), 0.0
	for _, s := range t.spans {
		from, to = min(from, s.From), max(to, s.From+s.Seconds)
	}
	streams := "1 stream"
	if t.streams > 1 {
		streams = fmt.Sprintf("%d streams", t.streams)
	}
	return float64(t.streams*qgen.Queries) * 3600 * t.factor / (to - from),
		fmt.Sprintf("queries an hour x scale factor, of %s and as many refresh sets in %s s", streams, spelled(to-from))
}

// leastStreams returns the minimum number of streams of TPC-H 5.3.4, or 0 below scale factor 1, for
// which the standard sets no minimum.
func leastStreams(factor float64) int {
	for i, from := range standardScales {
		if factor < from {
			return min(i, 1) * (i + 1)
		}
	}
	return 11
}
