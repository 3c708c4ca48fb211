package observer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// Background marks when the server begins and ends work of its own, such as a checkpoint. If the user
// lacks the privilege, nothing is marked.
type Background struct {
	Base
	Connect Connect
	List    func(ctx context.Context, s database.Session) ([]database.BackgroundWork, error)
	Refused func(error) bool // the user lacks the privilege
	Mark    func(text string)

	session reopened
	before  map[string]database.BackgroundWork // by ID, in the newest reading; nil before the first
	spans   []backgroundSpan
}

// backgroundSpan is the time of a server's own work.
type backgroundSpan struct {
	id, name    string
	from, until time.Time // until is zero while it goes on
}

// mostBackground limits the work in the result: the longest is kept.
const mostBackground = 100

// Name implements Observer.
func (b *Background) Name() string { return "The server's own work" }

// Sample implements Sampler. A lost session is reported by the observer of the server's rate.
func (b *Background) Sample(ctx context.Context) error {
	err := b.session.use(ctx, b.Connect, func(s database.Session) error {
		list, err := b.List(ctx, s)
		if err == nil {
			b.compare(list, time.Now())
		}
		return err
	})
	if err != nil && b.Refused(err) {
		return ErrOver
	}
	return nil
}

// compare marks what differs from the reading before. Of the first reading it marks only work that
// goes on, which is work that has an end.
func (b *Background) compare(list []database.BackgroundWork, at time.Time) {
	now := make(map[string]database.BackgroundWork, len(list))
	for _, work := range list {
		now[work.ID] = work
		if _, known := b.before[work.ID]; !known && (b.before != nil || work.Ended != "") {
			b.mark(work.Began)
			span := backgroundSpan{id: work.ID, name: clean(work.Name), from: at.Add(-work.Age)}
			if work.Ended == "" {
				span.until = at
			}
			b.spans = append(b.spans, span)
		}
	}
	for id, work := range b.before {
		if _, goesOn := now[id]; !goesOn {
			b.mark(work.Ended)
			if i := slices.IndexFunc(b.spans, func(s backgroundSpan) bool { return s.id == id && s.until.IsZero() }); i >= 0 {
				b.spans[i].until = at
			}
		}
	}
	b.before = now
}

func (b *Background) mark(text string) {
	if text != "" {
		b.Mark(text)
	}
}

// End implements Observer.
func (b *Background) End(context.Context) error {
	closeQuietly(&b.session.open)
	return nil
}

// Report implements Observer. It adds the work of the measured time, in the order in which it began.
func (b *Background) Report(result *job.Result) {
	var list []job.BackgroundWork
	for _, s := range b.spans {
		from, until := s.from.Sub(result.Started).Seconds(), result.Elapsed
		if !s.until.IsZero() {
			until = min(until, s.until.Sub(result.Started).Seconds())
		}
		if until > 0 && from < result.Elapsed && s.name != "" {
			list = append(list, job.BackgroundWork{Work: s.name, From: tenths(max(0, from)), Until: tenths(until)})
		}
	}
	if len(list) > mostBackground {
		slices.SortStableFunc(list, func(a, b job.BackgroundWork) int { return cmp.Compare(b.Until-b.From, a.Until-a.From) })
		list = list[:mostBackground]
		slices.SortStableFunc(list, func(a, b job.BackgroundWork) int { return cmp.Compare(a.From, b.From) })
	}
	result.Background = list
}

// tenths rounds to a tenth.
func tenths(v float64) float64 { return math.Round(10*v) / 10 }
