package workload

import "sledge/internal/schema"

// DataFiles describes how a workload's initial rows are written to files.
type DataFiles struct {
	// Units returns the number of units, such as warehouses. A part holds consecutive units, so a
	// table has at most that many parts. A table with Ranges is divided by ranges, a table with one
	// chunk per unit by chunks, and any other by rows, with the same number of rows for each unit.
	Units func(options any) int
	Unit  string // the noun for units: "warehouses"

	// Shared names the tables whose rows belong to no unit: they have one part each.
	Shared []string

	// Ranges returns the functions that make a range of a table's rows without the rows before it.
	// Optional.
	Ranges func(options any, table string) Ranges

	// Typed returns a column of the schema with the type that typed files declare, which is wide
	// enough for all values. Optional: by default it is the type of the schema.
	Typed func(schema.Column) schema.Column
}

// Ranges make any range of a table's rows.
type Ranges struct {
	Count int64 // number of rows, or of the parents that ranges count: order lines are counted by order

	// Rows makes count rows as load text, from row first on; the table begins with row 0. Lines
	// makes the same rows as lines of text with a | after each value, the last included. No value
	// contains a | or is NULL.
	Rows, Lines func(first, count int64) schema.RowSource

	// Columns makes the same rows column by column, of the types that Typed gives.
	Columns func(first, count int64) schema.ColumnSource
}
