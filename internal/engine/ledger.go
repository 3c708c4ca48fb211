package engine

import (
	"context"
	"fmt"
	"slices"

	"sledge/internal/database"
	"sledge/internal/job"
)

// Besides chunks, the ledger has a line that says what is being built, and one
// once all tables are there. Their chunk tells them apart.
const (
	identityLine = -1
	schemaLine   = -2
)

// ledger is what the ledger table says.
type ledger struct {
	identity  string
	hasSchema bool
	loaded    map[string]map[int]bool // chunks by table
	tables    []string                // that are there
}

func readLedger(ctx context.Context, p Plan, s database.Session) (ledger, error) {
	l := ledger{loaded: map[string]map[int]bool{}}
	lines, err := p.Schema.Ledger.Read(ctx, s)
	if err != nil {
		return l, fmt.Errorf("read the ledger of the build: %w", err)
	}
	for _, line := range lines {
		switch line.Chunk {
		case identityLine:
			l.identity = line.Entry
		case schemaLine:
			l.hasSchema = true
		default:
			if l.loaded[line.Entry] == nil {
				l.loaded[line.Entry] = map[int]bool{}
			}
			l.loaded[line.Entry][line.Chunk] = true
		}
	}
	return l, nil
}

// writeLedger adds a line.
func writeLedger(ctx context.Context, p Plan, s database.Session, entry string, chunk int) error {
	if err := p.Schema.Ledger.Write(ctx, s, database.LedgerLine{Entry: entry, Chunk: chunk}); err != nil {
		return fmt.Errorf("write the ledger of the build: %w", err)
	}
	return nil
}

// openLedger begins a build's ledger, or reads the one of a build that was
// interrupted.
func openLedger(ctx context.Context, p Plan, s database.Session) (ledger, error) {
	st, err := inspect(ctx, p, s)
	if err == nil {
		err = st.refusal(p)
	}
	if err == nil {
		err = roomToBuild(ctx, p, s, st)
	}
	if err != nil {
		return ledger{}, err
	}
	identity := p.Workload.Name + ": " + p.Workload.Identity(p.Settings, p.Seed)
	switch l := st.ledger; {
	case st.state == halfMade && !p.Resume:
		return ledger{}, errHalfMade(p)
	case st.state == halfMade && l.identity != "" && l.identity != identity:
		return ledger{}, job.WithExit(job.ExitUsage, fmt.Errorf(
			"the interrupted build is of %s, and this one of %s: resume it with the options it had, or delete the schema", l.identity, identity))
	case st.state == halfMade && l.identity == "":
		return l, writeLedger(ctx, p, s, identity, identityLine)
	case st.state == halfMade:
		l.tables = st.tables
		return l, nil
	case st.state == whole:
		return ledger{}, job.WithExit(job.ExitExists, fmt.Errorf(
			"there is a %s schema in %s already: delete it first, or choose another database", p.Workload.Title, p.target()))
	case p.Resume:
		return ledger{}, job.WithExit(job.ExitMissing, fmt.Errorf("there is no interrupted build to resume in %s: build without resume", p.target()))
	}
	if err := p.Schema.Ledger.Create(ctx, s); err != nil {
		return ledger{}, fmt.Errorf("create the ledger of the build: %w", err)
	}
	return ledger{identity: identity}, writeLedger(ctx, p, s, identity, identityLine)
}

// roomToBuild returns an error if an object has the name of one that a build makes beside
// its tables, or if a file already serves another purpose.
func roomToBuild(ctx context.Context, p Plan, s database.Session, st schemaState) error {
	routines, err := findRoutines(ctx, p, s)
	if err != nil {
		return err
	}
	inTheWay := routines.Others
	if p.Database.Embedded() {
		objects, err := findObjects(ctx, p, s)
		if err != nil {
			return err
		}
		others, upon := foreignObjects(st.ownTables(p), nil, objects)
		inTheWay = slices.Concat(inTheWay, others, upon)
	}
	if len(inTheWay) > 0 {
		return refused(fmt.Errorf(
			"%s holds other things that are in the way of a %s schema: %s. Nothing was changed: choose another database",
			p.target(), p.Workload.Title, listed(inTheWay, 10)))
	}
	return nil
}
