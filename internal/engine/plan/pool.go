package plan

import (
	"fmt"
	"maps"

	"sledge/internal/engine/load"
	"sledge/internal/engine/pool"
	"sledge/internal/option"
)

// Pool is a connection pool with its names looked up and its options bound.
type Pool struct {
	Table       pool.Table
	Connections []any // the database's options for each connection
}

// bindPool binds the pool of a run, or returns nil if the run has no pool. The option must contain
// the pool itself, because the engine does not read files.
func bindPool(j Job, o *load.Options) (*Pool, error) {
	names, text := j.Spec.Names, string(o.PoolFile)
	wrong := func(err error) error { return names.Wrong(pool.Option, "", "%w", err) }
	if !pool.IsPool(text) {
		switch {
		case text != pool.None:
			return nil, wrong(fmt.Errorf("the file %s was not read", text))
		case o.ConnectPool:
			return nil, names.Wrong("connect_pool", "true", "no file was read: name one with %s", names.Of(pool.Option))
		}
		return nil, nil
	}
	switch {
	case j.Database.Embedded():
		return nil, wrong(fmt.Errorf("%s works inside this process, so it has no connections to choose from: set it to %s", j.Database.Title, pool.None))
	case o.Connections > 0:
		return nil, wrong(fmt.Errorf("with a pool each virtual user has its own connections: set it to %s, or %s to 0", pool.None, names.Of("connections")))
	}
	if o.Ledger {
		return nil, wrong(fmt.Errorf("the audit of %s looks into one database: set it to %s, or %[1]s to false", names.Of("ledger"), pool.None))
	}
	given, err := pool.Parse(text)
	if err != nil {
		return nil, wrong(err)
	}
	bound := &Pool{}
	if bound.Table, err = given.Table(j.Workload.KindNames()); err != nil {
		return nil, wrong(err)
	}
	for _, c := range bound.Table.Connections {
		fresh := j.Database.Options.New(j.Workload.Use)
		if err := option.CheckNames(c.Options, option.Describe(fresh)); err != nil {
			return nil, wrong(fmt.Errorf("connection %s: %w", c.Name, err))
		}
		values := j.Spec.Values()
		maps.Copy(values, c.Options)
		if err := option.Bind(nil, values, fresh); err != nil {
			return nil, wrong(fmt.Errorf("connection %s: %w", c.Name, err))
		}
		bound.Connections = append(bound.Connections, fresh)
	}
	return bound, nil
}

// Size returns the number of connections of each user, which is 1 without a pool.
func (l *Pool) Size() int {
	if l == nil {
		return 1
	}
	return len(l.Connections)
}

// About adds the name of a connection of the pool to an error.
func (l *Pool) About(connection int, err error) error {
	return fmt.Errorf("connection %s of the pool: %w", l.Table.Connections[connection].Name, err)
}

// Over returns the job with the options of a connection of the pool.
func (p Plan) Over(connection int) Job { return p.At(p.Pool.Connections[connection]) }

// LeadsHome reports whether a connection of the pool leads to the monitor's database.
func (p Plan) LeadsHome(connection int) bool {
	return p.Pool == nil || p.Over(connection).Target() == p.Target()
}

// LeadsElsewhere reports whether any connection leads to another database.
func (p Plan) LeadsElsewhere() bool {
	for i := range p.Pool.Connections {
		if !p.LeadsHome(i) {
			return true
		}
	}
	return false
}
