package sqlserver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// Load implements database.Session, with bulk copy, BULK INSERT or INSERT. Each loads all rows or
// none. Babelfish has no BULK INSERT.
func (s *session) Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	isBabelfish, err := s.isBabelfish(ctx)
	if err != nil {
		return 0, err
	}
	load := s.insert
	switch {
	case !s.bulk, isBabelfish && !canStage(table):
	case isBabelfish:
		load = s.copyStaged
	case s.folder.here != "":
		load = s.bulkInsert
	default:
		load = s.copy
	}
	if s.inTx {
		return load(ctx, table, rows)
	}
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return 0, err
	}
	n, err := load(ctx, table, rows)
	if err != nil {
		return 0, errors.Join(err, s.Rollback(context.WithoutCancel(ctx)))
	}
	return n, s.Commit(ctx)
}

// copy loads rows with INSERT BULK.
func (s *session) copy(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	known, err := s.look(ctx, table.Name)
	if err != nil {
		return 0, err
	}
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	bulk := s.conn.CreateBulkContext(ctx, table.Name, table.ColumnNames())
	// With this lock, which several loads of a heap share, the server logs very little. On a table
	// with an index it would block other sessions.
	bulk.Options.Tablock = known.heap
	return s.send(bulk, table, rows, nil)
}

// send sends rows with INSERT BULK. st is the staging table, or nil.
func (s *session) send(bulk *mssql.Bulk, table schema.Table, rows schema.RowSource, st *staging) (int64, error) {
	// Otherwise the server would neither check references nor trust them afterwards. KeepNulls
	// stays off, because it would set columns that are not loaded to NULL instead of their
	// defaults.
	bulk.Options.CheckConstraints = true
	var values []any
	var buf []byte
	for {
		row, more := rows.AppendRow(buf[:0])
		var err error
		if more {
			buf = row
			values, err = fields(values[:0], row, table.Columns)
		} else if values = st.pad(); values == nil {
			n, err := bulk.Done()
			return n, s.failed(err)
		}
		if st != nil && err == nil {
			values = st.add(values)
		}
		if err == nil {
			err = bulk.AddRow(values)
		}
		if err != nil {
			if number(err) == 0 { // otherwise the server has refused the command and expects no rows
				s.Interrupt() // a message was sent in part, so the connection is unusable
			}
			return 0, s.failed(fmt.Errorf("load table %s: %w", table.Name, err))
		}
	}
}

// tableFacts are the properties of a table on which loading depends.
type tableFacts struct {
	heap    bool     // whether it has no clustered index yet
	columns []string // in the table's order
}

// look returns the properties of a table, and caches them.
func (s *session) look(ctx context.Context, table string) (tableFacts, error) {
	if known, asked := s.tables[table]; asked {
		return known, nil
	}
	t, err := s.Query(ctx, fmt.Sprintf("SELECT name, OBJECTPROPERTY(object_id, 'TableHasClustIndex'), OBJECTPROPERTY(object_id, 'TableIsMemoryOptimized') "+
		"FROM sys.columns WHERE object_id = OBJECT_ID('%s') ORDER BY column_id", quoted(table)), 0)
	if err != nil {
		return tableFacts{}, err
	}
	var known tableFacts
	for _, row := range t.Rows {
		known.heap = row[1] == "0" && row[2] != "1"
		known.columns = append(known.columns, row[0])
	}
	if len(known.columns) == 0 {
		return tableFacts{}, fmt.Errorf("load table %s: the table does not exist", table)
	}
	if s.tables == nil {
		s.tables = map[string]tableFacts{}
	}
	s.tables[table] = known
	return known, nil
}

// insert loads by INSERT statements of many rows.
func (s *session) insert(ctx context.Context, table schema.Table, rows schema.RowSource) (loaded int64, err error) {
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	const mostRows = 1000 // limit of a VALUES clause
	mostValues := 2000    // the limit is 2100 parameters
	if s.product == babelfish {
		mostValues = 400 // with more values, each row takes longer
	}
	each := max(1, min(mostRows, mostValues/len(table.Columns)))
	placeholder := func(n int) string { return fmt.Sprintf("@p%d", n) }
	full := database.InsertStatement(table, each, placeholder)
	var values []any
	var args []driver.NamedValue
	var buf []byte
	for pending := 0; ; {
		row, more := rows.AppendRow(buf[:0])
		if more {
			if values, err = fields(values[:0], row, table.Columns); err != nil {
				return loaded, err
			}
			for i, v := range values {
				args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: insertable(v, table.Columns[i].Type)})
			}
			buf = row
			pending++
		}
		text := full
		switch {
		case !more && pending == 0:
			return loaded, nil
		case !more:
			text = database.InsertStatement(table, pending, placeholder)
		case pending < each:
			continue
		}
		if _, err := s.exec(ctx, text, args...); err != nil {
			return loaded, s.failed(err)
		}
		loaded += int64(pending)
		pending, args = 0, args[:0]
		if !more {
			return loaded, nil
		}
	}
}

// insertable returns a value as a parameter whose type depends only on the column's type. If one of
// the two thousand parameters had another type, the server would plan the INSERT again.
func insertable(v any, of schema.Type) driver.Value {
	switch v := v.(type) {
	case string:
		if isASCII(v) {
			return mssql.VarCharMax(v)
		}
		return mssql.NVarCharMax(v)
	case nil:
		switch of {
		case schema.Integer, schema.SmallInteger, schema.BigInteger:
			return sql.NullInt64{}
		case schema.Date, schema.Timestamp:
			return sql.NullTime{}
		}
	}
	return v
}

// fields splits a row as schema.Fields does, with dates and times as time.Time, because the meaning
// of their text would depend on the login's language.
func fields(values []any, row []byte, columns []schema.Column) ([]any, error) {
	values, err := schema.Fields(values, row, columns)
	if err != nil {
		return values, err
	}
	for i, c := range columns {
		text, is := values[i].(string)
		if !is {
			continue
		}
		switch c.Type {
		case schema.Date:
			values[i], err = time.Parse(time.DateOnly, text)
		case schema.Timestamp:
			values[i], err = database.ParseTime([]byte(text))
		}
		if err != nil {
			return values, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return values, nil
}
