// Package sqlschema implements database.Schema and database.Server for databases that speak SQL,
// with the .sql files in the databases' folders. It knows no particular database.
package sqlschema

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// New returns a database's Schema. It expands scripts with plan, except the drop script, which gets
// the objects to drop.
func New(d *database.Database, sql *sqlfile.Library, plan any) database.Schema {
	k := keeper{sql, d.Dialect, plan}
	s := database.Schema{
		Relations: k.relations,
		Objects:   k.objects,
		Create:    k.create,
		Step:      k.step,
		Drop:      k.drop,
		BuildLog:  database.BuildLog{Create: k.createBuildLog, Read: readBuildLog, Write: writeBuildLog, Drop: dropBuildLog},
		Keep:      k.keep,
	}
	if sql.Has("build.claim") {
		s.Claims = &database.Claims{Take: k.claim, Share: k.share, Holder: k.holder, Sharers: k.sharers, Work: k.work, Orphans: k.orphans}
	}
	return s
}

// keeper manages the schemas of a pair.
type keeper struct {
	sql     *sqlfile.Library
	dialect database.Dialect
	plan    any
}

// relations runs tables.sql. Its columns are the name, the column, the kind and the schema.
func (k keeper) relations(ctx context.Context, s database.Session) (map[string]database.Relation, error) {
	rows, err := ask(ctx, k.sql, s, "tables", 4)
	if err != nil {
		return nil, err
	}
	found := map[string]database.Relation{}
	for _, row := range rows {
		name, column, kind, of := row[0], row[1], row[2], row[3]
		r, there := found[name]
		if !there {
			r = database.Relation{Kind: kind, Schema: of}
		}
		if column != "" && r.Kind == kind && r.Schema == of {
			r.Columns = append(r.Columns, column)
		}
		found[name] = r
	}
	return found, nil
}

// objects runs objects.sql. Its columns are the fields of an Object.
func (k keeper) objects(ctx context.Context, s database.Session) ([]database.Object, error) {
	rows, err := ask(ctx, k.sql, s, "objects", 4)
	if err != nil {
		return nil, err
	}
	objects := make([]database.Object, len(rows))
	for i, row := range rows {
		objects[i] = database.Object{What: row[0], Bond: database.Bond(row[1]), Name: row[2], PartOf: row[3]}
	}
	return objects, nil
}

// create expands the pair's schema.sql, or else creates the tables from their logical types.
func (k keeper) create(tables []schema.Table) ([]string, error) {
	if k.sql.Has("schema") {
		return k.sql.Script("schema", k.plan)
	}
	var statements []string
	for _, t := range tables {
		statements = append(statements, createTable(k.dialect, t))
	}
	return statements, nil
}

func createTable(d database.Dialect, t schema.Table) string {
	var lines []string
	var after string
	for _, c := range t.Columns {
		native := d.Bytes
		if c.Type != schema.Bytes {
			native = d.Type(c)
		}
		line := c.Name + " " + native
		if !c.Null {
			line += " NOT NULL"
		}
		lines = append(lines, line)
	}
	if len(t.Key) > 0 {
		lines = append(lines, "PRIMARY KEY ("+strings.Join(t.Key, ", ")+")")
		after = d.KeyedTable
	}
	return fmt.Sprintf("CREATE TABLE %s (\n\t%s\n)%s", t.Name, strings.Join(lines, ",\n\t"), after)
}

func (k keeper) step(name string) ([]string, error) { return k.sql.Script(name, k.plan) }

