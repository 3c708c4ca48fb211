package engine

import (
	"context"
	"fmt"
	"maps"

	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// poolPlan is a pool with its names looked up and its options bound.
type poolPlan struct {
	table       pool.Table
	connections []any // the database's options of each
}

// bindPool binds the pool of a run, or returns nil if it has no pool. The engine does not read the pool's
// file.
func bindPool(p Plan, o *load.Options) (*poolPlan, error) {
	names, text := p.Spec.Names, string(o.PoolFile)
	wrong := func(err error) error { return names.Wrong(pool.Option, "", "%w", err) }
	if !pool.IsPool(text) {
		switch {
		case text != pool.None:
			return nil, wrong(fmt.Errorf("the file %s was not read", text))
		case o.ConnectPool:
			return nil, names.Wrong("connect_pool", "true", "no file was read: name one by %s", names.Of(pool.Option))
		}
		return nil, nil
	}
	switch {
	case p.Database.Embedded():
		return nil, wrong(fmt.Errorf("%s works inside this process, so that there are no connections to choose from: set it to %s", p.Database.Title, pool.None))
	case o.Connections > 0:
		return nil, wrong(fmt.Errorf("with a pool each virtual user has connections of its own: set it to %s, or %s to 0", pool.None, names.Of("connections")))
	}
	if p.Pacing.Ledger {
		return nil, wrong(fmt.Errorf("the audit of %s looks into one database: set it to %s, or %[1]s to false", names.Of("ledger"), pool.None))
	}
	given, err := pool.Parse(text)
	if err != nil {
		return nil, wrong(err)
	}
	bound := &poolPlan{}
	if bound.table, err = given.Table(p.Workload.KindNames()); err != nil {
		return nil, wrong(err)
	}
	for _, c := range bound.table.Connections {
		fresh := p.Database.Options(p.Workload.Use)
		if err := option.CheckNames(c.Options, option.Describe(fresh)); err != nil {
			return nil, wrong(fmt.Errorf("connection %s: %w", c.Name, err))
		}
		values := p.Spec.Values()
		maps.Copy(values, c.Options)
		if err := option.Bind(nil, values, fresh); err != nil {
			return nil, wrong(fmt.Errorf("connection %s: %w", c.Name, err))
		}
		bound.connections = append(bound.connections, fresh)
	}
	return bound, nil
}

// Connections returns the bound options of each connection of a job: its own, and those of the pool.
func (p Plan) Connections() []any {
	all := []any{p.Connection}
	if p.pool != nil {
		all = append(all, p.pool.connections...)
	}
	return all
}

// places returns how many connections each user has of a pool; 1 without one.
func (p Plan) places() int {
	if p.pool == nil {
		return 1
	}
	return len(p.pool.connections)
}

// about says which connection of a pool an error is about.
func (l *poolPlan) about(connection int, err error) error {
	return fmt.Errorf("connection %s of the pool: %w", l.table.Connections[connection].Name, err)
}

// over returns the plan as it is over a connection of the pool.
func (p Plan) over(connection int) Plan {
	p.Connection, p.pool = p.pool.connections[connection], nil
	p.Targets = []any{p.Connection}
	if p.Database.Servers != nil {
		p.Targets = p.Database.Servers(p.Connection)
	}
	p.Schema = p.Database.Schema(p.Database, p.SQL, p)
	return p
}

// checkPool looks whether there is a schema of the same size where each connection leads.
func (g *runGroup) checkPool(ctx context.Context, main job.Facts) error {
	if g.plan.pool == nil {
		return nil
	}
	for i := range g.plan.pool.connections {
		server, err := checkPooled(ctx, g.plan.over(i), main)
		if err != nil {
			return g.plan.pool.about(i, err)
		}
		g.servers = append(g.servers, server)
	}
	return nil
}

// checkPooled looks at one connection, and returns the version of the server.
func checkPooled(ctx context.Context, p Plan, main job.Facts) (version string, err error) {
	s, err := connect(ctx, p, database.Owner)
	if err != nil {
		return "", err
	}
	defer s.Close()
	if p, err = requireSchema(ctx, p, s); err != nil {
		return "", err
	}
	if p.Workload.Extent != nil {
		size, err := p.Workload.Extent(ctx, s, p.SQL)
		if err != nil {
			return "", err
		}
		if size != main.Size {
			return "", job.WithExit(job.ExitUsage, fmt.Errorf("%s has %s, and %s, which the monitor is connected to, has %s: build all of the pool with as many",
				p.target(), size, main.Target, main.Size))
		}
	}
	if version, err = p.Server.Version(ctx, s); err != nil {
		return "", fmt.Errorf("ask for the server's version: %w", err)
	}
	return version, nil
}

// openPooled opens connection number i: users have one each of all connections of the pool,
// one user after the other.
func (g *group) openPooled(ctx context.Context, i int) (*connection, error) {
	n := len(g.plan.pool.connections)
	c, err := open(ctx, g.plan.over(i%n), i, 0, g.introducer(i), g.stopped)
	if c != nil {
		c.place = int32(i % n)
	}
	return c, err
}

// pool says what was done over each connection of the pool in the measured time.
func (g *runGroup) pool(m measurement) *job.Pool {
	if g.plan.pool == nil {
		return nil
	}
	p := &job.Pool{Users: g.totals.PlaceUsers}
	for i, sum := range g.totals.Places {
		c := job.PoolConnection{
			Name: g.plan.pool.table.Connections[i].Name, Target: g.plan.over(i).target(), Server: g.servers[i],
			Monitored: g.plan.leadsHome(i),
		}
		for k := range sum.Kinds {
			t := &sum.Kinds[k]
			kind := job.PoolShare{
				Kind: g.plan.Workload.Kinds[k].Name, Done: t.Done, RolledBack: t.RolledBack, Failed: t.Failures(),
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
		if l := g.totals.PlaceLosses[i]; l.Sessions > 0 {
			c.Lost = &job.PoolLoss{At: l.First, From: l.First.Sub(m.started).Seconds(), Sessions: l.Sessions, Back: l.Back, Why: l.Why}
			if l.Back > 0 {
				c.Lost.BackBy = l.Last.Sub(m.started).Seconds()
			}
		}
		p.Connections = append(p.Connections, c)
	}
	return p
}

// leadsHome reports whether a connection of the pool leads where the monitor's does.
func (p Plan) leadsHome(connection int) bool {
	return p.pool == nil || p.over(connection).target() == p.target()
}

// leadsElsewhere reports whether any does not.
func (p Plan) leadsElsewhere() bool {
	for i := range p.pool.connections {
		if !p.leadsHome(i) {
			return true
		}
	}
	return false
}
