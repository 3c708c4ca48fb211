package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/schema"
)

// ledgerTable stands beside the workload's tables while they are being built,
// and says which chunks are in them. A chunk and its line in the ledger are
// committed together, so a build that was killed at any moment goes on with
// just the chunks that are missing. When it is done the table is dropped.
var ledgerTable = schema.Table{
	Name: "sledge_build",
	Columns: []schema.Column{
		{Name: "entry", Type: schema.Varchar, Size: 200},
		{Name: "chunk"},
	},
	Key: []string{"entry", "chunk"},
}

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

// errNoLedger says that a table with the columns of a ledger is none.
var errNoLedger = errors.New("a line of it is not of a build")

func readLedger(ctx context.Context, s database.Session) (ledger, error) {
	l := ledger{loaded: map[string]map[int]bool{}}
	rows, err := s.Query(ctx, "SELECT entry, chunk FROM "+ledgerTable.Name, 0)
	if err != nil {
		return l, fmt.Errorf("read the ledger of the build: %w", err)
	}
	for _, row := range rows.Rows {
		chunk, err := strconv.Atoi(row[1])
		if err != nil {
			return l, errNoLedger
		}
		switch chunk {
		case identityLine:
			l.identity = row[0]
		case schemaLine:
			l.hasSchema = true
		default:
			if l.loaded[row[0]] == nil {
				l.loaded[row[0]] = map[int]bool{}
			}
			l.loaded[row[0]][chunk] = true
		}
	}
	return l, nil
}

// writeLedger adds a line. Entries are table names and identities, which hold
// no quotes.
func writeLedger(ctx context.Context, s database.Session, entry string, chunk int) error {
	err := s.Exec(ctx, fmt.Sprintf("INSERT INTO %s (entry, chunk) VALUES ('%s', %d)", ledgerTable.Name, entry, chunk))
	if err != nil {
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
			"the build to resume is of %s, and this one of %s: resume it with the same options, or delete the schema", l.identity, identity))
	case st.state == halfMade && l.identity == "":
		return l, writeLedger(ctx, s, identity, identityLine)
	case st.state == halfMade:
		l.tables = st.tables
		return l, nil
	case st.state == whole:
		return ledger{}, job.WithExit(job.ExitExists, fmt.Errorf(
			"there is a %s schema in %s already: delete it first, or choose another database", p.Workload.Title, p.target()))
	case p.Resume:
		return ledger{}, job.WithExit(job.ExitMissing, fmt.Errorf("there is no build to resume in %s: begin one, without resume", p.target()))
	}
	if err := s.Exec(ctx, createTable(p.Database.Dialect, ledgerTable)); err != nil {
		return ledger{}, fmt.Errorf("create the ledger of the build: %w", err)
	}
	return ledger{identity: identity}, writeLedger(ctx, s, identity, identityLine)
}

// roomToBuild returns an error if something stands where a build would put what is
// no table, or if a file already serves another purpose.
func roomToBuild(ctx context.Context, p Plan, s database.Session, st standing) error {
	routines, err := findRoutines(ctx, p, s)
	if err != nil {
		return err
	}
	inTheWay := routines.Others
	if p.Database.Embedded {
		objects, err := findObjects(ctx, p, s)
		if err != nil {
			return err
		}
		others, upon := Deletion{Tables: st.ownTables()}.sort(objects)
		inTheWay = slices.Concat(inTheWay, others, upon)
	}
	if len(inTheWay) > 0 {
		return refused(fmt.Errorf(
			"%s holds what is not of a %s schema and in its way: %s. Nothing was changed: choose another database",
			p.target(), p.Workload.Title, listed(inTheWay, 10)))
	}
	return nil
}
