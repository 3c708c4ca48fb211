package mysql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"sledge/internal/database"
	"sledge/internal/schema"
)

// loadNumber makes the names of readers unique, because the driver keeps them in one map for the
// whole program.
var loadNumber atomic.Int64

// Load implements database.Session. It sends the load text for the server to parse, or INSERTs the
// rows if the server does not accept files from clients. Either loads all rows or none.
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

func (s *session) load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	if s.refusesLocal {
		return s.insert(ctx, table, rows)
	}
	n, err := s.loadLocal(ctx, table, rows)
	switch number(err) {
	case errNotAllowedCommand, errLocalDisabledMySQL, errLocalDisabledMariaDB:
		s.refusesLocal = true // the server has not requested any rows yet
		return s.insert(ctx, table, rows)
	}
	return n, s.failed(err)
}

// loadLocal loads by LOAD DATA LOCAL.
func (s *session) loadLocal(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	reader := schema.NewReader(rows)
	name := "sledge" + strconv.FormatInt(loadNumber.Add(1), 10)
	mysql.RegisterReaderHandler(name, func() io.Reader { return reader })
	defer mysql.DeregisterReaderHandler(name)
	// The statement spells out the server's default delimiters, because with the sql_mode
	// NO_BACKSLASH_ESCAPES the server would not unescape values. Hexadecimal literals mean the same
	// in all modes.
	result, err := s.conn.ExecContext(ctx, fmt.Sprintf("LOAD DATA LOCAL INFILE 'Reader::%s' INTO TABLE %s CHARACTER SET utf8mb4 "+
		"FIELDS TERMINATED BY x'09' ESCAPED BY x'5C' LINES TERMINATED BY x'0A' (%s)", name, table.Name, strings.Join(table.ColumnNames(), ", ")), nil)
	n, err := affected(result, err)
	if err != nil {
		return 0, err
	}
	if err := s.loadWarning(ctx); err != nil {
		return n, err
	}
	if missing := reader.Rows() - n; missing != 0 {
		return n, &mysql.MySQLError{Number: errDuplicateKey, Message: fmt.Sprintf("%d rows for table %s have a key that already exists", missing, table.Name)}
	}
	return n, nil
}

// loadWarning returns the first warning of the last statement as an error. With LOCAL, LOAD DATA
// skips rows with an existing key and changes values that do not fit, and only warns. For keys,
// MySQL 5.6 does not even warn.
func (s *session) loadWarning(ctx context.Context) error {
	warnings, err := s.Query(ctx, "SHOW WARNINGS LIMIT 10", 10)
	if err != nil {
		return err
	}
	for _, w := range warnings.Rows {
		code, err := strconv.ParseUint(w[1], 10, 16)
		if err != nil {
			return err
		}
		if level := w[0]; level != "Note" && code != errDeprecated {
			return short(&mysql.MySQLError{Number: uint16(code), Message: w[2]})
		}
	}
	return nil
}

// insertSize is the approximate size of a multi-row INSERT in bytes: large enough that the round
// trip does not matter, and well below the smallest default of max_allowed_packet, 1 MiB. For a
// smaller limit, insert uses half the limit, which leaves room for the last row.
const insertSize = 256 << 10

// insert loads rows by INSERTs of many rows.
func (s *session) insert(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	head := fmt.Sprintf("INSERT INTO %s (%s) VALUES ", table.Name, strings.Join(table.ColumnNames(), ", "))
	text := []byte(head)
	var row []byte
	var values []any
	var inserted, pending int64
	for more := true; more; {
		if row, more = rows.AppendRow(row[:0]); more {
			var err error
			if values, err = schema.Fields(values[:0], row, table.Columns); err != nil {
				return inserted, err
			}
			text = appendRow(text, values, pending > 0)
			pending++
		}
		if pending == 0 || more && len(text) < min(insertSize, s.packet/2) {
			continue
		}
		if err := s.Exec(ctx, string(text)); err != nil {
			return inserted, err
		}
		inserted += pending
		text, pending = text[:len(head)], 0
	}
	return inserted, nil
}

// appendRow appends a row of VALUES.
func appendRow(text []byte, values []any, follows bool) []byte {
	if follows {
		text = append(text, ',')
	}
	for i, v := range values {
		text = append(text, "(,"[min(i, 1)])
		switch v := v.(type) {
		case nil:
			text = append(text, "NULL"...)
		case int64:
			text = strconv.AppendInt(text, v, 10)
		case string:
			text = appendText(text, v)
		}
	}
	return append(text, ')')
}
