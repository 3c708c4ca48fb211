package sqlserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sledge/internal/schema"
)

// folder is where rows are put in files for the server to read.
type folder struct {
	here, there string // what Sledge calls it, and what the server does
	option      string // what the user calls the option that says the latter
}

// path is what the server calls a file in the folder.
func (f folder) path(name string) string {
	separator := "/"
	if strings.Contains(f.there, `\`) {
		separator = `\`
	}
	return strings.TrimRight(f.there, `/\`) + separator + name
}

// bulkInsert loads by BULK INSERT, from a file in the program bcp's character format, which is
// removed again.
func (s *session) bulkInsert(ctx context.Context, table schema.Table, rows schema.RowSource) (n int64, err error) {
	known, err := s.look(ctx, table.Name)
	if err != nil {
		return 0, err
	}
	format, err := formatFile(table.Columns, known.columns)
	if err != nil {
		return 0, fmt.Errorf("load table %s: %w", table.Name, err)
	}
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	data, err := os.CreateTemp(s.folder.here, "sledge-"+table.Name+"-*.bcp")
	if err != nil {
		return 0, fmt.Errorf("make a file of rows for table %s: %w", table.Name, err)
	}
	defer func() { err = errors.Join(err, os.Remove(data.Name())) }()
	written, err := writeRows(ctx, data, table.Columns, rows)
	if err = errors.Join(err, data.Chmod(0o644), data.Close()); err != nil { // the server has an account of its own
		return 0, fmt.Errorf("write the file of rows for table %s: %w", table.Name, err)
	}
	if err := os.WriteFile(data.Name()+".fmt", []byte(format), 0o644); err != nil { //nolint:gosec // likewise
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Remove(data.Name()+".fmt")) }()

	path := s.folder.path(filepath.Base(data.Name()))
	if n, err = s.exec(ctx, bulkInsertStatement(table.Name, path, known.heap)); err != nil {
		return 0, s.failed(fmt.Errorf("load table %s from the file %s, which the server's account has to see by this name (%s): %w", table.Name, path, s.folder.option, err))
	}
	if n != written {
		return 0, s.failed(fmt.Errorf("load table %s from the file %s: the server has read %d of its %d rows", table.Name, path, n, written))
	}
	return n, nil
}

// bulkInsertStatement loads a file of rows by the format file beside it. By default up to ten
// rows that cannot be read are passed over, dates are read as the login's language writes them,
// and references are neither checked nor trusted any more. What is empty is the column's default, or NULL.
func bulkInsertStatement(table, path string, heap bool) string {
	lock := ""
	if heap {
		lock = ", TABLOCK"
	}
	return fmt.Sprintf("SET DATEFORMAT ymd; BULK INSERT dbo.%s FROM '%s' WITH (FORMATFILE = '%s', CHECK_CONSTRAINTS, MAXERRORS = 0%s)",
		identifier(table), quoted(path), quoted(path+".fmt"), lock)
}

// formatFile describes a file of rows with these columns for a table that has those, as a
// non-XML format file:
// https://learn.microsoft.com/sql/relational-databases/import-export/non-xml-format-files-sql-server.
func formatFile(columns []schema.Column, ofTable []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "12.0\n%d\n", len(columns))
	for i, c := range columns {
		number := 0
		for j, name := range ofTable {
			if strings.EqualFold(name, c.Name) {
				number = j + 1
			}
		}
		if number == 0 {
			return "", fmt.Errorf("the table has no column %s", c.Name)
		}
		ending := `\t`
		if i == len(columns)-1 {
			ending = `\n`
		}
		fmt.Fprintf(&b, "%d SQLCHAR 0 %d \"%s\" %d %s \"\"\n", i+1, longestValue, ending, number, c.Name)
	}
	return b.String(), nil
}

// longestValue bounds the bytes of a value in a file of rows.
const longestValue = 8000

// writeRows writes load text as character format has it: with nothing where a value is NULL. Such
// files have no way to tell an empty text from NULL, nor to keep a tab or the end of a line, and
// the bytes of other characters mean what the server's code page says.
func writeRows(ctx context.Context, file *os.File, columns []schema.Column, rows schema.RowSource) (n int64, err error) {
	out := bufio.NewWriterSize(file, 256<<10)
	var buf []byte
	for ; ; n++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		row, more := rows.AppendRow(buf[:0])
		if !more {
			return n, out.Flush()
		}
		buf = row
		row = bytes.TrimSuffix(row, []byte("\n"))
		for i, c := range columns {
			value, rest, _ := bytes.Cut(row, []byte("\t"))
			row = rest
			ending := byte('\t')
			if i == len(columns)-1 {
				ending = '\n'
			}
			switch {
			case string(value) == `\N`:
				value = nil
			case len(value) == 0 || bytes.IndexByte(value, '\\') >= 0 || !isASCII(string(value)):
				return n, fmt.Errorf("column %s has a text that such files cannot hold: %q", c.Name, value)
			}
			_, _ = out.Write(value) // bufio keeps the first error for Flush
			_ = out.WriteByte(ending)
		}
	}
}
