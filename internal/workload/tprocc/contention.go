package tprocc

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// roomy is how many warehouses for each user make it unlikely that users wait for each
// other: of those who draw a home among so many, about one in five shares it.
const roomy = 4

// contention counts the users that share a warehouse, by the homes that they will draw.
// It returns nil where there are enough warehouses, or users would not wait for each
// other's rows anyway.
func contention(ctx context.Context, s database.Session, sql *sqlfile.Library, c workload.Crowd) (*job.Contention, error) {
	o := c.Options.(*Options)
	rows := o.asked(c.Kinds).contended()
	if c.Users < 2 || len(rows) == 0 || o.rests() {
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
	if err != nil || warehouses >= roomy*c.Users { // users will say that there is no warehouse
		return nil, nil
	}
	found := crowding(o, c, warehouses)
	found.Expect = expectation(found, o, rows)
	return &found, nil
}

// crowding counts who works where.
func crowding(o *Options, c workload.Crowd, warehouses int) job.Contention {
	found := job.Contention{Users: c.Users, Units: warehouses, Enough: roomy * c.Users}
	each, on := make([][]int, c.Users), make([]int, warehouses+1)
	for n := range each {
		each[n] = homes(c.Rand(n), o.AllWarehouses, n, c.Users, warehouses)
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

// contended says what users do on a warehouse that one of them waits for another with. It
// is empty where they only read.
func (w weights) contended() []string {
	var rows []string
	if w[payment] > 0 {
		rows = append(rows, "payments update its one row")
	}
	if w[newOrder] > 0 {
		rows = append(rows, "new orders one of its ten districts")
	}
	if w[delivery] > 0 {
		rows = append(rows, "deliveries take the oldest orders of each district")
	}
	return rows
}

// rests reports whether users pause for so long that they seldom meet in a warehouse: the
// standard has ten of them there, with pauses of 20 s for transactions of milliseconds.
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

// expectation says in words what was counted, and what comes of it.
func expectation(c job.Contention, o *Options, rows []string) string {
	const little = "they meet only where a transaction of one touches a warehouse of another"
	var who string
	switch {
	case c.Sharing == 0 && o.AllWarehouses:
		return fmt.Sprintf("each of the %d virtual users has warehouses of its own, so %s", c.Users, little)
	case c.Sharing == 0:
		return fmt.Sprintf("with this seed each of the %d virtual users has a home warehouse of its own, so %s", c.Users, little)
	case c.Units == 1 && c.Users == 2:
		who = "both virtual users share the only warehouse"
	case c.Units == 1:
		who = fmt.Sprintf("all %d virtual users share the only warehouse", c.Users)
	case o.AllWarehouses:
		who = fmt.Sprintf("%d of %d virtual users share warehouses, up to %d the same one of %d", c.Sharing, c.Users, c.Most, c.Units)
	default:
		who = fmt.Sprintf("%d of %d virtual users share their home warehouse, up to %d the same one of %d", c.Sharing, c.Users, c.Most, c.Units)
	}
	return fmt.Sprintf("%s: expect them to wait for each other, since %s. For little contention build %d warehouses or more, %d for each virtual user",
		who, strings.Join(rows, ", "), c.Enough, roomy)
}
