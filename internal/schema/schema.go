// Package schema describes tables and the rows that fill them. It does not know databases or
// workloads, so that both can use its types.
package schema

// Table is a table of a workload, and the size of its initial rows.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // primary key columns; empty if the table has no primary key
	Size    int64    // approximate number of rows, for progress

	// Chunks is the number of chunks of the initial rows. Each chunk can be generated from its
	// number alone, so builders share the work without communication, and a resumed build loads
	// only the missing chunks.
	Chunks int
	Rows   func(chunk int) RowSource
}

// Column is a column with a name and a logical type. A dialect turns the type into SQL.
type Column struct {
	Name  string
	Type  Type
	Size  int // characters of Char and Varchar, digits of Decimal
	Scale int // digits of Decimal after the point
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
	Bytes // of any length; only tests use it
)

// RowSource generates rows as load text, the default format of PostgreSQL's COPY and MySQL's LOAD
// DATA: a tab between values, a newline after each row, \N for NULL, and a backslash before a tab,
// newline or backslash in a value. Dates have the form 2006-01-02, and timestamps 2006-01-02
// 15:04:05, in UTC.
//
// The fastest loaders read it directly, and Fields converts it into values for an INSERT.
type RowSource interface {
	// AppendRow appends the next row to buf and returns the longer slice. If there are no more
	// rows, it returns buf and false.
	AppendRow(buf []byte) ([]byte, bool)
}

// ColumnSource generates rows as values, column by column, for columnar files. No value is NULL.
type ColumnSource interface {
	// Read generates the next rows, at most the given number, in place of the previous ones. It
	// returns the number of rows, or 0 if there are no more.
	Read(most int) int

	// Column returns the values of a column, counted from 0, of the rows of the last Read.
	Column(i int) Values
}

// Values holds the values of a column of some rows.
type Values struct {
	// Numbers are the values of a column that is neither Char nor Varchar: Decimal as a whole
	// number that includes all Scale digits after the point, Date in days and Timestamp in
	// microseconds since 1970-01-01.
	Numbers []int64

	Bytes []byte  // texts, one directly after another
	Ends  []int32 // end of each text in Bytes
}

// ColumnNames lists the names of the table's columns in order.
func (t Table) ColumnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}
