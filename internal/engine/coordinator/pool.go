package coordinator

import (
	"context"

	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// checkPool verifies that each connection of the pool leads to a schema of the same size.
func checkPool(ctx context.Context, p plan.Plan, main job.Facts) (versions []string, err error) {
	if p.Pool == nil {
		return nil, nil
	}
	for i := range p.Pool.Connections {
		version, err := target.CheckPooled(ctx, p.Over(i), main)
		if err != nil {
			return nil, p.Pool.About(i, err)
		}
		versions = append(versions, version)
	}
	return versions, nil
}

// pool returns the work done over each connection of the pool in the measured time.
func (g *runGroup) pool(m measurement) *job.Pool {
	if g.Plan.Pool == nil {
		return nil
	}
	p := &job.Pool{Users: g.totals.PoolUsers}
	for i, sum := range g.totals.PerConnection {
		c := job.PoolConnection{
			Name: g.Plan.Pool.Table.Connections[i].Name, Target: g.Plan.Over(i).Target(), Server: g.servers[i],
			Monitored: g.Plan.LeadsHome(i),
		}
		for k := range sum.Kinds {
			t := &sum.Kinds[k]
			kind := job.PoolShare{
				Kind: g.Plan.Workload.Kinds[k].Name, Done: t.Done, RolledBack: t.RolledBack, Failed: t.Failures(),
				PerMinute: sum.PerMinute(t.Done + t.RolledBack),
			}
			c.PerMinute += kind.PerMinute
			c.Failed += kind.Failed
			c.Shares = append(c.Shares, kind)
		}
		if all := sum.All(); all.Done > 0 {
			response := meter.NewLatency(all.Response)
			c.Response = &response
		}
		if l := g.totals.ConnectionLosses[i]; l.Sessions > 0 {
			c.Lost = &job.PoolLoss{At: l.First, From: l.First.Sub(m.started).Seconds(), Sessions: l.Sessions, Back: l.Back, Why: l.Why}
			if l.Back > 0 {
				c.Lost.BackBy = l.Last.Sub(m.started).Seconds()
			}
		}
		p.Connections = append(p.Connections, c)
	}
	return p
}
