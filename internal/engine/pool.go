package engine

import (
	"context"
	"fmt"
	"maps"

	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
)

// poolPlan is a pool with its names looked up and its options bound.
type poolPlan struct {
	table       pool.Table
	connections []any // the database's options of each
}

// bindPool binds the pool of a run; nil if there is to be none. Reading the file that it is
// in is not the engine's.
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
	case p.Database.Embedded:
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
func (r *run) checkPool(ctx context.Context, main job.Facts) error {
	if r.plan.pool == nil {
		return nil
	}
	for i := range r.plan.pool.connections {
		server, err := r.checkPooled(ctx, r.plan.over(i), main)
		if err != nil {
			return r.plan.pool.about(i, err)
		}
		r.servers = append(r.servers, server)
	}
	return nil
}

// checkPooled looks at one connection, and returns the version of the server.
func (r *run) checkPooled(ctx context.Context, p Plan, main job.Facts) (version string, err error) {
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
func (g *generator) openPooled(ctx context.Context, i int) (*connection, error) {
	n := len(g.plan.pool.connections)
	c, err := open(ctx, g.plan.over(i%n), i, 0, g.introducer(i), g.stopped)
	if c != nil {
		c.place = int32(i % n)
	}
	return c, err
}
