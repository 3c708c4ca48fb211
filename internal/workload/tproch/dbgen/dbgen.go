// Package dbgen generates the rows of TPC-H, identical to those of the TPC's program dbgen (version
// 2.14): any range of a table's rows without the rows before it, and the rows of any refresh set,
// as text or as columns of values. It knows no database, and no column types beyond the kinds of
// values.
package dbgen

import (
	"fmt"
	"math"
)

// Table is one of the eight tables (TPC-H 1.2), in the order of their size.
type Table int

// The tables.
const (
	Region Table = iota
	Nation
	Supplier
	Customer
	Part
	PartSupp
	Orders
	LineItem
)

// Tables are all tables.
var Tables = []Table{Region, Nation, Supplier, Customer, Part, PartSupp, Orders, LineItem}

var tableNames = [...]string{"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"}

// String returns the table's name.
func (t Table) String() string { return tableNames[t] }

// Format is the text format of rows, identified by the character that separates their values.
type Format byte

// The formats.
const (
	Tbl      Format = '|'  // dbgen's .tbl files, which have the character after the last value, too
	LoadText Format = '\t' // load text, as COPY and LOAD DATA read it by default; no value needs a backslash
)

// The smallest and largest scale factors.
const (
	LeastScale = 0.001
	MostScale  = 10_000
)

// Scale is a scale factor, with the sizes of its tables (TPC-H 4.2.5).
type Scale struct{ suppliers, customers, parts, orders, clerks, refreshed int64 }

// NewScale returns the scale of a factor. It rounds sizes down, as dbgen does if a factor below 1
// gives a fraction.
func NewScale(factor float64) (Scale, error) {
	if !(factor >= LeastScale && factor <= MostScale) {
		reason := "below that, parts would have too few suppliers to choose from, and refresh sets no orders"
		if factor > MostScale {
			reason = "above that, keys of parts outgrow the 31 bits of dbgen's random numbers, and its later versions and ports draw them differently"
		}
		return Scale{}, fmt.Errorf("scale factor %g: choose one from %g to %d: %s", factor, LeastScale, MostScale, reason)
	}
	// A factor means the decimal number that was written; its binary value may be slightly larger.
	times := func(n float64) int64 { return int64(math.Floor(factor*n + 1e-6)) }
	return Scale{
		suppliers: times(10_000),
		customers: times(150_000),
		parts:     times(200_000),
		orders:    times(1_500_000),
		clerks:    max(times(1000), 1000),
		refreshed: times(1500),
	}, nil
}

// RepeatsSuppliers reports whether some part has a supplier twice, so that rows of PartSupp have
// equal keys. This happens at many factors below 0.024, where dbgen's distance between the
// suppliers of a part may be a half or a third of all suppliers.
func (s Scale) RepeatsSuppliers() bool {
	suppliers := newDivisor(s.suppliers)
	for part := int64(1); part <= s.parts; part += s.suppliers { // the distance depends only on (part-1) / suppliers
		for i := uint64(1); i < suppliersOfPart; i++ {
			if supplierOf(part, i, suppliers) == supplierOf(part, 0, suppliers) {
				return true
			}
		}
	}
	return false
}

// Count returns the number of rows of a table, in the units of its ranges. The ranges of LineItem
// are counted in orders, so for LineItem Count returns the number of orders, which have one to
// seven lines each, four on average.
func (s Scale) Count(t Table) int64 {
	return [...]int64{
		int64(len(regions)), int64(len(nations)), s.suppliers, s.customers, s.parts, suppliersOfPart * s.parts, s.orders, s.orders,
	}[t]
}

// Source returns a source of count rows of a table, from the row first on, where 1 is the first
// row; for LineItem, of the lines of count orders. It panics if there are no such rows.
//
// The first source of a process that has comments takes a few tenths of a second to generate their
// text, which keeps 67 MB of memory.
func (s Scale) Source(t Table, f Format, first, count int64) *Source {
	checkRange(t.String(), first, count, s.Count(t))
	var rows table
	switch t {
	case Region:
		rows = newRegionRows(f, first)
	case Nation:
		rows = newNationRows(f, first)
	case Supplier:
		rows = newSupplierRows(f, first)
	case Customer:
		rows = newCustomerRows(f, first)
	case Part:
		rows = newPartRows(f, first)
	case PartSupp:
		rows = newPartSuppRows(s, f, first)
	case Orders:
		rows = newOrderRows(s, f, orderRange{first: first, skipped: first - 1})
	case LineItem:
		rows = newLineItemRows(s, f, orderRange{first: first, skipped: first - 1})
	}
	return &Source{table: rows, left: count}
}

func checkRange(what string, first, count, all int64) {
	if first < 1 || count < 0 || count > all-first+1 {
		panic(fmt.Sprintf("dbgen: there are no %d rows of %s from row %d on, but %d in all", count, what, first, all))
	}
}