// drop runs the pair's own drop.sql, or else drops each table.
func (k keeper) drop(ctx context.Context, s database.Session, tables, routines []string) error {
	statements, err := k.sql.Script("drop", struct{ Tables, Routines []string }{tables, routines})
	if err != nil {
		return err
	}
	if !k.sql.Has("drop") {
		for _, t := range tables {
			statements = append(statements, "DROP TABLE "+t)
		}
	}
	for _, statement := range statements {
		if err := s.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (k keeper) keep(ctx context.Context, s database.Session, t schema.Table) error {
	return s.Exec(ctx, createTable(k.dialect, t))
}

func (k keeper) createBuildLog(ctx context.Context, s database.Session) error {
	return k.keep(ctx, s, database.BuildLogTable)
}

func readBuildLog(ctx context.Context, s database.Session) ([]database.BuildLogLine, error) {
	t, err := s.Query(ctx, "SELECT entry, chunk FROM "+database.BuildLogTable.Name, 0)
	if err != nil {
		return nil, err
	}
	lines := make([]database.BuildLogLine, len(t.Rows))
	for i, row := range t.Rows {
		chunk, err := strconv.Atoi(row[1])
		if err != nil {
			return nil, database.ErrNoBuildLog
		}
		lines[i] = database.BuildLogLine{Entry: row[0], Chunk: chunk}
	}
	return lines, nil
}

func writeBuildLog(ctx context.Context, s database.Session, line database.BuildLogLine) error {
	return s.Exec(ctx, fmt.Sprintf("INSERT INTO %s (entry, chunk) VALUES ('%s', %d)", database.BuildLogTable.Name, line.Entry, line.Chunk))
}

func dropBuildLog(ctx context.Context, s database.Session) error {
	return s.Exec(ctx, "DROP TABLE "+database.BuildLogTable.Name)
}

// claim requests the exclusive claim with build.sql, which returns 0 if another session has it, and
// NULL if the server cannot tell. Some servers have no shared locks, so a session with a claim then
// looks for claims of the other kind. If two sessions claim at the same moment, at least one sees
// the other.
func (k keeper) claim(ctx context.Context, s database.Session) (bool, error) {
	answer, err := word(ctx, k.sql, s, "build.claim")
	if err != nil || answer == "0" {
		return false, err
	}
	sharers, err := k.sharers(ctx, s)
	return err == nil && len(sharers) == 0, err
}

func (k keeper) share(ctx context.Context, s database.Session) (bool, error) {
	answer, err := word(ctx, k.sql, s, "build.share")
	if err != nil || answer == "0" {
		return false, err
	}
	holder, err := k.holder(ctx, s)
	return err == nil && holder == "", err
}

func (k keeper) sharers(ctx context.Context, s database.Session) (list []string, err error) {
	rows, err := ask(ctx, k.sql, s, "build.sharers", 1)
	for _, row := range rows {
		list = append(list, row[0])
	}
	return list, err
}

func (k keeper) holder(ctx context.Context, s database.Session) (string, error) {
	holders, err := ask(ctx, k.sql, s, "build.holder", 1)
	if err != nil || len(holders) == 0 {
		return "", err
	}
	return holders[0][0], nil
}

func (k keeper) work(ctx context.Context, s database.Session) error {
	_, err := ask(ctx, k.sql, s, "build.work", 0)
	return err
}

// orphans runs the section orphans of build.sql. Its columns are the name of a session, and the
// statement that ends it.
func (k keeper) orphans(ctx context.Context, s database.Session) ([]database.Orphan, error) {
	rows, err := ask(ctx, k.sql, s, "build.orphans", 2)
	if err != nil {
		return nil, err
	}
	orphans := make([]database.Orphan, len(rows))
	for i, row := range rows {
		orphans[i] = database.Orphan{Name: row[0], End: func(ctx context.Context, s database.Session) error {
			_, err := s.Query(ctx, row[1], 1)
			return err
		}}
	}
	return orphans, nil
}

// ask runs a query without parameters, and returns its rows with shortened values. Each row has at
// least the given number of columns.
func ask(ctx context.Context, sql *sqlfile.Library, s database.Session, name string, columns int) ([][]string, error) {
	q, err := sql.Query(name)
	if err != nil {
		return nil, err
	}
	t, err := s.Query(ctx, q.Text, 0)
	if err != nil {
		return nil, err
	}
	for _, row := range t.Short().Rows {
		if len(row) < columns {
			return nil, fmt.Errorf("sql %s: it returned %d columns, not %d", name, len(row), columns)
		}
	}
	return t.Rows, nil
}

// word runs a query that returns one value.
func word(ctx context.Context, sql *sqlfile.Library, s database.Session, name string) (string, error) {
	rows, err := ask(ctx, sql, s, name, 1)
	if err != nil {
		return "", err
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		return "", fmt.Errorf("sql %s: it returned %v, not one value", name, rows)
	}
	return rows[0][0], nil
}
