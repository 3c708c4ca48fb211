package db2

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/schema"
)

// rowsPerInsert is the number of rows that a load sends in one call.
const rowsPerInsert = 1000

// Load implements database.Session. It runs an INSERT with many rows in one call, and loads all
// rows or none. Db2's LOAD would be faster, but it reads only files on the server's machine and
// commits by itself, so a chunk could be loaded without its line in the build log.
func (s *session) Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	if s.inTx {
		return s.load(ctx, table, rows)
	}
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return 0, err
	}
	n, err := s.load(ctx, table, rows)
	if err != nil {
		return 0, errors.Join(err, s.Rollback(context.WithoutCancel(ctx)))
	}
	return n, s.Commit(ctx)
}

func (s *session) load(ctx context.Context, table schema.Table, rows schema.RowSource) (loaded int64, err error) {
	h, err := s.conn.Statement()
	if err != nil {
		return 0, s.Ended(err)
	}
	defer func() {
		s.giving.Lock()
		err = errors.Join(err, h.Free())
		s.giving.Unlock()
	}()
	if err := h.Prepare(database.InsertStatement(table, 1, dialect.Placeholder)); err != nil {
		return 0, s.Ended(err)
	}
	buffers := make([]*cli.Buffer, len(table.Columns))
	for i, c := range table.Columns {
		kind, width, t := loadType(c)
		buffers[i] = cli.NewBuffer(kind, width, rowsPerInsert)
		if err := h.BindParameter(i+1, cli.In, t, buffers[i]); err != nil {
			return 0, s.Ended(err)
		}
	}
	var buf []byte
	for pending := 0; ; {
		row, more := rows.AppendRow(buf[:0])
		if more {
			if err := fill(buffers, pending, row, table.Columns); err != nil {
				return loaded, err
			}
			buf = row
			pending++
		}
		if pending == 0 || more && pending < rowsPerInsert {
			if !more {
				return loaded, nil
			}
			continue
		}
		if _, err := s.many(ctx, h, pending); err != nil {
			return loaded, adviseOnLog(err)
		}
		loaded += int64(pending)
		if pending = 0; !more {
			return loaded, nil
		}
	}
}

// adviseOnLog adds advice to the error about a log that is too small for a chunk. The default size
// of the log is about 100 MB, and a chunk has the 300,000 order lines of a warehouse.
func adviseOnLog(err error) error {
	if code(err) != codeLogFull {
		return err
	}
	return fmt.Errorf("%w: each builder loads many rows in one transaction: raise logfilsiz, logprimary or logsecond with \"db2 update db cfg\", or build with fewer virtual users", err)
}

// bytesPerCharacter is the maximum length of a character in UTF-8.
const bytesPerCharacter = 4

// loadType returns the kind, width and type for sending a column's values. They are sent as load
// text, except for whole numbers.
func loadType(c schema.Column) (cli.Kind, int, cli.Type) {
	switch c.Type {
	case schema.Integer, schema.SmallInteger, schema.BigInteger:
		return cli.Int, 0, cli.Of(cli.Int, 0)
	case schema.Decimal:
		return cli.Text, c.Size + 3, cli.Type{Number: cli.TypeDecimal, Size: c.Size, Scale: c.Scale}
	case schema.Date, schema.Timestamp:
		const longest = len("2006-01-02 15:04:05.999999")
		return cli.Text, longest, cli.Type{Number: cli.TypeVarchar, Size: longest} // the server parses the text
	default:
		width := c.Size * bytesPerCharacter
		return cli.Text, width, cli.Type{Number: cli.TypeVarchar, Size: width}
	}
}

// fill splits a row of load text into the buffers.
func fill(buffers []*cli.Buffer, n int, row []byte, columns []schema.Column) error {
	row = bytes.TrimSuffix(row, []byte("\n"))
	for i, c := range columns {
		field, rest, more := bytes.Cut(row, []byte("\t"))
		if more != (i < len(columns)-1) {
			return fmt.Errorf("a row of load text does not have %d columns: %q", len(columns), row)
		}
		row = rest
		if string(field) == `\N` {
			buffers[i].SetNull(n)
			continue
		}
		if buffers[i].Kind() == cli.Int {
			v, err := number(field)
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
			buffers[i].SetInt(n, v)
			continue
		}
		if bytes.IndexByte(field, '\\') >= 0 {
			field = []byte(schema.Unescape(field))
		}
		if !buffers[i].Fits(len(field)) {
			return &tooLong{c.Name, c.Size}
		}
		buffers[i].SetBytes(n, field)
	}
	return nil
}

// tooLong is the error of a value that is longer than its column.
type tooLong struct {
	column string
	size   int
}

// Error implements error.
func (e *tooLong) Error() string {
	return fmt.Sprintf("a value of column %s is longer than its %d characters", e.column, e.size)
}

// number parses a whole number without allocating.
func number(text []byte) (n int64, err error) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%q is not a whole number", text)
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	if negative {
		n = -n
	}
	return n, nil
}
