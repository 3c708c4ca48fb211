//go:build duckdb

package duckdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	driver "github.com/duckdb/duckdb-go/v2"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// session is a database.Session that loads by a table function, from which DuckDB reads vectors of
// numbers and texts inside the current transaction. That is as fast as DuckDB's CSV reader, needs
// no file, and can be interrupted at any vector.
type session struct {
	*database.SQLSession
	function string // the table function's name, unique in this process
	source   *source
}

func newSession(ctx context.Context, s *database.SQLSession) (*session, error) {
	id, err := driver.ConnId(s.Conn())
	if err != nil {
		return nil, err
	}
	loads := &session{SQLSession: s, function: fmt.Sprintf("sledge_load_%d", id)}
	return loads, driver.RegisterTableUDF(s.Conn(), loads.function, driver.ChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (driver.ChunkTableSource, error) {
			if loads.source == nil {
				return nil, fmt.Errorf("%s is for loading only", loads.function)
			}
			return loads.source, nil
		},
	})
}

// Close implements Session. If a statement is interrupted just before its result is fetched, the
// driver leaves it pending, which keeps the database open, so that opening the file again in this
// process would wait forever. Another statement ends the pending one.
func (s *session) Close() error {
	_, _ = s.Conn().ExecContext(context.Background(), "SELECT 1") // the session is closed in any case
	return s.SQLSession.Close()
}

// Load implements Session.
func (s *session) Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	from, err := newSource(table, rows)
	if err != nil {
		return 0, err
	}
	s.source = from
	err = s.Exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) SELECT * FROM %s()", table.Name, strings.Join(table.ColumnNames(), ", "), s.function))
	from.end()
	s.source = nil
	switch {
	case from.err != nil:
		return 0, from.err
	case err != nil:
		return 0, err
	}
	return from.made, nil
}

// errEnded ends a load whose statement was interrupted. One of DuckDB's threads may not notice the
// interruption, and would load all further rows.
var errEnded = errors.New("the load has ended")

// source passes the rows of a load to DuckDB, split into vectors of columns.
type source struct {
	mu    sync.Mutex // held while rows are read
	ended bool       // Load has returned, so that no rows are read any more

	columns []column
	rows    schema.RowSource
	buf     []byte
	size    int // rows of a vector
	made    int64
	err     error // the error that ended the load; nil if none
}

// column says how to pass the values of a column to DuckDB.
type column struct {
	info driver.ColumnInfo
	set  func(chunk driver.DataChunk, at, row int, field []byte) error
}

func newSource(table schema.Table, rows schema.RowSource) (*source, error) {
	s := &source{rows: rows, size: driver.GetDataChunkCapacity()}
	for _, c := range table.Columns {
		column, err := newColumn(c)
		if err != nil {
			return nil, fmt.Errorf("load column %s: %w", c.Name, err)
		}
		s.columns = append(s.columns, column)
	}
	return s, nil
}

func newColumn(c schema.Column) (column, error) {
	info := func(t driver.TypeInfo, err error) (driver.ColumnInfo, error) {
		return driver.ColumnInfo{Name: c.Name, T: t}, err
	}
	var made column
	var err error
	switch {
	case c.Type == schema.Integer, c.Type == schema.SmallInteger, c.Type == schema.BigInteger:
		made.set = setInteger
		made.info, err = info(driver.NewTypeInfo(driver.TYPE_BIGINT))
	case c.Type == schema.Decimal && c.Size <= digitsOfInt64:
		made.set = func(chunk driver.DataChunk, at, row int, field []byte) error {
			return setDecimal(chunk, at, row, c.Scale, field)
		}
		made.info, err = info(driver.NewDecimalInfo(digitsOfInt64, uint8(c.Scale)))
	case c.Type == schema.Timestamp:
		made.set = setTime
		made.info, err = info(driver.NewTypeInfo(driver.TYPE_TIMESTAMP))
	default: // DuckDB itself reads other types from text
		made.set = setText
		made.info, err = info(driver.NewTypeInfo(driver.TYPE_VARCHAR))
	}
	return made, err
}

