package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// noticeable is how long something may take before it is said what it waits for.
const noticeable = 2 * time.Second

// noticedAgain is how often it is said again.
const noticedAgain = 10 * time.Second

// mark is how a user notes when the transaction that it has under way was meant to
// start, given since when users can work: never 0, which stands for none.
func mark(intended time.Duration) int64 {
	if intended == 0 {
		return 1
	}
	return int64(intended)
}

// openTransaction is a transaction that had not ended at some moment.
type openTransaction struct {
	user   int // number of the terminal, from 0
	kind   meter.Kind
	mark   int64         // when it was meant to start, as its user noted it
	on     *connection   // nil while it waits for one
	took   time.Duration // response time so far, or in the end
	cutOff bool          // it never ended
}

// intended is when the transaction was meant to start, since users began.
func (w openTransaction) intended() time.Duration { return time.Duration(w.mark) }

// connectionName is what the server calls the session that it is done in; "" where it has
// none, or no name for it.
func (w openTransaction) connectionName() string {
	if w.on == nil {
		return ""
	}
	return w.on.called()
}

// underWay lists the transactions that users have under way, longest first. Users go
// on meanwhile.
func (g *generator) underWay() []openTransaction {
	now := time.Since(g.began)
	var list []openTransaction
	for i, u := range g.users {
		if mark := u.intended.Load(); mark != 0 {
			list = append(list, openTransaction{user: i, kind: meter.Kind(u.kind.Load()), mark: mark, on: u.on.Load(), took: now - time.Duration(mark)})
		}
	}
	slices.SortStableFunc(list, func(a, b openTransaction) int { return cmp.Compare(b.took, a.took) })
	return list
}

// sayUnderWay says how many users wait for the database, and who waits longest, for
// what and where.
func (r *run) sayUnderWay(why string) {
	list := r.underWay()
	if len(list) == 0 {
		return
	}
	longest := list[0]
	users := "1 " + r.plan.waiters() + " waits"
	if len(list) > 1 {
		users = fmt.Sprintf("%d %ss wait", len(list), r.plan.waiters())
	}
	where := ""
	if c := longest.connectionName(); c != "" {
		where = ", on " + c
	}
	r.feed.message(job.Monitor, "%s: %s for the database; %s has waited longest, %.1f s so far for its %s%s",
		why, users, r.plan.nameOf(longest.user), longest.took.Seconds(), r.plan.Workload.Kinds[longest.kind].Name, where)
}

// standstill watches whether transactions still end.
type standstill struct {
	*run
	since time.Duration // how long none has ended
	told  bool
}

// longestSecond bounds how much of a second counts as silence: in one that took longer, this client
// did not run.
const longestSecond = 1250 * time.Millisecond

// look is given each second as it was measured. Each standstill is told once, when it
// can be noticed.
func (s *standstill) look(second meter.CodedSummary) {
	if second.Ended() > 0 {
		s.since, s.told = 0, false
		return
	}
	if s.spans != nil {
		return // a transaction may take an hour
	}
	s.since += min(second.Elapsed, longestSecond)
	list := s.underWay()
	if s.told || len(list) == 0 || min(s.since, list[0].took) < noticeable {
		return
	}
	s.told = true
	s.sayUnderWay(fmt.Sprintf("No transaction has ended for %.0f s", s.since.Seconds()))
}

// waiting lists, longest first, the transactions that count with the latency they had
// when the time was up, or in the end: all that were cut off, and those that by then
// had taken longer than is usual.
func (r *run) waiting(m measurement) []job.Waiting {
	all := m.summary.All()
	usual := max(time.Second, time.Duration(all.Response.ValueAtQuantile(99.9)))
	var list []job.Waiting
	for _, w := range m.underWay {
		if w.took < usual && !w.cutOff {
			continue
		}
		if r.scheduled != nil && w.on != nil && !w.cutOff {
			continue // it ended, and is in the histograms
		}
		list = append(list, job.Waiting{
			User: r.plan.position(w.user), Client: r.plan.client(w.user), Connection: w.connectionName(),
			Kind: r.plan.Workload.Kinds[w.kind].Name, Seconds: w.took.Seconds(), CutOff: w.cutOff,
		})
	}
	slices.SortStableFunc(list, func(a, b job.Waiting) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return list
}

// longestGap returns the longest time in the measurement in which no transaction ended
// though some were under way, and how many of them were standstills. The time in which this
// client did not run is in none.
func (r *run) longestGap(m measurement) (*job.Gap, int) {
	from := m.started.Sub(r.began)
	var unended []time.Duration
	for _, w := range m.underWay {
		if w.cutOff {
			unended = append(unended, w.intended())
		}
	}
	longest := meter.Gap{From: from, To: from}
	n := 0
	for _, whole := range m.gaps.Between(from, from+m.elapsed, unended) {
		for _, g := range whole.Without(pausesOf(m.client, from)) {
			if g.Length() >= time.Second {
				n++
			}
			if g.Length() > longest.Length() {
				longest = g
			}
		}
	}
	return &job.Gap{From: (longest.From - from).Seconds(), Seconds: longest.Length().Seconds()}, n
}

// pausesOf returns the times in which this client did not run, since users began, given when the
// measurement began.
func pausesOf(c job.ClientLoad, from time.Duration) []meter.Gap {
	list := make([]meter.Gap, len(c.Pauses))
	for i, p := range c.Pauses {
		list[i].From = from + inSeconds(p.From)
		list[i].To = list[i].From + inSeconds(p.Seconds)
	}
	return list
}

// tellPauses says of each time in which this client did not run that it did not, and returns how many
// it has told of.
func (r *run) tellPauses(told int) int {
	if r.load == nil {
		return told
	}
	pauses := r.load.Pauses()
	for _, p := range pauses[told:] {
		r.feed.message(job.Monitor, "This client did not run for %.1f s: what users waited meanwhile is not the server's doing", p.Length.Seconds())
	}
	return len(pauses)
}

// stoodStill returns an error if this client did not run for so long that the rates say little: a second
// at least, and a twentieth of the time.
func stoodStill(c job.ClientLoad, elapsed time.Duration) error {
	const part = 0.05
	paused := c.Paused()
	if paused < 1 || paused < part*elapsed.Seconds() {
		return nil
	}
	return fmt.Errorf("this client did not run for %.1f s of the %.0f s that were measured: it was stopped or suspended, or got no core", paused, elapsed.Seconds())
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
