package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// errorOf returns the error that a failure tells of.
func errorOf(f *order.Failure) error {
	var err error = f
	if f.Exit != job.ExitError { // which is that of an error without a code
		err = job.WithExit(f.Exit, err)
	}
	if f.User > 0 {
		err = &feed.Error{Position: f.User, Err: err}
	}
	return err
}

// A generator may be in another process or on another machine: it may die, fall silent, lose or
// repeat a report, or miscount. The coordinator limits the time of each answer, rejects
// totals that differ from the reports, and says in the result what is missing.

const (
	// lostWithin is how long a lost generator may take for an answer: it may still have totals.
	lostWithin = 10 * time.Second

	// silentFor is how many seconds of a phase a generator may miss to report. They are the coordinator's
	// own: if this machine was suspended, none has passed.
	silentFor = 15

	// lateBy is how long reports may be on their way that were sent before a mark.
	lateBy = time.Second
)

// reports is what the generator tells. Its methods may be called from any goroutine.
type reports struct {
	intervals chan *order.Interval
	loggedIn  chan struct{} // closed when the last asynchronous client has logged in
	dead      chan struct{} // closed when the run cannot go on
	ended     chan struct{} // closed when all users have ended, or the generator is lost

	mu   sync.Mutex
	died error // why the run cannot go on
	lost error // why the generator is lost
	over bool  // ended is closed
}

// listen reads reports until there are no more.
func listen(from <-chan order.Report) *reports {
	r := &reports{
		intervals: make(chan *order.Interval), loggedIn: make(chan struct{}), dead: make(chan struct{}), ended: make(chan struct{}),
	}
	go func() {
		in := false
		for report := range from {
			switch {
			case report.Interval != nil:
				select {
				case r.intervals <- report.Interval:
				case <-r.ended:
				}
			case report.LoggedIn && !in:
				in = true
				close(r.loggedIn)
			case report.Failure != nil:
				r.die(errorOf(report.Failure))
			case report.Ended != nil:
				r.end()
			}
		}
		select {
		case <-r.ended:
		default:
			r.lose(errors.New("its reports ended before its users did"))
		}
	}()
	return r
}

// die notes why the run cannot go on. The first reason counts.
func (r *reports) die(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.died == nil {
		r.died = err
		close(r.dead)
	}
}

// end notes that all users have ended.
func (r *reports) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.over = true
		close(r.ended)
	}
}

// lose notes that the generator is lost. The first reason counts.
func (r *reports) lose(why error) {
	r.mu.Lock()
	first := r.lost == nil
	if first {
		r.lost = why
	}
	r.mu.Unlock()
	if first {
		r.die(fmt.Errorf("the load generator was lost: %w", why))
	}
	r.end()
}

// death returns why the run cannot go on, if it cannot.
func (r *reports) death() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.died
}

// gone returns why the generator is lost, if it is.
func (r *reports) gone() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// lose gives the generator up, and returns why the run ends.
func (r *run) lose(why error) error {
	r.reports.lose(why)
	return r.reports.death()
}

// answerOf returns what the generator answers. If it does not, it is lost.
func answerOf[T any](r *run, ask func(context.Context) (T, error)) (T, error) {
	limit := order.AnswersWithin
	if r.reports.gone() != nil {
		limit = lostWithin
	}
	answer, err := asked(limit, ask)
	if err != nil {
		var none T
		return none, r.lose(err)
	}
	return answer, nil
}

// errSilent is why a generator is lost that does not answer.
var errSilent = fmt.Errorf("it did not answer within %s", order.AnswersWithin)

