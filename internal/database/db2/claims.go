package db2

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/sqlschema"
)

// newSchema is Database.Schema. It uses package sqlschema, except that builds detect each other by
// a table lock, because Db2 has no advisory locks.
func newSchema(d *database.Database, sql *sqlfile.Library, plan any) database.Schema {
	s := sqlschema.New(d, sql, plan)
	objects := s.Objects
	s.Objects = func(ctx context.Context, of database.Session) ([]database.Object, error) {
		list, err := objects(ctx, of)
		for i, o := range list { // in Oracle compatibility mode an empty text is NULL
			list[i].Bond, list[i].Name, list[i].PartOf = database.Bond(orEmpty(string(o.Bond))), orEmpty(o.Name), orEmpty(o.PartOf)
		}
		return list, err
	}
	if s.Claims == nil {
		return s
	}
	asked := *s.Claims
	s.Claims = &database.Claims{
		Take:    claimBy(sql, exclusively),
		Share:   claimBy(sql, sharing),
		Sharers: func(context.Context, database.Session) ([]string, error) { return nil, nil },
		Holder: func(ctx context.Context, of database.Session) (string, error) {
			who, err := asked.Holder(ctx, of)
			return who, permitted(err)
		},
		Work: func(ctx context.Context, of database.Session) error { return permitted(asked.Work(ctx, of)) },
		Orphans: func(ctx context.Context, of database.Session) ([]database.Orphan, error) {
			list, err := asked.Orphans(ctx, of)
			return list, permitted(err)
		},
	}
	return s
}

// orEmpty converts a text from Query: NULL becomes "".
func orEmpty(text string) string {
	if text == "NULL" {
		return ""
	}
	return text
}

// permitted ignores errors about missing rights. A user who may not see other sessions cannot end
// orphans; the build log's key then prevents loading a chunk twice.
func permitted(err error) error {
	if err != nil && Classify(err) == meter.Permission {
		return nil
	}
	return err
}

// claimTable is the table that a build locks. objects.sql excludes it.
const claimTable = "sledge_claim"

// errNotOurs means that another program has a table of that name, so no build is possible.
var errNotOurs = errors.New("table " + claimTable + " does not belong to Sledge, which needs a table with this name: rename it")

// The lock modes for the claim's table.
const (
	exclusively = "EXCLUSIVE"
	sharing     = "SHARE"
)

// claimBy returns a function for Claims.Take or Claims.Share. A separate connection holds the lock
// and is used for nothing else, because a deadlock, or a COMMIT in a procedure, would end its
// transaction.
func claimBy(sql *sqlfile.Library, mode string) func(context.Context, database.Session) (bool, error) {
	return func(ctx context.Context, of database.Session) (bool, error) {
		s, is := of.(*session)
		if !is {
			return true, nil
		}
		statements, err := sql.Script("build.claim", nil)
		if err != nil {
			return false, err
		}
		last := len(statements) - 1
		statements = slices.Clone(statements)
		statements[last] = strings.Replace(statements[last], exclusively, mode, 1)
		if s.claim == nil {
			if s.claim, err = s.another(ctx); err != nil {
				return false, err
			}
		}
		taken, err := s.claim.lock(ctx, statements)
		if !taken {
			err = errors.Join(err, s.claim.Rollback(ctx))
		}
		return taken, err
	}
}

// lock locks the claim's table with the last of the statements, and reports whether it succeeded.
func (s *session) lock(ctx context.Context, statements []string) (bool, error) {
	last := len(statements) - 1
	for _, statement := range statements[:last] {
		if err := s.Exec(ctx, statement); err != nil && !slices.Contains(nameTaken, state(err)) {
			return false, unlessBusy(err)
		}
	}
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return false, err
	}
	if err := s.Exec(ctx, statements[last]); err != nil {
		return false, unlessBusy(err)
	}
	t, err := s.Query(ctx, "SELECT held_by_a_lock FROM "+claimTable, 1)
	if err == nil && len(t.Rows) > 0 || slices.Contains(noColumn, state(err)) {
		err = errNotOurs
	}
	return err == nil, err
}

// SQLSTATEs, Db2's first and Apache Derby's second.
var (
	nameTaken = []string{"42710", "X0Y32"}
	noTable   = []string{"42704", "42X05"}
	noColumn  = []string{"42703", "42X04"}
)

// state returns the SQLSTATE of an error, or "" if it has none.
func state(err error) string {
	if e, ok := errors.AsType[*cli.Error](err); ok {
		return e.State
	}
	return ""
}

// unlessBusy returns nil if another session has the claim, or has just released it and dropped the
// table. It returns other errors.
func unlessBusy(err error) error {
	class := Classify(err)
	if class == meter.LockTimeout || class == meter.Deadlock || slices.Contains(noTable, state(err)) {
		return nil
	}
	return err
}

// lastWords is the time limit for releasing a claim.
const lastWords = 10 * time.Second

// release releases the claim and drops the table. If another build has locked it meanwhile, the
// drop fails, and that build drops the table.
func (s *session) release() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if s.inTx && s.Rollback(ctx) == nil { // otherwise the lock ends with the connection
		_ = s.Exec(ctx, "DROP TABLE "+claimTable)
	}
	_ = s.Close() // its errors do not matter any more
}
