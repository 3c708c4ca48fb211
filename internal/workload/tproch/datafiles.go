package tproch

import (
	"fmt"
	"strings"

	"sledge/internal/schema"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch/dbgen"
)

// dataFiles divides the rows by supplier, because every table except the two smallest has the same
// number of rows for each supplier (TPC-H 4.2.5).
var dataFiles = &workload.DataFiles{
	Units:  func(options any) int { return int(options.(*Options).size().Count(dbgen.Supplier)) },
	Unit:   "suppliers",
	Shared: []string{dbgen.Nation.String(), dbgen.Region.String()},
	Ranges: func(options any, table string) workload.Ranges {
		size, t := options.(*Options).size(), tableOf(table)
		rows := func(f dbgen.Format) func(first, count int64) schema.RowSource {
			return func(first, count int64) schema.RowSource { return size.Source(t, f, first+1, count) }
		}
		return workload.Ranges{
			Count: size.Count(t), Rows: rows(dbgen.LoadText), Lines: rows(dbgen.Tbl),
			Columns: func(first, count int64) schema.ColumnSource {
				return &columns{dbgen.NewBatch(len(t.Columns())), size.Source(t, dbgen.LoadText, first+1, count), t == dbgen.LineItem}
			},
		}
	},
	Typed: typed,
}

// typed returns a column with its type in tpchgen-cli and DuckDB's generator: keys have 64 bits at
// any scale, and decimals 15 digits.
func typed(c schema.Column) schema.Column {
	switch {
	case c.Type == schema.Integer && strings.HasSuffix(c.Name, "key"):
		c.Type = schema.BigInteger
	case c.Type == schema.Decimal:
		c.Size = 15
	}
	return c
}

// columns generates the rows of a table column by column.
type columns struct {
	batch  *dbgen.Batch
	source *dbgen.Source
	lines  bool // they are lineitem's
}

// Read implements schema.ColumnSource.
func (c *columns) Read(most int) int {
	rows := c.source.Read(c.batch, most)
	if c.lines {
		const quantity = 4 // a decimal by its type, and a whole number as text
		for i := range c.batch.Columns[quantity].Numbers {
			c.batch.Columns[quantity].Numbers[i] *= 100
		}
	}
	return rows
}

// Column implements schema.ColumnSource.
func (c *columns) Column(i int) schema.Values { return schema.Values(c.batch.Columns[i]) }

// tableOf finds a table by its name.
func tableOf(name string) dbgen.Table {
	for _, t := range dbgen.Tables {
		if t.String() == name {
			return t
		}
	}
	panic(fmt.Sprintf("tproch: there is no table %s", name))
}
