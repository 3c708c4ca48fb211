package dbgen

import "slices"

// Kind is the kind of a column's values.
type Kind int

// The kinds of values.
const (
	Integer Kind = iota // a number
	Decimal             // a number of hundredths
	Date                // a number of days since 1970-01-01
	Text                // bytes, all of them ASCII
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// Columns returns the columns of a table in the order of TPC-H 1.4, which is also the order of the
// values in text rows.
func (t Table) Columns() []Column { return slices.Clone(columns[t]) }

var columns = [...][]Column{
	Region: {{"r_regionkey", Integer}, {"r_name", Text}, {"r_comment", Text}},
	Nation: {{"n_nationkey", Integer}, {"n_name", Text}, {"n_regionkey", Integer}, {"n_comment", Text}},
	Supplier: {
		{"s_suppkey", Integer},
		{"s_name", Text},
		{"s_address", Text},
		{"s_nationkey", Integer},
		{"s_phone", Text},
		{"s_acctbal", Decimal},
		{"s_comment", Text},
	},
	Customer: {
		{"c_custkey", Integer},
		{"c_name", Text},
		{"c_address", Text},
		{"c_nationkey", Integer},
		{"c_phone", Text},
		{"c_acctbal", Decimal},
		{"c_mktsegment", Text},
		{"c_comment", Text},
	},
	Part: {
		{"p_partkey", Integer},
		{"p_name", Text},
		{"p_mfgr", Text},
		{"p_brand", Text},
		{"p_type", Text},
		{"p_size", Integer},
		{"p_container", Text},
		{"p_retailprice", Decimal},
		{"p_comment", Text},
	},
	PartSupp: {
		{"ps_partkey", Integer},
		{"ps_suppkey", Integer},
		{"ps_availqty", Integer},
		{"ps_supplycost", Decimal},
		{"ps_comment", Text},
	},
	Orders: {
		{"o_orderkey", Integer},
		{"o_custkey", Integer},
		{"o_orderstatus", Text},
		{"o_totalprice", Decimal},
		{"o_orderdate", Date},
		{"o_orderpriority", Text},
		{"o_clerk", Text},
		{"o_shippriority", Integer},
		{"o_comment", Text},
	},
	LineItem: {
		{"l_orderkey", Integer},
		{"l_partkey", Integer},
		{"l_suppkey", Integer},
		{"l_linenumber", Integer},
		{"l_quantity", Integer},
		{"l_extendedprice", Decimal},
		{"l_discount", Decimal},
		{"l_tax", Decimal},
		{"l_returnflag", Text},
		{"l_linestatus", Text},
		{"l_shipdate", Date},
		{"l_commitdate", Date},
		{"l_receiptdate", Date},
		{"l_shipinstruct", Text},
		{"l_shipmode", Text},
		{"l_comment", Text},
	},
}

// Batch is some rows of one table, column by column. Each Source.Read overwrites it.
type Batch struct {
	Rows    int
	Columns []Values // in the table's order
}

// NewBatch returns an empty batch for rows with that many columns.
func NewBatch(columns int) *Batch { return &Batch{Columns: make([]Values, columns)} }

// Values are the values of one column of a batch: Numbers, or Bytes and Ends if the column's kind
// is Text.
type Values struct {
	Numbers []int64
	Bytes   []byte  // the texts without separators
	Ends    []int32 // the end of each text
}

// Text returns the text of a row, counted from 0. It is part of Bytes.
func (v *Values) Text(row int) []byte {
	begin := int32(0)
	if row > 0 {
		begin = v.Ends[row-1]
	}
	return v.Bytes[begin:v.Ends[row]]
}

// The following methods append a value to a column.

func (v *Values) number(n int64) { v.Numbers = append(v.Numbers, n) }

func (v *Values) day(day uint16) { v.number(int64(day) + firstDay) }

func (v *Values) word(w *word) { v.bytes(w.text[:w.size]) }

func (v *Values) bytes(text []byte) { v.end(append(v.Bytes, text...)) }

func (v *Values) letter(letter byte) { v.end(append(v.Bytes, letter)) }

func (v *Values) comment(c *comments, row int) { v.end(c.append(v.Bytes, row)) }

// numbered adds a prefix and a number of nine digits.
func (v *Values) numbered(prefix string, number int64) {
	var b line
	n := putNumbered(&b, 0, prefix, number, 0)
	v.bytes(b[:n-1])
}

// end records the end of a text, at the end of the longer Bytes.
func (v *Values) end(longer []byte) {
	v.Bytes = longer
	v.Ends = append(v.Ends, int32(len(longer)))
}
