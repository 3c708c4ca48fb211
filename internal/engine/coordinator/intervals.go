package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// intervalCount counts the reported intervals.
type intervalCount struct {
	last     int // last sequence number
	missing  int // intervals that were lost or late
	repeated int
}

// take counts an interval, and returns false if it was already counted.
func (h *intervalCount) take(sequence int) bool {
	if sequence <= h.last {
		h.repeated++
		return false
	}
	h.missing += sequence - h.last - 1
	h.last = sequence
	return true
}

// unobserved describes lost and repeated reports.
func (h *intervalCount) unobserved() *job.Unobserved {
	switch {
	case h.missing > 0:
		return &job.Unobserved{Observer: "The course of the run", Error: fmt.Sprintf(
			"%d of %d reports of the load generator were lost or late; the totals include their transactions", h.missing, h.last)}
	case h.repeated > 0:
		return &job.Unobserved{Observer: "The course of the run", Error: fmt.Sprintf("%d reports of the load generator came more than once; they count once", h.repeated)}
	}
	return nil
}

// contradiction returns an error if the totals of a group differ from the sums of its reports.
func (h *intervalCount) contradiction(g *runGroup) error {
	totals := g.totals.Counts()
	for k := range totals.Kinds {
		of, reported := totals.Kinds[k].Ended(), g.reported.Kinds[k].Ended()
		if of < reported || of > reported && h.missing == 0 && !g.Plan.Pacing.Unmonitored() {
			return fmt.Errorf("the load generator contradicts itself: its totals have %d %s transactions, and its reports %d", of, g.kindName(meter.Kind(k)), reported)
		}
	}
	return nil
}

// mark tells the generator to end a phase and begin another. It handles the last interval of the
// phase that ends.
func (r *run) mark(p order.Phase, watch *watch) (order.Mark, error) {
	m, err := call(r.link, func(ctx context.Context) (order.Mark, error) { return r.link.generator.Mark(ctx, p) })
	if err != nil {
		return m, err
	}
	if len(m.Claimed) != len(r.groups) {
		return m, r.link.lose(errors.New("it does not report the claimed transactions of each group"))
	}
	if m.Last == nil {
		return m, nil
	}
	late := time.NewTimer(lateBy)
	defer late.Stop()
	for r.intervals.last+1 < m.Last.Sequence {
		select {
		case i := <-r.link.intervals:
			if err := r.receive(i, watch); err != nil {
				return m, err
			}
			continue
		case <-late.C:
		}
		break
	}
	return m, r.receive(m.Last, watch)
}

// receive handles an interval. It ignores a repeated interval.
func (r *run) receive(i *order.Interval, watch *watch) error {
	if !r.intervals.take(i.Sequence) {
		return nil
	}
	for _, g := range r.groups {
		if err := g.checkKinds(i.Groups); err != nil {
			return r.link.lose(err)
		}
	}
	if err := r.groups.checkInFlight(i.Waiting); err != nil {
		return r.link.lose(err)
	}
	if i.Phase == job.Measure {
		for n, g := range r.groups {
			if err := g.reported.AddCoded(i.Groups[n]); err != nil {
				return r.link.lose(err)
			}
		}
	}
	measured := joined(i.Groups)
	if measured.Elapsed > 0 {
		r.feed.Send(job.Event{User: r.plan.Monitor(), Second: &job.Second{
			Moment: job.Moment{Phase: i.Phase, Offset: i.Offset.Seconds(), ServerTPM: r.counts.tpm()}, Measured: measured, Sessions: i.LoggedIn,
		}})
	}
	watch.look(i, measured.Elapsed)
	return nil
}

// joined returns the measurements of all groups, group by group.
func joined(groups []meter.CodedSummary) meter.CodedSummary {
	all := groups[0]
	for _, g := range groups[1:] {
		all.Kinds = append(all.Kinds[:len(all.Kinds):len(all.Kinds)], g.Kinds...)
	}
	return all
}

// finalTotals returns the generator's totals. If the generator has none, or they do not match the order,
// the generator is lost, and finalTotals returns the sums of its reports.
func (r *run) finalTotals() order.Totals {
	totals, err := call(r.link, r.link.generator.Freeze)
	if err == nil {
		if err = r.groups.checkTotals(totals); err == nil {
			return totals
		}
		_ = r.link.lose(err)
	}
	totals = order.Totals{Elapsed: r.groups[0].reported.Elapsed}
	for _, g := range r.groups {
		totals.Groups = append(totals.Groups, order.GroupTotals{Summary: g.reported})
	}
	return totals
}
