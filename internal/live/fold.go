package live

import (
	"maps"
	"math"
	"slices"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// MostPoints limits the points of a chart, because a screen shows no more. Above it, neighbours are
// merged, and their histograms are added for the percentiles.
const MostPoints = 480

// widest exceeds the length of any phase in seconds.
const widest = 1 << 30

// Point is a job.Rate of one or several seconds of a run, with further values for a running job.
// Its latencies are short summaries.
type Point struct {
	job.Rate
	End      float64          `json:"at_seconds"` // on the axis of time
	Seconds  float64          `json:"seconds"`    // its length
	Figures  []float64        `json:"figures,omitempty" doc:"The values of the headline figures, in the order of their names: in a live view those of the last second."`
	Service  *meter.Latency   `json:"service,omitempty"`
	FailedBy map[string]int64 `json:"failed_by_class,omitempty"`
	Retried  int64            `json:"retries,omitempty"`
	Traffic  meter.Traffic    `json:"traffic,omitzero" doc:"Network traffic; missing if the database is embedded, or if none was recorded."`
	Working  int              `json:"working,omitempty" doc:"Virtual users at work at its end, in a run in which their number changes."`
	Users    []int            `json:"users" doc:"Virtual users by state, in the order of the states, without the monitor."`

	// Cells are the counts of response times by meter.Cells, preceded by the number of the first
	// cell; empty if nothing was done.
	Cells []int64 `json:"cells,omitempty" doc:"Counts of response times on a scale with four cells for each doubling; cell 0 begins at 1.024 µs. The first number is that of the first cell."`
}

// kept is a point with its measurements. Values that need histograms are computed on demand,
// because a viewer that catches up never sees most seconds.
type kept struct {
	Point
	first   time.Duration // its beginning on the axis of time
	end     time.Duration
	elapsed time.Duration
	counts  meter.CodedSummary // by kind, without histograms
	tallies []meter.CodedTally // tallies of all kinds; their sum is the point
	spelled bool               // the point has been computed from tallies
	server  serverMean
	seconds int
	place   int // of its first second among those that were added
	added   int // number of seconds that were added
}

// serverMean is the mean of rates by the server's count.
type serverMean struct {
	sum float64
	n   int
}

// add adds a rate, unless it is nil.
func (m *serverMean) add(tpm *float64) {
	if tpm != nil {
		m.sum, m.n = m.sum+*tpm, m.n+1
	}
}

// and returns the mean of the rates of both.
func (m serverMean) and(other serverMean) serverMean {
	return serverMean{m.sum + other.sum, m.n + other.n}
}

// mean returns the mean, or nil if there are no rates.
func (m serverMean) mean() *float64 {
	if m.n == 0 {
		return nil
	}
	mean := math.Round(m.sum / float64(m.n))
	return &mean
}

// mostTallies limits the tallies of a point, and with them its memory.
const mostTallies = 500

// fold keeps at most most points, each of width seconds or the remainder of a phase.
type fold struct {
	points   []*kept
	most     int
	width    int
	added    int             // number of seconds so far
	interval *meter.Interval // for adding up
}

// newFold returns a fold without points.
func newFold(most int) fold { return fold{most: most, width: 1} }

// add adds a second that ended at clock, which is at on the axis of time.
func (f *fold) add(clock time.Time, at time.Duration, s *job.Second, users []int, working int) error {
	one := &kept{
		first: at - s.Measured.Elapsed, end: at, elapsed: s.Measured.Elapsed, tallies: slices.Clone(s.Measured.Kinds),
		seconds: max(1, int(math.Round(s.Measured.Elapsed.Seconds()))), place: f.added, added: 1,
	}
	f.added++
	one.At, one.Moment, one.Users, one.Working = clock.UTC(), s.Moment, users, working
	one.counts = countsOf(s.Measured)
	one.server.add(s.ServerTPM)
	if n := len(f.points); n > 0 && f.points[n-1].takes(one, f.width) {
		both, err := f.merge(f.points[n-1], one)
		if err != nil {
			return err
		}
		f.points[n-1] = both
		return nil
	}
	f.points = append(f.points, one)
	for len(f.points) > f.most && f.width < widest {
		if err := f.widen(); err != nil {
			return err
		}
	}
	if len(f.points) > f.most { // there are more phases than points, and each phase has one point
		f.points = slices.Clone(f.points[len(f.points)/2:])
	}
	return nil
}

// takes reports whether another point can be merged into this one.
func (k *kept) takes(other *kept, width int) bool {
	return k.Phase == other.Phase && k.seconds+other.seconds <= width
}

// widen doubles the width of each point.
func (f *fold) widen() error {
	f.width *= 2
	var wide []*kept
	for _, k := range f.points {
		if n := len(wide); n > 0 && wide[n-1].takes(k, f.width) {
			both, err := f.merge(wide[n-1], k)
			if err != nil {
				return err
			}
			wide[n-1] = both
			continue
		}
		wide = append(wide, k)
	}
	f.points = wide
	return nil
}

// merge merges two neighbouring points.
func (f *fold) merge(a, b *kept) (*kept, error) {
	both := &kept{
		first: a.first, end: b.end, elapsed: a.elapsed + b.elapsed, tallies: slices.Concat(a.tallies, b.tallies),
		server: a.server.and(b.server), seconds: a.seconds + b.seconds, place: a.place, added: a.added + b.added,
	}
	both.At, both.Moment, both.Users, both.Working = b.At, b.Moment, b.Users, b.Working
	both.counts = countsOf(a.counts, b.counts)
	if len(both.tallies) > mostTallies {
		return both, f.spell(both)
	}
	return both, nil
}

// spell calculates the rates and percentiles of a point from its counts.
func (f *fold) spell(k *kept) error {
	if k.spelled {
		return nil
	}
	if f.interval == nil {
		f.interval = meter.NewInterval(1)
	}
	return k.spell(f.interval)
}

// spell is like fold.spell, with an empty interval that it leaves empty unless it fails.
func (k *kept) spell(sum *meter.Interval) error {
	if err := together(sum, k.tallies); err != nil {
		return err
	}
	response, service := sum.Response(0), sum.Service(0)
	t := sum.Cut(0).Kinds[0]
	tenths := func(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
	k.End, k.Seconds = tenths(k.end), tenths(k.elapsed)
	if k.elapsed > 0 { // otherwise another program recorded it
		perMinute := rateOf(t, k.elapsed)
		k.Client = &perMinute
	}
	k.ServerTPM = k.server.mean()
	k.Response, k.Service = latencyOf(response, t.Done), latencyOf(service, t.Done)
	k.FailedBy, k.Retried, k.Traffic = maps.Clone(t.Failed), t.Retried, t.Traffic
	for _, n := range t.Failed {
		k.Failed += n
	}
	if first, counts := response.Cells(); len(counts) > 0 {
		k.Cells = append([]int64{int64(first)}, counts...)
	}
	k.tallies, k.spelled = []meter.CodedTally{t}, true
	return nil
}

// together adds up tallies of any kinds.
func together(sum *meter.Interval, tallies []meter.CodedTally) error {
	for i := range tallies {
		if err := sum.Add(meter.CodedSummary{Kinds: tallies[i : i+1]}); err != nil {
			return err
		}
	}
	return nil
}

// rateOf returns the transactions per minute that were done or rolled back by the workload.
func rateOf(t meter.CodedTally, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return math.Round(float64(t.Done+t.RolledBack) / elapsed.Minutes())
}

// allOf returns the counts of all kinds, without histograms.
func allOf(c meter.CodedSummary) (all meter.CodedTally) {
	for _, t := range countsOf(c).Kinds {
		all.Done += t.Done
		all.RolledBack += t.RolledBack
		all.Retried += t.Retried
		for class, n := range t.Failed {
			if all.Failed == nil {
				all.Failed = map[string]int64{}
			}
			all.Failed[class] += n
		}
	}
	return all
}

// countsOf adds up the counts by kind.
func countsOf(all ...meter.CodedSummary) meter.CodedSummary {
	sum := meter.CodedSummary{Kinds: make([]meter.CodedTally, len(all[0].Kinds))}
	for _, c := range all {
		sum.Elapsed += c.Elapsed
		for i := range min(len(c.Kinds), len(sum.Kinds)) {
			to, from := &sum.Kinds[i], &c.Kinds[i]
			to.Done += from.Done
			to.RolledBack += from.RolledBack
			to.Retried += from.Retried
			for class, n := range from.Failed {
				if to.Failed == nil {
					to.Failed = map[string]int64{}
				}
				to.Failed[class] += n
			}
		}
	}
	return sum
}