// ColumnInfos implements driver.ChunkTableSource.
func (s *source) ColumnInfos() []driver.ColumnInfo {
	infos := make([]driver.ColumnInfo, len(s.columns))
	for i, c := range s.columns {
		infos[i] = c.info
	}
	return infos
}

// Cardinality implements driver.ChunkTableSource: the number of rows is unknown.
func (s *source) Cardinality() *driver.CardinalityInfo { return nil }

// Init implements driver.ChunkTableSource.
func (s *source) Init() {}

// FillChunk implements driver.ChunkTableSource.
func (s *source) FillChunk(chunk driver.DataChunk) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errEnded
	}
	n := 0
	for ; n < s.size; n++ {
		row, more := s.rows.AppendRow(s.buf[:0])
		if !more {
			break
		}
		s.buf = row
		if err := s.fill(chunk, n, bytes.TrimSuffix(row, []byte("\n"))); err != nil {
			s.err = err
			return err
		}
	}
	s.made += int64(n)
	return chunk.SetSize(n)
}

// end waits until no thread of DuckDB reads rows, and refuses further reads.
func (s *source) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// fill splits a row into the vectors.
func (s *source) fill(chunk driver.DataChunk, n int, row []byte) error {
	for at, c := range s.columns {
		end := bytes.IndexByte(row, '\t')
		if (end < 0) != (at == len(s.columns)-1) {
			return fmt.Errorf("a row of load text does not have %d columns", len(s.columns))
		}
		field := row
		if end >= 0 {
			field, row = row[:end], row[end+1:]
		}
		if string(field) == `\N` {
			if err := driver.SetChunkValue[any](chunk, at, n, nil); err != nil {
				return err
			}
			continue
		}
		if err := c.set(chunk, at, n, field); err != nil {
			return fmt.Errorf("column %s: %w", c.info.Name, err)
		}
	}
	return nil
}

func setInteger(chunk driver.DataChunk, at, row int, field []byte) error {
	n, err := strconv.ParseInt(string(field), 10, 64)
	if err != nil {
		return err
	}
	return driver.SetChunkValue(chunk, at, row, n)
}

// digitsOfInt64 is the maximum number of digits of a decimal in an int64.
const digitsOfInt64 = 18

// setDecimal sets a decimal. DuckDB stores it as a whole number in units of its last digit.
func setDecimal(chunk driver.DataChunk, at, row, scale int, field []byte) error {
	n, err := unscaled(field, scale)
	if err != nil {
		return err
	}
	return driver.SetChunkValue(chunk, at, row, n)
}

// unscaled returns a decimal number as a whole number in units of its last digit.
func unscaled(field []byte, scale int) (int64, error) {
	digits := field
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	var n int64
	count, after := 0, -1 // digits after the point; -1 before it
	for _, c := range digits {
		switch {
		case c == '.' && after < 0:
			after = 0
			continue
		case c < '0' || c > '9':
			return 0, fmt.Errorf("%q is not a decimal number", field)
		}
		n = n*10 + int64(c-'0')
		count++
		if after >= 0 {
			after++
		}
	}
	after = max(after, 0)
	if count == 0 || after > scale || count+scale-after > digitsOfInt64 {
		return 0, fmt.Errorf("%q is not a decimal number with at most %d digits after the point and %d in all", field, scale, digitsOfInt64)
	}
	for range scale - after {
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, nil
}

func setTime(chunk driver.DataChunk, at, row int, field []byte) error {
	t, err := database.ParseTime(field)
	if err != nil {
		return err
	}
	return driver.SetChunkValue(chunk, at, row, t)
}

func setText(chunk driver.DataChunk, at, row int, field []byte) error {
	if bytes.IndexByte(field, '\\') >= 0 {
		return driver.SetChunkValue(chunk, at, row, schema.Unescape(field))
	}
	return driver.SetChunkValue(chunk, at, row, field)
}
