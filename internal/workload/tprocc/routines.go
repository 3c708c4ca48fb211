package tprocc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// routineCaller calls a stored routine for each transaction.
type routineCaller struct {
	workload.Connection
	in    inputs // bound to the calls
	asked *order // the last
	calls [kinds]database.Statement
	lots  *rand.Rand // draws the input Chance of each call

	// tellsRollback means that the routines are Sledge's. They return order number 0 after a
	// rollback for an unused item; the routines of other programs do not report it.
	tellsRollback bool

	order struct {
		ID int64 `sql:"no_d_next_o_id"`
	}

	// Tests keep the whole answer, to compare it.
	answers [kinds]database.Row
	shown   []string     // the rows of the last answer
	show    func() error // called for each row; nil outside a test
}

// routineNames are the names of TPROC-C's routines, in the order of the kinds.
var routineNames = [kinds]string{"neword", "payment", "delivery", "slev", "ostat"}

func newRoutineCaller(ctx context.Context, connection workload.Connection) (workload.Executor, error) {
	found, err := findRoutines(ctx, connection.Session, connection.SQL)
	if err != nil {
		return nil, err
	}
	if found.kind == "" {
		return nil, fmt.Errorf("the schema should have the stored routines %s, but has %s: build it again, or set %s to send the statements from the client",
			strings.Join(routineNames[:], ", "), found, connection.Options.(*Options).Name("client_sql"))
	}
	u := &routineCaller{Connection: connection, tellsRollback: found.maker == sledge}
	if u.Test {
		u.show = u.keepAnswer
	}
	if err := u.seedServer(ctx); err != nil {
		return nil, err
	}
	for k, name := range routineNames {
		q, err := u.SQL.Query(found.kind + "." + name)
		if err != nil {
			return nil, err
		}
		var out any
		switch {
		case u.Test:
			out = &u.answers[k]
		case k == int(newOrder) && u.tellsRollback:
			out = &u.order
		}
		if u.calls[k], err = u.Session.Prepare(ctx, q, &u.in, out); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// seedServer seeds the server's random numbers, by which routines draw the lines of an order, with
// the seed and the user's number.
func (u *routineCaller) seedServer(ctx context.Context) error {
	u.lots = rand.New(rand.NewPCG(u.Seed, serverStream^uint64(u.Number)))
	if !u.SQL.Has("seed_session") {
		return nil
	}
	q, err := u.SQL.Query("seed_session")
	if err != nil {
		return err
	}
	in := struct {
		Seed1 int64 `sql:"seed1"`
		Seed2 int64 `sql:"seed2"`
	}{u.lots.Int64N(lots), u.lots.Int64N(lots)}
	s, err := u.Session.Prepare(ctx, q, &in, nil)
	if err != nil {
		return err
	}
	if _, err := s.Run(ctx, nil); err != nil {
		return fmt.Errorf("seed the server's random numbers: %w", err)
	}
	return nil
}

// serverStream and lineStream are the random numbers for the server and for order lines. They are
// separate from those for transactions, so routines and client SQL pick the same transactions.
const (
	serverStream = 0x5e7e_0000_0000_0000
	lineStream   = 0x11e0_0000_0000_0000
)

// lots is the number of possible seeds of a server's random numbers.
const lots = 1 << 30

// Do implements workload.Executor.
func (u *routineCaller) Do(ctx context.Context, t workload.Transaction) error {
	u.asked = t.Inputs.(*order)
	u.in = u.asked.inputs
	if u.asked.kind == newOrder {
		u.in.Chance = u.lots.Int64N(lots)
	}
	u.shown = u.shown[:0]
	if _, err := u.calls[u.asked.kind].Run(ctx, u.show); err != nil {
		return err
	}
	if u.asked.kind == newOrder && u.tellsRollback && u.order.ID == 0 {
		return workload.ErrRolledBack
	}
	return nil
}

// The program that created routines.
const (
	sledge = "sledge"
	other  = "other"
)

// routines describes the stored routines of a schema.
type routines struct {
	kind  string // "function" or "procedure"; "" unless all five of one kind exist
	maker string // sledge or other
	found [][]string
}

func (r routines) String() string {
	if len(r.found) == 0 {
		return "none"
	}
	var names []string
	for _, row := range r.found {
		names = append(names, row[1]+" "+row[0])
	}
	return strings.Join(names, ", ")
}

// findRoutines looks up the five routines in the catalog. It returns the kind of which all five
// exist. If both exist it returns functions, because their answers have fewer columns.
func findRoutines(ctx context.Context, s database.Session, sql *sqlfile.Library) (routines, error) {
	named, err := namedRoutines(ctx, s, sql)
	if err != nil {
		return routines{}, err
	}
	var r routines
	for _, n := range named {
		if n.fits && slices.Contains(routineNames[:], n.name) {
			r.found = append(r.found, []string{n.name, n.kind, n.maker, n.signature})
		}
	}
	for _, kind := range []string{"procedure", "function"} {
		if !allOf(named, kind) {
			continue
		}
		r.kind, r.maker = kind, sledge
		for _, row := range r.found {
			if row[1] == kind && row[2] != sledge {
				r.maker = row[2]
			}
		}
	}
	return r, nil
}

// newTrial is Users.NewTrial: the client SQL that a run tries. A routine commits, so its call
// cannot be tried; instead, the server is asked whether the user may call it.
func newTrial(ctx context.Context, c workload.Connection) (workload.Executor, error) {
	if c.Options.(*Options).callsRoutines(c.SQL) {
		if err := mayCall(ctx, c); err != nil {
			return nil, err
		}
	}
	return newStatementSender(ctx, c)
}

// mayCall returns an error with ExitUsage if the user may not call a routine of the schema. A
// database either lists the routines that the user may call, or refuses a statement that names the
// routine.
func mayCall(ctx context.Context, c workload.Connection) error {
	const query = "denied_routines"
	found, err := findRoutines(ctx, c.Session, c.SQL)
	if err != nil {
		return err
	}
	refused := func(routine string, err error) error {
		return job.WithExit(job.ExitUsage, fmt.Errorf(
			"the user may not call the stored routine %s: %w. Grant it EXECUTE, or run as the user who built the schema", routine, err))
	}
	if c.SQL.Has(query) {
		t, err := c.Session.Query(ctx, c.SQL.Text(query), 0)
		if err != nil {
			return fmt.Errorf("check the privilege to call the stored routines: %w", err)
		}
		for _, row := range found.found {
			if row[1] == found.kind && slices.ContainsFunc(t.Rows, func(denied []string) bool { return denied[0] == row[3] }) {
				return refused(row[3], errors.New("the server lists no right to EXECUTE it"))
			}
		}
	}
	for _, name := range routineNames {
		if !c.SQL.Has(query + "." + name) {
			continue
		}
		if err := c.Session.Exec(ctx, c.SQL.Text(query+"."+name)); c.Classify(err) == meter.Permission {
			return refused(name, err)
		}
	}
	return nil
}

// namedRoutine is a stored routine with the name of one of ours.
type namedRoutine struct {
	name, kind, maker string
	signature         string // as DROP takes it
	fits              bool   // it has the parameters of ours
}

// namedRoutines looks up routines with the names of ours in the catalog.
func namedRoutines(ctx context.Context, s database.Session, sql *sqlfile.Library) ([]namedRoutine, error) {
	q, err := sql.Query("installed_routines")
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, q.Text, 0)
	if err != nil {
		return nil, fmt.Errorf("look for stored routines: %w", err)
	}
	named := make([]namedRoutine, len(t.Rows))
	for i, row := range t.Rows {
		named[i] = namedRoutine{name: row[0], kind: row[1], maker: row[2], signature: row[3], fits: row[4] == "true"}
	}
	return named, nil
}

// allOf reports whether all five routines of a kind exist.
func allOf(named []namedRoutine, kind string) bool {
	return !slices.ContainsFunc(routineNames[:], func(name string) bool {
		return !slices.ContainsFunc(named, func(n namedRoutine) bool { return n.fits && n.kind == kind && n.name == name })
	})
}

// listRoutines returns the routines that belong to a schema of TPROC-C: those that Sledge created,
// and those of which all five exist. A single routine with our parameters may belong to another
// program.
func listRoutines(ctx context.Context, s database.Session, sql *sqlfile.Library) (workload.Routines, error) {
	if !sql.Has("installed_routines") {
		return workload.Routines{}, nil
	}
	named, err := namedRoutines(ctx, s, sql)
	if err != nil {
		return workload.Routines{}, err
	}
	var r workload.Routines
	for _, n := range named {
		if n.fits && (n.maker == sledge || allOf(named, n.kind)) {
			r.Own = append(r.Own, n.signature)
		} else {
			r.Others = append(r.Others, n.kind+" "+n.signature)
		}
	}
	return r, nil
}
