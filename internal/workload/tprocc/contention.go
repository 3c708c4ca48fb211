package tprocc

import (
	"context"
	"fmt"
	"strconv"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// roomy returns the number of warehouses per user above which users seldom wait for each other. If
// users draw their homes at random from 4 warehouses per user, about one in five shares its home.
func (o *Options) roomy() int {
	if o.Homes == randomHomes || o.AllWarehouses {
		return 4
	}
	return 1
}

// contention counts the users that share a warehouse, by their home warehouses. It returns nil if
// there are enough warehouses, or if users do not wait for each other's rows.
func contention(ctx context.Context, s database.Session, sql *sqlfile.Library, c workload.Crowd) (*job.Contention, error) {
	o := c.Options.(*Options)
	if c.Users < 2 || !o.asked(c.Kinds).contended() || o.rests() {
		return nil, nil
	}
	q, err := sql.Query("limits")
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, q.Text, 1)
	if err != nil {
		return nil, fmt.Errorf("count the warehouses: %w", err)
	}
	warehouses, err := strconv.Atoi(t.Rows[0][0])
	if err != nil || warehouses >= o.roomy()*c.Users { // the users will report the missing warehouse
		return nil, nil
	}
	found := crowding(o, c, warehouses)
	found.Expect = expectation(found, o)
	return &found, nil
}

// crowding counts the users of each warehouse.
func crowding(o *Options, c workload.Crowd, warehouses int) job.Contention {
	found := job.Contention{Users: c.Users, Units: warehouses, Enough: o.roomy() * c.Users}
	each, on := make([][]int, c.Users), make([]int, warehouses+1)
	for n := range each {
		each[n] = homes(c.Rand(n), o, c.Seed, n, c.Users, warehouses)
		for _, w := range each[n] {
			on[w]++
			found.Most = max(found.Most, on[w])
		}
	}
	for _, list := range each {
		for _, w := range list {
			if on[w] > 1 {
				found.Sharing++
				break
			}
		}
	}
	return found
}

// contended reports whether users lock rows of a warehouse that other users need. A payment locks
// the warehouse's single row, a new order locks a row of its ten districts, and a delivery locks
// the oldest orders.
func (w weights) contended() bool { return w[payment] > 0 || w[newOrder] > 0 || w[delivery] > 0 }

// rests reports whether users pause for so long that they seldom meet in a warehouse. The standard
// has ten users for each, with pauses of 20 s and transactions of milliseconds.
func (o *Options) rests() bool {
	if !o.KeyAndThink {
		return false
	}
	var pause, all float64
	for k, weight := range o.Mix {
		pause += float64(weight) * (o.Keying[k] + o.Thinking[k])
		all += float64(weight)
	}
	return pause/all >= 1
}

// expectation describes the counts in words, with advice.
func expectation(c job.Contention, o *Options) string {
	units := "share a home warehouse"
	if o.AllWarehouses {
		units = "share warehouses"
	}
	switch {
	case c.Sharing == 0:
		return "each virtual user has a warehouse of its own, so they rarely wait for each other"
	case c.Units == 1:
		units = "share the only warehouse"
	}
	return fmt.Sprintf("%d of %d virtual users %s and wait for each other's locks. Build %d warehouses so that few do.", c.Sharing, c.Users, units, c.Enough)
}
