package observer

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// Statements finds the statements that took most of the server's time in the measured time.
type Statements struct {
	Base
	Connect Connect
	Ask     *database.Statements
	Mask    func(statement string) string // leaves values out
	Lost    func(error) bool              // the session is lost
	Whole   bool                          // the whole run is measured

	session reopened
	missing string // why there are no statements
	began   time.Time
	before  map[string]database.StatementCount // by ID; nil before the first reading
	found   *job.Statements
}

// mostTop limits the statements in the result.
const mostTop = 20

// Name implements Observer.
func (o *Statements) Name() string { return "The server's statements" }

// Begin implements Observer.
func (o *Statements) Begin(ctx context.Context, _ Axis) error {
	err := o.session.use(ctx, o.Connect, func(s database.Session) (err error) {
		if o.Ask.Lacking != nil {
			o.missing, err = o.Ask.Lacking(ctx, s)
		}
		return err
	})
	if err == nil && o.Whole {
		err = o.read(ctx)
	}
	return err
}

// read takes the first or the second reading. If the server does not show its statistics, the result says why.
func (o *Statements) read(ctx context.Context) error {
	if o.missing != "" {
		return nil
	}
	take := func(s database.Session) error {
		began := time.Now()
		list, err := o.Ask.Counts(ctx, s)
		switch {
		case err != nil && (ctx.Err() != nil || o.Lost(err)):
			return err
		case err != nil:
			o.missing = clean(err.Error())
			return nil
		case o.before == nil:
			o.began, o.before = middle(began), make(map[string]database.StatementCount, len(list))
			for _, one := range list {
				o.before[one.ID] = one
			}
			return nil
		}
		return o.compare(ctx, s, list, middle(began))
	}
	err := o.session.use(ctx, o.Connect, take)
	if err != nil && ctx.Err() == nil {
		err = o.session.use(ctx, o.Connect, take)
	}
	return err
}

// compare finds the statements that took most time since the first reading, and reads their texts. A
// statement whose count went back counts from 0.
func (o *Statements) compare(ctx context.Context, s database.Session, list []database.StatementCount, at time.Time) error {
	found := &job.Statements{Seconds: at.Sub(o.began).Seconds(), Top: []job.Statement{}}
	var all []job.Statement
	for _, now := range list {
		then := o.before[now.ID]
		if now.Calls < then.Calls || now.Milliseconds < then.Milliseconds {
			found.AtLeast, then = true, database.StatementCount{}
		}
		if now.Calls == then.Calls {
			continue
		}
		one := job.Statement{ID: now.ID, Text: now.ID, Calls: int64(now.Calls - then.Calls), Seconds: rounded((now.Milliseconds - then.Milliseconds) / 1000), Rows: int64(now.Rows - then.Rows)}
		for name, value := range now.Others {
			if grown := value - then.Others[name]; grown > 0 {
				if one.Counters == nil {
					one.Counters = map[string]float64{}
				}
				one.Counters[name] = rounded(grown)
			}
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b job.Statement) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(b.Calls, a.Calls), strings.Compare(a.ID, b.ID))
	})
	n := min(len(all), mostTop)
	found.Top = append(found.Top, all[:n]...)
	for _, one := range all[n:] {
		found.Others++
		found.OthersSeconds += one.Seconds
	}
	found.OthersSeconds = rounded(found.OthersSeconds)
	if o.Ask.Texts != nil && n > 0 {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = found.Top[i].ID
		}
		texts, err := o.Ask.Texts(ctx, s, ids)
		if err != nil {
			return err
		}
		for i := range found.Top {
			one := &found.Top[i]
			one.Text = o.Mask(clean(texts[one.ID]))
			if one.Text == "" {
				one.Text = "hidden from this user"
			}
		}
	}
	o.found = found
	return nil
}

// Reach implements Observer.
func (o *Statements) Reach(ctx context.Context, m Moment) error {
	if m == RampUpOver || o.before != nil {
		return o.read(ctx)
	}
	return nil
}

// End implements Observer.
func (o *Statements) End(ctx context.Context) (err error) {
	defer closeQuietly(&o.session.open)
	if o.Whole && o.before != nil && o.found == nil {
		err = o.read(ctx)
	}
	return err
}

// Report implements Observer.
func (o *Statements) Report(result *job.Result) {
	if result.Statements = o.found; o.missing != "" {
		result.Statements = &job.Statements{Top: []job.Statement{}, Missing: o.missing}
	}
}
