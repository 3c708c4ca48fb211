package document

import (
	"context"
	"math"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
)

// mostShares is the maximum number of shares in a document, besides those that add up all others.
const mostShares = 100

// NewActivity returns the document of what the server's active sessions did in the seconds of a run after from and
// not after until, in at most most intervals. A zero time means no bound.
func NewActivity(ctx context.Context, store *repository.Store, j job.Job, from, until time.Time, most int) (Activity, error) {
	d := Activity{Schema: ActivitySchema, ID: j.ID, Width: 1, Intervals: []ActivityInterval{}, Shares: []ActivityShare{}}
	if j.Facts != nil {
		d.ServerMachine, d.ServerCPUs = j.Facts.ServerMachine, j.Facts.ServerCPUs()
	}
	first, last, err := store.ActivityTimes(ctx, j.ID, from, until)
	if err != nil || first.IsZero() {
		return d, err
	}
	for r, err := range store.Rates(ctx, j.ID, time.Time{}, time.Time{}) {
		if err != nil {
			return d, err
		}
		d.Axis = r.At.Add(-r.Passed()).UTC()
		break
	}
	if d.Axis.IsZero() || d.Axis.After(first) { // users have not begun yet
		d.Axis = first.Add(-time.Second)
	}
	second := func(at time.Time) int { return int(math.Floor(at.Sub(d.Axis).Seconds())) } // in which a sample was taken
	if seconds := second(last) - second(first) + 1; seconds > most {
		d.Width = (seconds + most - 1) / most
	}
	counts := map[job.ActivityShare][]int64{} // sessions in each interval
	sums := map[job.ActivityShare]int64{}
	begin := second(first) / d.Width * d.Width
	for one, err := range store.Activity(ctx, j.ID, from, last) {
		if err != nil {
			return d, err
		}
		d.Samples, d.Missed = d.Samples+one.Samples, d.Missed+one.Missed
		end := float64(begin + ((second(one.At)-begin)/d.Width+1)*d.Width)
		if n := len(d.Intervals); n == 0 || d.Intervals[n-1].End != end {
			d.Intervals = append(d.Intervals, ActivityInterval{End: end})
		}
		at := len(d.Intervals) - 1
		d.Intervals[at].Samples += one.Samples
		for _, s := range one.Shares {
			key := s.Key()
			sums[key] += s.Sessions
			if counts[key] == nil {
				counts[key] = make([]int64, most+1) // an interval may begin before the first second
			}
			counts[key][at] += s.Sessions
		}
	}
	places := map[job.ActivityShare]int{}
	for i, s := range job.FoldShares(sums, mostShares) {
		places[s.Key()] = i
		d.Shares = append(d.Shares, ActivityShare{s, make([]int64, len(d.Intervals))})
	}
	for key, list := range counts {
		place, listed := places[key]
		if !listed {
			place = places[key.Folded()]
		}
		for i := range d.Intervals {
			d.Shares[place].OverTime[i] += list[i]
		}
	}
	return d, nil
}
