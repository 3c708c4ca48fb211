package workload

import "sledge/internal/schema"

// DataFiles is what a workload says about its initial rows in files.
type DataFiles struct {
	// Units returns how many units the parts of a table share among them, each taking
	// neighbours, and so how many parts there may be: warehouses. A table with a chunk for
	// each unit is divided by chunks, one with Ranges by these, and any other by rows, of
	// which each unit has equally many.
	Units func(options any) int
	Unit  string // what they are: "warehouses"

	// Shared names the tables whose rows belong to no unit: they have one part each.
	Shared []string

	// Ranges returns how any rows of a table are made without those before them. Optional.
	Ranges func(options any, table string) Ranges

	// Typed returns a column of the schema as files with types declare it, with room for all of
	// its values. Optional: without it both have the same type.
	Typed func(schema.Column) schema.Column
}

// Ranges make the rows of a table, any range of them.
type Ranges struct {
	Count int64 // how many rows there are, or what else ranges are counted in: orders, of lines

	// Rows makes count rows from the row first on, the table's first one being 0, as load
	// text. Lines makes the same rows as lines of text, in which | stands behind each value,
	// the last one too, and in no value; nothing is NULL.
	Rows, Lines func(first, count int64) schema.RowSource

	// Columns makes the same rows column by column, of the types that Typed gives.
	Columns func(first, count int64) schema.ColumnSource
}
