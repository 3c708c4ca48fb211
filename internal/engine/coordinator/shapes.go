package coordinator

import (
	"errors"
	"fmt"

	"sledge/internal/engine/order"
	"sledge/internal/meter"
)

// The coordinator checks the lengths of all lists once, when it receives a message of the
// generator. Later code indexes them without a check.

// checkKinds returns an error if a list does not match the kinds of the group.
func (g *runGroup) checkKinds(lists ...[]meter.CodedSummary) error {
	for _, list := range lists {
		if g.number >= len(list) || len(list[g.number].Kinds) != len(g.Plan.Workload.Kinds) {
			return errors.New("it does not report the kinds of transaction in its order")
		}
	}
	return nil
}

// checkInFlight returns an error if a transaction in flight has a group, user or kind that the
// order does not contain.
func (l runGroups) checkInFlight(list []order.InFlight) error {
	for _, w := range list {
		if w.Group < 0 || w.Group >= len(l) || !l[w.Group].has(w) {
			return errors.New("it lists transactions in flight of users or kinds that it was not given")
		}
	}
	return nil
}

// has reports whether a transaction in flight belongs to a user and a kind of the group.
func (g *runGroup) has(w order.InFlight) bool {
	return w.User >= 0 && w.User < g.Plan.Terminals() && int(w.Kind) < len(g.Plan.Workload.Kinds)
}

// checkTotals returns an error if totals do not match the order.
func (l runGroups) checkTotals(t order.Totals) error {
	if len(t.Groups) != len(l) {
		return errors.New("totals of a group are missing")
	}
	if t.Elapsed < 0 {
		return fmt.Errorf("its totals are of a time of %s", t.Elapsed)
	}
	for i, g := range l {
		if err := g.checkTotals(&t.Groups[i]); err != nil {
			return err
		}
	}
	return nil
}

func (g *runGroup) checkTotals(t *order.GroupTotals) error {
	p := g.Plan
	kinds, places, users := len(p.Workload.Kinds), 0, 0
	if p.Pool != nil {
		places, users = len(p.Pool.Connections), p.Users
	}
	summaries := append([]meter.Summary{t.Summary}, t.PerConnection...)
	if t.ByEnd != nil {
		summaries = append(summaries, *t.ByEnd)
	}
	for _, s := range summaries {
		if len(s.Kinds) != kinds {
			return errors.New("its totals are not of the workload's kinds")
		}
	}
	for _, list := range [][]meter.CodedSummary{t.Steps, t.PerUser, t.RampUp} {
		for _, s := range list {
			if len(s.Kinds) != kinds {
				return errors.New("its totals are not of the workload's kinds")
			}
		}
	}
	if n := len(t.KindStartLag); n != len(p.Kinds) {
		return fmt.Errorf("it has the start lag of %d of %d kinds", n, len(p.Kinds))
	}
	if len(t.Steps) > len(p.Steps) {
		return fmt.Errorf("it has %d of %d steps", len(t.Steps), len(p.Steps))
	}
	for _, list := range [][]meter.CodedSummary{t.PerUser, t.RampUp} {
		if len(list) > 0 && len(list) != p.Users {
			return fmt.Errorf("it has totals of %d of %d users", len(list), p.Users)
		}
	}
	if len(t.PerConnection) != places || len(t.ConnectionLosses) != places || len(t.PoolUsers) != users {
		return fmt.Errorf("its totals are not of the %d connections of the pool", places)
	}
	for _, user := range t.PoolUsers {
		if len(user) != kinds {
			return errors.New("its totals are not of the workload's kinds")
		}
	}
	for _, delays := range append([]meter.CodedHistogram{t.StartLag, t.Queueing}, t.KindStartLag...) {
		if _, err := delays.Distribution(); err != nil {
			return fmt.Errorf("its start lags and waits cannot be read: %w", err)
		}
	}
	for _, w := range t.InFlight {
		if !g.has(w) {
			return errors.New("it lists transactions in flight of users or kinds that it was not given")
		}
	}
	return nil
}
