package observer

import (
	"context"
	"slices"

	"sledge/internal/database"
	"sledge/internal/job"
)

// Disturbances finds processes and settings of the server that slow the run, at both ends of the
// measured time. If the user lacks the privilege, the result has none.
type Disturbances struct {
	Base
	Connect Connect
	Ask     func(ctx context.Context, s database.Session) ([]database.Disturbance, error)

	session database.Session
	begun   []database.Disturbance // disturbances when the measured time began
	known   bool                   // the server has answered every request so far
	over    bool                   // the server has answered at both ends
	words   []string
}

// Name implements Observer.
func (d *Disturbances) Name() string { return "The check for disturbances" }

// Begin implements Observer.
func (d *Disturbances) Begin(ctx context.Context, _ Axis) (err error) {
	if d.session, err = d.Connect(ctx); err != nil {
		d.session = nil
	}
	return nil
}

// Reach implements Observer.
func (d *Disturbances) Reach(ctx context.Context, m Moment) error {
	switch {
	case d.session == nil:
	case m == RampUpOver:
		list, err := d.Ask(ctx, d.session)
		d.begun, d.known = list, err == nil
	case m == TimeUp && d.known:
		now, err := d.Ask(ctx, d.session)
		if d.over = err == nil; d.over {
			d.compare(now)
		}
	}
	return nil
}

// compare records the disturbances of the run: lasting ones that were present both times, and all
// others.
func (d *Disturbances) compare(now []database.Disturbance) {
	in := func(list []database.Disturbance, id string) bool {
		return slices.ContainsFunc(list, func(one database.Disturbance) bool { return one.ID == id })
	}
	for _, one := range now {
		switch both := in(d.begun, one.ID); {
		case both:
			d.words = append(d.words, one.Text)
		case !one.Lasting:
			d.words = append(d.words, one.Text+" at the end")
		}
	}
	for _, one := range d.begun {
		if !one.Lasting && !in(now, one.ID) {
			d.words = append(d.words, one.Text+" at the beginning")
		}
	}
}

// End implements Observer.
func (d *Disturbances) End(context.Context) error {
	closeQuietly(&d.session)
	return nil
}

// Report implements Observer.
func (d *Disturbances) Report(result *job.Result) {
	if d.over {
		result.Disturbances = &job.Disturbances{Words: d.words}
	}
}
