package meter

import (
	"math"
	"testing"
	"time"
)

func TestCells_CountEachLatencyOnce(t *testing.T) {
	values := []time.Duration{1, time.Microsecond, 1024, 1279, 1280, 2560, 3071, 3072, time.Millisecond, time.Millisecond, time.Second, time.Hour}
	h := newHistogram()
	for _, v := range values {
		count(&h, int64(v), 1)
	}
	s := NewSummary(1)
	s.Kinds[0].Done, s.Kinds[0].Response = int64(len(values)), h
	d, err := s.Coded().Kinds[0].Response.Distribution()
	if err != nil {
		t.Fatal(err)
	}
	first, counts := d.Cells()
	var all int64
	for i, n := range counts {
		all += n
		for _, v := range values {
			if cell := first + i; n == 0 && int64(v) >= CellBegin(cell) && int64(v) < CellBegin(cell+1) {
				t.Errorf("%v is not in cell %d, which begins at %d ns", v, cell, CellBegin(cell))
			}
		}
	}
	if all != int64(len(values)) || first != 0 || counts[0] != 4 {
		t.Errorf("got %d latencies from cell %d on, and %d in the first; want %d from cell 0 on, and 4 in the first, up to 1.279 µs", all, first, counts[0], len(values))
	}
	if first, counts := (Distribution{}).Cells(); first != 0 || counts != nil {
		t.Errorf("no latencies: got %d, %v, want no counts", first, counts)
	}
}

func TestCellBegin_IsTheInverseOfCellOf(t *testing.T) {
	for cell := range cellOf(math.MaxInt64) {
		begin, next := CellBegin(cell), CellBegin(cell+1)
		if cellOf(begin) != cell || cellOf(next-1) != cell || cellOf(next) != cell+1 {
			t.Errorf("cell %d is from %d to %d, but %d, %d and %d are in cells %d, %d and %d", cell, begin, next, begin, next-1, next,
				cellOf(begin), cellOf(next-1), cellOf(next))
		}
	}
}
