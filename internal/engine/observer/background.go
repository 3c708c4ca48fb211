package observer

import (
	"context"

	"sledge/internal/database"
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
}

// Name implements Observer.
func (b *Background) Name() string { return "The server's own work" }

// Sample implements Sampler. A lost session is reported by the observer of the server's rate.
func (b *Background) Sample(ctx context.Context) error {
	err := b.session.use(ctx, b.Connect, func(s database.Session) error {
		list, err := b.List(ctx, s)
		if err == nil {
			b.compare(list)
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
func (b *Background) compare(list []database.BackgroundWork) {
	now := make(map[string]database.BackgroundWork, len(list))
	for _, work := range list {
		now[work.ID] = work
		if _, known := b.before[work.ID]; !known && (b.before != nil || work.Ended != "") {
			b.mark(work.Began)
		}
	}
	for id, work := range b.before {
		if _, goesOn := now[id]; !goesOn {
			b.mark(work.Ended)
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
