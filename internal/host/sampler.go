package host

import (
	"math"
	"runtime/metrics"
	"slices"
	"time"

	"sledge/internal/job"
)

// Sampler measures how this machine is used between two samples. Its methods must be called from one
// goroutine.
type Sampler struct {
	read   func() ([]figure, error)
	now    func() time.Time
	own    bool              // whether to measure this process, too
	before map[string]figure // by name of the series; nil before the first sample
	at     time.Time         // of the sample before
	waits  goroutineWaits
}

// NewSampler returns a sampler of this machine and of this process, whose first sample is still to be
// taken.
func NewSampler() *Sampler { return &Sampler{read: readFigures, now: time.Now, own: true} }

// NewMachineSampler returns a sampler of this machine alone.
func NewMachineSampler() *Sampler { return &Sampler{read: readFigures, now: time.Now} }

// figure is a number that the system reports.
type figure struct {
	job.Series
	kind  figureKind
	value float64
	of    float64 // the counter by which a ratio divides
}

// figureKind says what a sample shows of a figure.
type figureKind int

const (
	level figureKind = iota // its value
	rate                    // its growth in a second
	ratio                   // its growth divided by the growth of another counter
)

// Sample returns the use since the last sample. The first one has only levels. What the system does
// not report is missing, and so is a counter that has begun again. If only some figures can be read,
// there is an error beside their samples.
func (s *Sampler) Sample() ([]job.Sample, error) {
	figures, err := s.read()
	now := s.now()
	elapsed := now.Sub(s.at).Seconds()
	known := make(map[string]figure, len(figures))
	samples := make([]job.Sample, 0, len(figures)+1)
	if s.own {
		figures = append(figures, ownFigures()...)
	}
	for _, f := range figures {
		key := f.Name + "\x00" + f.Called()
		known[key] = f
		if before, found := s.before[key]; found || f.kind == level {
			if value, ok := f.since(before, elapsed); ok {
				samples = append(samples, job.Sample{Series: f.Series, Value: value})
			}
		}
	}
	first := s.before == nil
	s.before, s.at = known, now
	if s.own {
		if delay, ok := s.waits.p99(); ok && !first {
			samples = append(samples, job.Sample{Series: job.Series{Name: "scheduling delay", Unit: "ms", Labels: client("share", "p99")}, Value: delay})
		}
	}
	return samples, err
}

// since returns the value of a sample, given the figure of the sample before. It returns false if the
// sample has no value.
func (f figure) since(before figure, elapsed float64) (float64, bool) {
	grown := f.value - before.value
	switch f.kind {
	case rate:
		if grown < 0 || elapsed <= 0 {
			return 0, false
		}
		return grown / elapsed, true
	case ratio:
		if of := f.of - before.of; grown >= 0 && of > 0 {
			return grown / of, true
		}
		return 0, false
	}
	return f.value, true
}

// client returns labels of a series of the client's machine, as pairs of names and values.
func client(pairs ...string) map[string]string {
	labels := map[string]string{"machine": "client"}
	for pair := range slices.Chunk(pairs, 2) {
		labels[pair[0]] = pair[1]
	}
	return labels
}

// ownFigures are those of this process.
func ownFigures() []figure {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return []figure{
		{job.Series{Name: "Sledge's CPU", Unit: "cores", Labels: client()}, rate, CPUSeconds(), 0},
		{job.Series{Name: "Sledge's memory", Unit: "MiB", Labels: client()}, level, float64(sample[0].Value.Uint64()-sample[1].Value.Uint64()) / (1 << 20), 0},
	}
}

// goroutineWaits are the waits of goroutines for a thread until the last call, by length.
type goroutineWaits []uint64

// p99 returns the 99th percentile, in milliseconds, of the times that goroutines which could run have
// waited for a thread since the last call. It returns false if none waited.
func (w *goroutineWaits) p99() (float64, bool) {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	h := sample[0].Value.Float64Histogram()
	counts := slices.Clone(h.Counts)
	var total uint64
	if len(*w) == len(counts) {
		for i := range counts {
			counts[i] -= (*w)[i]
		}
	}
	*w = slices.Clone(h.Counts)
	for _, n := range counts {
		total += n
	}
	rank := uint64(math.Ceil(0.99 * float64(total)))
	var seen uint64
	for i, n := range counts {
		if seen += n; n > 0 && seen >= rank {
			return 1000 * min(h.Buckets[i+1], math.MaxFloat64), true
		}
	}
	return 0, false
}
