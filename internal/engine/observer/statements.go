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

// Statements finds the statements that took most of the server's time in the measured time, and watches
// their plans.
type Statements struct {
	Base
	Connect Connect
	Ask     *database.Statements
	Mask    func(statement string) string // leaves values out
	Lost    func(error) bool              // the session is lost
	Whole   bool                          // the whole run is measured, and its queries have plans of their own

	ReadPlan func(answer database.Table) []job.PlanLine // as Ask.Explain
	Mark     func(text string)                          // marks a moment on charts

	session reopened
	missing string // why there are no statements
	began   time.Time
	before  map[string]database.StatementCount // by ID; nil before the first reading
	found   *job.Statements
	plans   statementPlans
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
	if o.explains() && o.missing == "" { // the measured time then contains no log-in
		_ = o.plans.session.use(ctx, o.Connect, func(database.Session) error { return nil }) // or later
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
			o.began, o.before = middle(began), byID(list)
			o.plans.ranked = o.before
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
	found := &job.Statements{Seconds: at.Sub(o.began).Seconds()}
	all, reset := grown(o.before, list)
	n := min(len(all), mostTop)
	found.Top, found.AtLeast = append([]job.Statement{}, all[:n]...), reset
	for _, one := range all[n:] {
		found.Others++
		found.OthersSeconds += one.Seconds
	}
	found.OthersSeconds = rounded(found.OthersSeconds)
	if err := addTexts(ctx, s, o.Ask, found.Top, o.Mask); err != nil {
		return err
	}
	o.found = found
	return nil
}

// grown returns what the server counted of each statement since an earlier reading, those that took most
// time first, and whether statistics were reset or removed.
func grown(before map[string]database.StatementCount, list []database.StatementCount) (all []job.Statement, reset bool) {
	for _, now := range list {
		then := before[now.ID]
		if now.Calls < then.Calls || now.Milliseconds < then.Milliseconds {
			reset, then = true, database.StatementCount{}
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
	return all, reset
}

// addTexts adds the texts of statements.
func addTexts(ctx context.Context, s database.Session, from *database.Statements, list []job.Statement, mask func(string) string) error {
	if from.Texts == nil || len(list) == 0 {
		return nil
	}
	texts, err := from.Texts(ctx, s, idsOf(list))
	if err != nil {
		return err
	}
	for i := range list {
		one := &list[i]
		one.Text = mask(clean(texts[one.ID]))
		if one.Text == "" {
			one.Text = "hidden from this user"
		}
	}
	return nil
}

func byID(list []database.StatementCount) map[string]database.StatementCount {
	counts := make(map[string]database.StatementCount, len(list))
	for _, one := range list {
		counts[one.ID] = one
	}
	return counts
}

func idsOf(list []job.Statement) []string {
	ids := make([]string, len(list))
	for i, one := range list {
		ids[i] = one.ID
	}
	return ids
}

// Reach implements Observer.
func (o *Statements) Reach(ctx context.Context, m Moment) error {
	if m != RampUpOver && o.before == nil {
		return nil
	}
	err := o.read(ctx)
	if err == nil && o.found != nil {
		o.watch(ctx, o.found.Top...)
	}
	return err
}

// Sample implements Sampler. It watches the plans of the top statements.
func (o *Statements) Sample(ctx context.Context) error {
	if !o.explains() || o.missing != "" || o.found != nil {
		return ErrOver
	}
	if o.before == nil { // the ramp-up
		return nil
	}
	p := &o.plans
	if p.samples%rankEvery == 0 {
		err := o.session.use(ctx, o.Connect, func(s database.Session) error {
			list, err := o.Ask.Counts(ctx, s)
			if err == nil {
				top, _ := grown(p.ranked, list)
				p.top, p.ranked = top[:min(len(top), mostTop)], byID(list)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(p.top) == 0 { // none has run yet
		return nil
	}
	o.watch(ctx, p.next()...)
	p.samples++
	return nil
}

// End implements Observer.
func (o *Statements) End(ctx context.Context) (err error) {
	defer closeQuietly(&o.plans.session.open)
	defer closeQuietly(&o.session.open)
	if o.Whole && o.before != nil && o.found == nil {
		err = o.read(ctx)
	}
	return err
}

// Report implements Observer.
func (o *Statements) Report(result *job.Result) {
	if o.missing != "" {
		result.Statements = &job.Statements{Top: []job.Statement{}, Missing: o.missing}
		return
	}
	result.Statements = o.found
	if o.found == nil {
		return
	}
	for i := range o.found.Top {
		result.Plans = append(result.Plans, o.plans.of(&o.found.Top[i])...)
	}
}

// RecentStatements reads which statements took most of the server's time since the last call of Read.
type RecentStatements struct {
	Ask  *database.Statements
	Mask func(statement string) string // leaves values out

	at     time.Time
	before map[string]database.StatementCount // nil before the first reading
}

// Read returns the statements since the last call, or nil at the first.
func (r *RecentStatements) Read(ctx context.Context, s database.Session) (*job.Statements, error) {
	began := time.Now()
	list, err := r.Ask.Counts(ctx, s)
	if err != nil {
		return nil, err
	}
	at, before, since := middle(began), r.before, r.at
	r.at, r.before = at, byID(list)
	if before == nil {
		return nil, nil
	}
	all, atLeast := grown(before, list)
	found := &job.Statements{Seconds: at.Sub(since).Seconds(), AtLeast: atLeast, Top: all[:min(len(all), mostTop)]}
	for i := range found.Top {
		found.Top[i].Counters = nil
	}
	return found, addTexts(ctx, s, r.Ask, found.Top, r.Mask)
}
