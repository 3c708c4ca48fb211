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

// folder is the folder that Sledge writes files of rows to, and that the server reads them from.
type folder struct {
	here, there string // its path on this machine, and on the server
	option      string // the name of the option for the path on the server
}

// path returns the server's path of a file in the folder.
func (f folder) path(name string) string {
	separator := "/"
	if strings.Contains(f.there, `\`) {
		separator = `\`
	}
	return strings.TrimRight(f.there, `/\`) + separator + name
}

// bulkInsert loads rows with BULK INSERT, from a file in the character format of the program bcp.
// It removes the file afterwards.
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
	if err = errors.Join(err, data.Chmod(0o644), data.Close()); err != nil { // the server's account must be able to read it
		return 0, fmt.Errorf("write the file of rows for table %s: %w", table.Name, err)
	}
	if err := os.WriteFile(data.Name()+".fmt", []byte(format), 0o644); err != nil { //nolint:gosec // likewise
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Remove(data.Name()+".fmt")) }()

	path := s.folder.path(filepath.Base(data.Name()))
	if n, err = s.exec(ctx, bulkInsertStatement(table.Name, path, known.heap)); err != nil {
		return 0, s.failed(fmt.Errorf("load table %s from the file %s, which the server's account must be able to read under this path (%s): %w", table.Name, path, s.folder.option, err))
	}
	if n != written {
		return 0, s.failed(fmt.Errorf("load table %s from the file %s: the server has read %d of its %d rows", table.Name, path, n, written))
	}
	return n, nil
}

// bulkInsertStatement returns the statement that loads a file of rows with the format file beside
// it. Without its options, BULK INSERT would skip up to ten invalid rows, read dates in the format
// of the login's language, and leave references unchecked and untrusted. An empty value becomes the
// column's default, or NULL.
func bulkInsertStatement(table, path string, heap bool) string {
	lock := ""
	if heap {
		lock = ", TABLOCK"
	}
	return fmt.Sprintf("SET DATEFORMAT ymd; BULK INSERT dbo.%s FROM '%s' WITH (FORMATFILE = '%s', CHECK_CONSTRAINTS, MAXERRORS = 0%s)",
		identifier(table), quoted(path), quoted(path+".fmt"), lock)
}

// formatFile returns the description of a file of rows with the given columns, for a table with the
// columns ofTable, as a non-XML format file:
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

// longestValue is the maximum length in bytes of a value in a file of rows.
const longestValue = 8000

// writeRows writes load text in bcp's character format, in which NULL is empty. The format cannot
// distinguish an empty text from NULL, and cannot contain a tab or the end of a line. The server's
// code page determines the meaning of bytes beyond ASCII.
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
				return n, fmt.Errorf("column %s has a text that such a file cannot contain: %q", c.Name, value)
			}
			_, _ = out.Write(value) // bufio keeps the first error for Flush
			_ = out.WriteByte(ending)
		}
	}
}
