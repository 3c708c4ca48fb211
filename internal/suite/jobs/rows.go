package jobs

import (
	"context"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/suite"
)

func (s *cycle) compare(t suite.T) {
	t.Helper()
	plan, err := plan.New(s.Pair, s.spec(job.Build, s.values(s.built)))
	if err != nil {
		t.Fatal(err)
	}
	CompareRows(t, plan)
}

// CompareRows compares the rows of every table with those that the workload generates. The
// generated rows are the same for all databases, so equal checksums mean that all databases have
// equal rows.
func CompareRows(t suite.T, plan plan.Plan) {
	t.Helper()
	session, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	population := fmt.Sprint(plan.Workload.Name, option.Texts(plan.Settings), plan.Spec.Seed)
	tables := plan.Workload.Schema.Tables(plan.Settings, plan.Spec.Seed)
	if foresee := plan.Schema.Foresee; foresee != nil {
		var statements []string
		for _, table := range tables {
			statements = append(statements, rowsOf(table))
		}
		if err := foresee(t.Context(), session, statements, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range tables {
		got, want := loaded(t, session, table), generated(t, population, table)
		if got != want {
			t.Errorf("table %s has %d rows with checksum %x, but %d rows with %x were generated", table.Name, got.rows, got.sum, want.rows, want.sum)
		}
	}
}

// checksum is a checksum of rows that does not depend on their order. It differs between processes.
type checksum struct {
	rows int
	sum  uint64
}

var (
	rowHash   = maphash.MakeSeed()
	checksums sync.Map // functions by population and table, because all databases have the same rows
)

// add adds a row, and returns the buffer for the next one.
func (c *checksum) add(t suite.T, line []byte, columns []schema.Column, row []string) []byte {
	line = line[:0]
	for i, column := range columns {
		line = append(append(line, canonical(t, column, row[i])...), '\t')
	}
	c.rows++
	c.sum += maphash.Bytes(rowHash, line)
	return line
}

// generated returns the checksum of the rows of a table that the workload generates. Databases that are tested side by
// side wait for the first of them.
func generated(t suite.T, population string, table schema.Table) checksum {
	sum, _ := checksums.LoadOrStore(population+" "+table.Name, sync.OnceValue(func() checksum { return generate(t, table) }))
	return sum.(func() checksum)()
}

func generate(t suite.T, table schema.Table) (sum checksum) {
	var values []any
	var buf, line []byte
	row := make([]string, len(table.Columns))
	for chunk := range table.Chunks {
		source := table.Rows(chunk)
		for {
			text, more := source.AppendRow(buf[:0])
			if !more {
				break
			}
			buf = text
			var err error
			if values, err = schema.Fields(values[:0], text, table.Columns); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				row[i] = asText(v)
			}
			line = sum.add(t, line, table.Columns, row)
		}
	}
	return sum
}

func asText(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return v.(string)
	}
}

// rowsOf returns the query for all rows of a table.
func rowsOf(table schema.Table) string {
	return "SELECT " + strings.Join(table.ColumnNames(), ", ") + " FROM " + table.Name
}

func loaded(t suite.T, session database.Session, table schema.Table) (sum checksum) {
	rows, err := session.Query(context.Background(), rowsOf(table), 0)
	if err != nil {
		t.Fatal(err)
	}
	var line []byte
	for _, row := range rows.Rows {
		line = sum.add(t, line, table.Columns, row)
	}
	return sum
}

// canonical returns a value in a common form, because databases format values differently, such as
// 0.50 as .5, and times with or without a zone.
func canonical(t suite.T, c schema.Column, value string) string {
	if value == "NULL" {
		return value
	}
	switch c.Type {
	case schema.Decimal:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(f, 'f', c.Scale, 64)
	case schema.Char, schema.Varchar: // some schemas keep both in columns of a fixed width
		return strings.TrimRight(value, " ")
	case schema.Timestamp:
		return strings.Replace(value, "T", " ", 1)[:min(len(value), len("2006-01-02 15:04:05"))]
	}
	return value
}
