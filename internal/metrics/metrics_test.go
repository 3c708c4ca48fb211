package metrics

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sledge/internal/host"
	"sledge/internal/job"
)

var update = flag.Bool("update", false, "write the table of docs/metrics.md")

const page = "../../docs/metrics.md"

// The manual has each metric with its type, unit, labels and meaning, and no other metric.
func TestMetrics_AreInTheManual(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, m := range Metrics {
		fmt.Fprintln(&want, row(m))
	}
	rows := regexp.MustCompile("(?m)(^\\| `sledge_.*\n)+")
	if *update {
		if err := os.WriteFile(page, rows.ReplaceAllLiteral(text, []byte(want.String())), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := string(rows.Find(text)); got != want.String() {
		t.Errorf("docs/metrics.md has\n%s\nwant (go test ./internal/metrics -update writes it)\n%s", got, want.String())
	}
}

// row returns the row of a metric in the manual.
func row(m *Metric) string {
	unit := ""
	for _, known := range units {
		if strings.HasSuffix(m.Name, known.end) {
			unit = known.words
			break
		}
	}
	labels := make([]string, len(m.Labels))
	for i, label := range m.Labels {
		labels[i] = "`" + label + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s |", m.Name, m.Type, unit, strings.Join(labels, " "), m.Help)
}

// Each series of the client's machine has a metric of its own.
func TestMetrics_HaveTheSeriesOfTheMachine(t *testing.T) {
	sampler := host.NewSampler()
	for range 2 { // the first sample has only levels
		samples, err := sampler.Sample()
		if err != nil {
			t.Fatal(err)
		}
		if len(samples) == 0 {
			t.Error("there are no samples")
		}
		for _, s := range samples {
			if m := bySeries(s.Name); m == nil || !hasLabels(s.Labels, m.Labels) {
				t.Errorf("series %q with labels %v has no metric", s.Name, s.Labels)
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// A run emits each metric of the table.
func TestRun_EmitsEachMetric(t *testing.T) {
	r := NewRegistry("1.2.3")
	run := r.begin(theJob)
	for _, e := range theEvents() {
		run.add(e)
	}
	var got []string
	run.points(func(p point) {
		if len(p.labels) != len(p.of.Labels) {
			t.Errorf("%s has the labels %q, want values of %q", p.of.Name, p.labels, p.of.Labels)
		}
		got = append(got, p.of.Name)
	})
	for _, m := range Metrics {
		if !slices.Contains(got, m.Name) {
			t.Errorf("%s is missing", m.Name)
		}
	}
}

// A sample is the current value for five seconds. Then there is a gap.
func TestRun_LeavesGapsInSamples(t *testing.T) {
	r := NewRegistry("")
	run := r.begin(theJob)
	now := time.Now()
	run.now = func() time.Time { return now }
	run.add(job.Event{At: now, Samples: []job.Sample{{Series: job.Series{Name: "a new series", Labels: map[string]string{"b": "2", "a": "1"}}, Value: 7}}})
	count := func() (n int) {
		run.points(func(p point) {
			if p.of == otherSamples && p.value == 7 && slices.Equal(p.labels, []string{"a new series", "", "1, 2"}) {
				n++
			}
		})
		return n
	}
	if got := count(); got != 1 {
		t.Errorf("got %d values of a new sample, want 1", got)
	}
	now = now.Add(samplesLast)
	if got := count(); got != 0 {
		t.Errorf("got %d values of an old sample, want none", got)
	}
}

// Texts of others are short, in one line and in UTF-8, and the number of series is limited.
func TestRun_LimitsTexts(t *testing.T) {
	run := NewRegistry("").begin(theJob)
	for i := range mostSeries + 10 {
		run.add(job.Event{At: time.Now(), Samples: []job.Sample{{Series: job.Series{Name: fmt.Sprint(i, "\n\xff", strings.Repeat("x", 1000))}}}})
	}
	n := 0
	run.points(func(p point) {
		for _, label := range p.labels {
			if len(label) > longestText || strings.Contains(label, "\n") || !utf8.ValidString(label) {
				t.Errorf("a label has the value %q", label)
			}
		}
		if p.of == otherSamples {
			n++
		}
	})
	if n != mostSeries {
		t.Errorf("got %d series, want %d", n, mostSeries)
	}
}

// Numbers of runs are used in turn. Runs that have ended leave first.
func TestRegistry_KeepsEndedRunsForAWhile(t *testing.T) {
	r := NewRegistry("")
	first := r.begin(theJob)
	ended := r.begin(theJob)
	ended.end(theJob)
	for range mostRuns - 2 {
		r.begin(theJob)
	}
	if next := r.begin(theJob); next == nil || next.number != ended.number || slices.Contains(r.list(), ended) {
		t.Errorf("the next run is %+v, want the number of the run that ended", next)
	}
	if next := r.begin(theJob); next != nil {
		t.Errorf("there is a run with the number %s beside %d that go on", next.number, mostRuns)
	}
	first.end(theJob)
	first.ended = time.Now().Add(-endedLasts - time.Second)
	if slices.Contains(r.list(), first) {
		t.Error("a run that ended long ago is still there")
	}
}