// asked returns what the generator answers before a limit.
func asked[T any](limit time.Duration, ask func(context.Context) (T, error)) (answer T, err error) {
	type reply struct {
		answer T
		err    error
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	replies := make(chan reply, 1)
	go func() {
		var got reply
		got.err = job.Guarded(func() (err error) { got.answer, err = ask(ctx); return err })
		replies <- got
	}()
	select {
	case got := <-replies:
		return got.answer, got.err
	case <-ctx.Done():
		return answer, errSilent
	}
}

// start starts the users.
func (r *run) start() error {
	_, err := asked(order.AnswersWithin, func(ctx context.Context) (struct{}, error) { return struct{}{}, r.generator.Start(ctx) })
	switch {
	case errors.Is(err, errSilent):
		return r.lose(err)
	case err != nil:
		r.reports.end() // no user works
	}
	return err
}

// stop tells the generator to stop its users.
func (r *run) stop() { r.tell(r.generator.Stop) }

// abort tells the generator to abort its users.
func (r *run) abort() { r.tell(r.generator.Abort) }

// close tells the generator to disconnect its users. The run does not wait for a generator that takes too long.
func (r *run) close() {
	_, _ = asked(order.AnswersWithin, func(context.Context) (struct{}, error) { r.generator.Close(); return struct{}{}, nil })
}

// tell calls a method of the generator. If the call takes too long, the generator is lost.
func (r *run) tell(do func()) {
	_, _ = answerOf(r, func(context.Context) (struct{}, error) { do(); return struct{}{}, nil })
}

// heard is what the reports have shown so far.
type heard struct {
	next     int // the sequence number of the next interval
	missing  int // intervals that never came, or too late
	repeated int
}

// mark tells the generator to end a phase and to begin another, and takes the rest of the phase that ends.
func (r *run) mark(p order.Phase, watch *watch) (order.Mark, error) {
	m, err := answerOf(r, func(ctx context.Context) (order.Mark, error) { return r.generator.Mark(ctx, p) })
	if err != nil {
		return m, err
	}
	if len(m.Claimed) != len(r.groups) {
		return m, r.lose(errors.New("it does not count the transactions of each group"))
	}
	if m.Last == nil {
		return m, nil
	}
	late := time.NewTimer(lateBy)
	defer late.Stop()
	for r.heard.next < m.Last.Sequence {
		select {
		case i := <-r.reports.intervals:
			if err := r.hear(i, watch); err != nil {
				return m, err
			}
			continue
		case <-late.C:
		}
		break
	}
	return m, r.hear(m.Last, watch)
}

// hear takes an interval, which comes but once.
func (r *run) hear(i *order.Interval, watch *watch) error {
	switch h := &r.heard; {
	case i.Sequence < h.next:
		h.repeated++
		return nil
	default:
		h.missing += i.Sequence - h.next
		h.next = i.Sequence + 1
	}
	for _, g := range r.groups {
		if err := g.checkKinds(i.Groups); err != nil {
			return r.lose(err)
		}
	}
	if err := r.checkInFlight(i.Waiting); err != nil {
		return r.lose(err)
	}
	if i.Phase == job.Measure {
		for n, g := range r.groups {
			if err := g.reported.AddCoded(i.Groups[n]); err != nil {
				return r.lose(err)
			}
		}
	}
	measured := r.joined(i.Groups)
	if measured.Elapsed > 0 {
		r.feed.Send(job.Event{User: r.plan.Monitor(), Second: &job.Second{
			Moment: job.Moment{Phase: i.Phase, Offset: i.Offset.Seconds(), ServerTPM: r.serverTPM()}, Measured: measured, Sessions: i.LoggedIn,
		}})
	}
	watch.look(r, i, measured.Elapsed)
	return nil
}

// watch looks at each second of a phase.
type watch struct {
	still   stallWatch
	failing allFailing
	steps   int // of the load that were told of
}

func newWatch(r *run) *watch { return &watch{still: stallWatch{run: r}, failing: allFailing{run: r}} }

func (w *watch) look(r *run, i *order.Interval, elapsed time.Duration) {
	w.still.look(i, elapsed)
	w.failing.look(i, elapsed)
	w.steps = r.tellStep(w.steps, i.At)
}

// joined returns what all groups measured, one group's kinds after the other's.
func (r *run) joined(groups []meter.CodedSummary) meter.CodedSummary {
	all := groups[0]
	for _, g := range groups[1:] {
		all.Kinds = append(all.Kinds[:len(all.Kinds):len(all.Kinds)], g.Kinds...)
	}
	return all
}

// frozen returns the totals that the generator has. If it has none, or they do not have the shape that
// the order asks for, the generator is lost, and the totals are those of its reports.
func (r *run) frozen() order.Totals {
	totals, err := answerOf(r, r.generator.Freeze)
	if err == nil {
		if err = r.checkTotals(totals); err == nil {
			return totals
		}
		_ = r.lose(err)
	}
	totals = order.Totals{Elapsed: r.groups[0].reported.Elapsed}
	for _, g := range r.groups {
		totals.Groups = append(totals.Groups, order.GroupTotals{Summary: g.reported})
	}
	return totals
}

// missing says which reports never came.
func (r *run) missing() *job.Unobserved {
	switch h := r.heard; {
	case h.missing > 0:
		return &job.Unobserved{Observer: "The course of the run", Error: fmt.Sprintf(
			"%d of %d reports of the load generator were lost or late; the totals have what they told of", h.missing, h.next-1)}
	case h.repeated > 0:
		return &job.Unobserved{Observer: "The course of the run", Error: fmt.Sprintf("%d reports of the load generator came more than once; they count once", h.repeated)}
	}
	return nil
}

// contradiction returns an error if the totals of a group are not those of its reports.
func (r *run) contradiction(g *runGroup) error {
	totals := g.totals.Counts()
	for k := range totals.Kinds {
		of, reported := totals.Kinds[k].Ended(), g.reported.Kinds[k].Ended()
		if of < reported || of > reported && r.heard.missing == 0 && !r.plan.Pacing.Unmonitored() {
			return fmt.Errorf("the load generator contradicts itself: its totals have %d %s transactions, and its reports %d", of, g.kindName(meter.Kind(k)), reported)
		}
	}
	return nil
}
