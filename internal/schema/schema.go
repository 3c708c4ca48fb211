// Package schema describes tables and the rows that fill them. It knows no
// database and no workload, so that both can speak of a table.
package schema

// Table is one table of a workload, and how to fill it.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // primary key columns; none when empty
	Size    int64    // about how many rows the table gets, to show progress by

	// The initial rows come in Chunks pieces. Any piece can be made from its
	// number alone, so builders share the work without talking to each other, and
	// a build that was interrupted goes on with the pieces that are missing.
	Chunks int
	Rows   func(chunk int) RowSource
}

// Column is a named column of a logical type, which a dialect spells out.
type Column struct {
	Name  string
	Type  Type
	Size  int // characters of Char and Varchar, digits of Decimal
	Scale int // digits after the point of Decimal
	Null  bool
}

// Type is a logical column type.
type Type int

// The logical types.
const (
	Integer Type = iota
	SmallInteger
	BigInteger
	Decimal
	Char
	Varchar
	Date
	Timestamp
	Bytes // of any number, which no workload has
)

// RowSource makes rows as load text, the form that PostgreSQL's COPY and MySQL's
// LOAD DATA both read by default: values divided by a tab, a row ended by a
// newline, NULL written \N, and tab, newline and backslash in a value preceded
// by a backslash. Dates are written 2006-01-02, and timestamps 2006-01-02 15:04:05, in UTC.
//
// It is what the fastest loaders want, and Fields turns it into values for those that insert.
type RowSource interface {
	// AppendRow appends the next row to buf and returns the longer slice. It
	// returns false, and buf as it was, when there are no more rows.
	AppendRow(buf []byte) ([]byte, bool)
}

// ColumnSource makes rows as values, column by column, for files that keep them so. No value is NULL.
type ColumnSource interface {
	// Read makes the next rows, at most so many, in place of those before them. It returns how many
	// there are, and 0 when there are no more.
	Read(most int) int

	// Column returns the values of a column, counted from 0, of the rows that Read made.
	Column(i int) Values
}

// Values are the values of a column of some rows.
type Values struct {
	// Numbers are the values of a column that is neither Char nor Varchar: those of Decimal without
	// the point, all Scale digits behind it included; days of Date and microseconds of Timestamp since 1970-01-01.
	Numbers []int64

	Bytes []byte  // texts, one right behind another
	Ends  []int32 // where each of them ends
}

// ColumnNames lists the names of the table's columns in order.
func (t Table) ColumnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}
