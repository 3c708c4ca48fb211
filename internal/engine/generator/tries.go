package generator

import (
	"context"
	"sync/atomic"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/order"
	"sledge/internal/meter"
)

// tries are the tries of transactions over a connection, of which the newest are kept. They tell to which
// of them a session of the server belonged when a sampler saw it. Only the connection's user writes them;
// any goroutine may read them.
type tries struct {
	begun  atomic.Int64 // their number
	newest [newestTries]try
}

// newestTries is the number of tries that are kept. A sampler asks for them some milliseconds later.
const newestTries = 32

// try is one try. Its times are in nanoseconds since users began.
type try struct {
	start atomic.Int64
	end   atomic.Int64 // 0 while it is in flight
	kind  atomic.Int32
}

// begin adds a try. The caller sets its end.
func (t *tries) begin(kind meter.Kind, at time.Duration) *try {
	n := t.begun.Load() + 1
	one := &t.newest[n%newestTries]
	one.start.Store(int64(at))
	one.end.Store(0)
	one.kind.Store(int32(kind))
	t.begun.Store(n)
	return one
}

// triedThen is a try as a reader has found it.
type triedThen struct {
	number     int64 // from 1; 0 if none was found
	start, end time.Duration
	kind       meter.Kind
}

// covers reports whether the try was in flight from one time to another.
func (t triedThen) covers(from, to time.Duration) bool {
	return t.start <= from && (t.end == 0 || t.end >= to)
}

// at returns the try that was in flight at a time. If none was, it returns the nearest one that began or
// ended within slack of that time.
func (t *tries) at(moment, slack time.Duration) triedThen {
	var later triedThen
	for n := t.begun.Load(); n > 0; n-- {
		one := &t.newest[n%newestTries]
		found := triedThen{n, time.Duration(one.start.Load()), time.Duration(one.end.Load()), meter.Kind(one.kind.Load())}
		if t.begun.Load() >= n+newestTries-1 { // its place may have been taken meanwhile
			return triedThen{}
		}
		if found.start > moment {
			later = found
			continue
		}
		if found.covers(moment, moment) {
			return found
		}
		before := moment - found.end
		if before <= slack && (later.number == 0 || before <= later.start-moment) {
			return found
		}
		break
	}
	if later.number > 0 && later.start-moment <= slack {
		return later
	}
	return triedThen{}
}

// Locate implements order.Generator.
func (g *generator) Locate(_ context.Context, seen order.Sightings) (order.Located, error) {
	located := order.Located{InFlight: make([][]int64, len(g.groups)), Sessions: make([]order.Location, len(seen.Sessions))}
	places := make(map[string][]int, len(seen.Sessions))
	for i, s := range seen.Sessions {
		places[s.ID] = append(places[s.ID], i)
	}
	for i, group := range g.groups {
		located.InFlight[i] = make([]int64, len(group.plan.Workload.Kinds))
	}
	if !g.started.Load() {
		return located, nil
	}
	from, to, now := seen.From.Sub(g.began), seen.To.Sub(g.began), seen.At.Sub(g.began)
	g.eachConnection(func(group *group, c *connection) {
		then := c.tries.at(now, 0)
		if then.number > 0 {
			located.InFlight[group.number][then.kind]++
		}
		for _, i := range places[database.SessionID(c.called())] {
			one := &located.Sessions[i]
			one.Join = order.NoTransaction
			if found := c.tries.at(seen.Sessions[i].Since.Sub(g.began), seen.Slack); found.number > 0 {
				one.Group, one.Kind, one.Counted, one.Join = group.number, found.kind, found.number == then.number, order.Likely
				if found.covers(from, to) {
					one.Join = order.Certain
				}
			}
		}
	})
	return located, nil
}
