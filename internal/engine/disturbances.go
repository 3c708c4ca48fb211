package engine

import (
	"context"
	"slices"

	"sledge/internal/database"
	"sledge/internal/job"
)

// disturbances are what the server says would slow the run, by two readings.
type disturbances struct {
	plan  Plan
	begun []database.Disturbance // when the measured time began

	words []string // what disturbed the run
	known bool     // whether the server could be asked both times
}

// read asks the server, which must not hold up or end the run: a user who may not know gets no answer.
func (d *disturbances) read(ctx context.Context, s database.Session) (list []database.Disturbance, known bool) {
	if d.plan.Server.Disturbances == nil || s == nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, d.plan.Grace)
	defer cancel()
	list, err := d.plan.Server.Disturbances(ctx, s)
	return list, err == nil
}

// begin is called before the measured time.
func (d *disturbances) begin(ctx context.Context, s database.Session) {
	d.begun, d.known = d.read(ctx, s)
}

// end is called after it.
func (d *disturbances) end(ctx context.Context, s database.Session) {
	if !d.known {
		return
	}
	var now []database.Disturbance
	now, d.known = d.read(ctx, s)
	of := func(list []database.Disturbance, id string) bool {
		return slices.ContainsFunc(list, func(one database.Disturbance) bool { return one.ID == id })
	}
	for _, one := range now {
		if both := of(d.begun, one.ID); both || !one.Lasting {
			d.words = append(d.words, one.Text+at(both, "at the end"))
		}
	}
	for _, one := range d.begun {
		if !one.Lasting && !of(now, one.ID) {
			d.words = append(d.words, one.Text+" at the beginning")
		}
	}
}

// at says when something was seen, unless it was always.
func at(always bool, when string) string {
	if always {
		return ""
	}
	return " " + when
}

// attribute says which part of what other processes of this machine used was the server's.
func (r *run) attribute(c *job.ClientLoad) {
	if c.Machine == nil {
		return
	}
	var server []string
	for _, connection := range r.connections.all() {
		if connection.sockets.Local() {
			server = append([]string{}, r.plan.Database.Processes...) // not nil, though there may be none
			break
		}
	}
	c.Machine.Attribute(server)
}
