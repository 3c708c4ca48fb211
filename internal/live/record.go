package live

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Record folds the recorded events of a job, which may be running or have ended, into the points that a
// View of the running job has. It first decides which seconds make a point, without their
// measurements, so that these can be read and merged by several goroutines, and memory holds only
// those of a few points.
type Record struct {
	course
}

// NewRecord returns the record of a job without any event. It has at most most points, which must
// be more than a run has phases.
func NewRecord(j Job, most int) *Record { return &Record{newCourse(j, most)} }

// Add adds an event. Events are in order of time. The measurements of a second are ignored, except
// its length. within reports whether the second is in a point.
func (r *Record) Add(e job.Event, within bool) error {
	if e.Second == nil {
		return r.add(e)
	}
	r.phases.reach(e.At, e.Second)
	if !within {
		return nil
	}
	second := *e.Second
	second.Measured.Kinds = nil
	e.Second = &second
	return r.point(e)
}

// Axis returns the start of the axis of time: when the first second began. It is zero without a second.
func (r *Record) Axis() time.Time { return r.phases.begin }

// Phases returns the phases of the job, at most 480.
func (r *Record) Phases() []Phase { return slices.Clone(r.phases.list) }

// Markers returns the events on the axis of time that charts mark, in order.
func (r *Record) Markers() []Marker { return r.marks.since(r.phases.begin) }

// Width returns the number of seconds of the widest point; 1 without points.
func (r *Record) Width() int {
	width := 1
	for _, k := range r.fold.points {
		width = max(width, k.seconds)
	}
	return width
}

// Measurements reads the measurements of count seconds from first on. Seconds are numbered from 0 in
// the order in which they were added to points. It is called from several goroutines.
type Measurements func(ctx context.Context, first, count int) ([]meter.CodedSummary, error)

const (
	// readers is the number of goroutines that read and merge measurements.
	readers = 2

	// atOnce is the number of seconds whose measurements are read at once, unless a single point
	// has more. 1,000 seconds of a busy run take 10 MB.
	atOnce = 250
)

// Points reads the measurements, and returns the points and the names of their figures. It may be
// called once.
func (r *Record) Points(ctx context.Context, read Measurements) (points []Point, figures []string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stretches := stretched(r.fold.points)
	var next atomic.Int64
	var reading sync.WaitGroup
	for range min(readers, len(stretches)) {
		reading.Go(func() {
			sum := meter.NewInterval(1)
			for n := int(next.Add(1)) - 1; n < len(stretches) && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				if err := fill(ctx, stretches[n], read, sum); err != nil {
					cancel(err)
				}
			}
		})
	}
	reading.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	points = make([]Point, len(r.fold.points))
	for i, k := range r.fold.points {
		var names []string
		if points[i], names = r.pointOf(k); figures == nil {
			figures = names
		}
	}
	return points, figures, nil
}

// stretched divides points into stretches of about atOnce seconds.
func stretched(points []*kept) (stretches [][]*kept) {
	for from, to := 0, 0; from < len(points); from = to {
		for seconds := 0; to < len(points) && (to == from || seconds+points[to].added <= atOnce); to++ {
			seconds += points[to].added
		}
		stretches = append(stretches, points[from:to])
	}
	return stretches
}

// fill reads the measurements of adjacent points, and computes the points with an interval.
func fill(ctx context.Context, points []*kept, read Measurements, sum *meter.Interval) error {
	first, last := points[0], points[len(points)-1]
	seconds, err := read(ctx, first.place, last.place+last.added-first.place)
	if err != nil {
		return err
	}
	for _, k := range points {
		own := seconds[k.place-first.place:][:k.added]
		k.counts = countsOf(own...)
		k.counts.Elapsed = k.elapsed
		for _, s := range own {
			k.tallies = append(k.tallies, s.Kinds...)
		}
		if err := k.spell(sum); err != nil {
			return err
		}
		k.tallies = nil
	}
	return nil
}
