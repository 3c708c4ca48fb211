package dbgen_test

import (
	"math/big"
	"testing"

	"sledge/internal/workload/tproch/dbgen"
)

// The expected numbers of lines are from TPC-H 4.2.5, and below scale 1 from dbgen's files.
func TestTotalsAreThoseOfTheStandard(t *testing.T) {
	for factor, want := range map[float64]int64{0.001: 6005, 0.01: 60_175, 0.1: 600_572, 1: 6_001_215, 10: 59_986_052} {
		size := scale(t, factor)
		got := size.Initial(1, size.Count(dbgen.Orders))
		if got.Lines != want {
			t.Errorf("scale %g: got %d lines, want %d", factor, got.Lines, want)
		}
	}
}

// TestTotalsAreThoseOfTheRows compares totals, which come from the streams only, with the sums of
// the rows.
func TestTotalsAreThoseOfTheRows(t *testing.T) {
	size := scale(t, 0.01)
	sum := func(orders, lines *dbgen.Source) *dbgen.Totals {
		var got dbgen.Totals
		batch := dbgen.NewBatch(len(dbgen.Orders.Columns()))
		for orders.Read(batch, 100) > 0 {
			got.Orders += int64(batch.Rows)
			for _, key := range batch.Columns[0].Numbers {
				got.Keys().Add(got.Keys(), big.NewInt(key))
			}
		}
		batch = dbgen.NewBatch(len(dbgen.LineItem.Columns()))
		for lines.Read(batch, 100) > 0 {
			got.Lines += int64(batch.Rows)
			for _, quantity := range batch.Columns[4].Numbers {
				got.Quantity += quantity
			}
		}
		return &got
	}
	same := func(what string, got, want *dbgen.Totals) {
		if got.Orders != want.Orders || got.Lines != want.Lines || got.Quantity != want.Quantity || got.Keys().Cmp(want.Keys()) != 0 {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	const first, count = 801, 2500
	same("initial", size.Initial(first, count), sum(size.Source(dbgen.Orders, dbgen.Tbl, first, count), size.Source(dbgen.LineItem, dbgen.Tbl, first, count)))

	var want dbgen.Totals
	var keys int
	for set := int64(1); set <= 3; set++ {
		r, err := size.Refresh(set)
		if err != nil {
			t.Fatal(err)
		}
		rows := sum(r.Orders(dbgen.Tbl, 1, r.Count()), r.LineItems(dbgen.Tbl, 1, r.Count()))
		want.Add(rows)
		deleted := r.Deletes(dbgen.Tbl, 1, r.Count())
		batch := dbgen.NewBatch(1)
		for deleted.Read(batch, 1) > 0 {
			keys++
			if n := (int64(keys)-1)%r.Count() + 1; batch.Columns[0].Numbers[0] != r.Deleted(n) {
				t.Errorf("set %d, order %d: got the key %d to delete, want %d", set, n, r.Deleted(n), batch.Columns[0].Numbers[0])
			}
		}
	}
	same("inserted", size.Inserted(1, want.Orders), &want)
	want.Subtract(size.Inserted(1, 15))
	same("from the second set on", size.Inserted(16, 30), &want)
}
