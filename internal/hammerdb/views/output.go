package views

import (
	"context"
	"iter"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/repository"
)

// Output yields HammerDB's lines of a job: the recorded lines, or else lines made from the job's
// events.
func Output(ctx context.Context, store *repository.Store, j job.Job, c catalog.Catalog) iter.Seq2[repository.OutputLine, error] {
	return func(yield func(repository.OutputLine, error) bool) {
		for line, err := range store.Output(ctx, j.ID) {
			if !yield(line, err) || err != nil {
				return
			}
		}
		speaker := Speaker(j, c)
		for e, err := range withSeconds(store.Events(ctx, j.ID), store.Moments(ctx, j.ID)) {
			if err != nil {
				yield(repository.OutputLine{}, err)
				return
			}
			for _, line := range speaker.Say(e) {
				if !yield(repository.OutputLine{At: e.At, User: line.User, Line: line.Text}, nil) {
					return
				}
			}
		}
	}
}

// Speaker returns the speaker that turns a job's events into lines.
func Speaker(j job.Job, c catalog.Catalog) *lines.Speaker {
	return lines.NewSpeaker(lines.About{
		Action: j.Spec.Action, Database: j.Spec.Database, Product: displayName(j, c),
		Workload: j.Spec.Workload, Title: benchmark(j, c).Title,
	})
}

// withSeconds merges events and seconds by time. A second comes before an event at the same time.
// Seconds belong to the monitor.
func withSeconds(events, seconds iter.Seq2[job.Event, error]) iter.Seq2[job.Event, error] {
	return func(yield func(job.Event, error) bool) {
		next, stop := iter.Pull2(seconds)
		defer stop()
		second, errSecond, more := next()
		secondsWhile := func(due func() bool) bool {
			for more && errSecond == nil && due() {
				second.User = job.Monitor
				if !yield(second, nil) {
					return false
				}
				second, errSecond, more = next()
			}
			return true
		}
		happened := false
		for e, err := range events {
			happened = true
			if err != nil {
				yield(e, err)
				return
			}
			if !secondsWhile(func() bool { return !second.At.After(e.At) }) || !yield(e, nil) {
				return
			}
		}
		// A running or killed run has seconds after its last event. A job without events has
		// recorded lines, so it needs no seconds.
		if secondsWhile(func() bool { return happened }) && errSecond != nil {
			yield(job.Event{}, errSecond)
		}
	}
}
