package dbgen

import (
	"fmt"
	"math"
)

// setsOfKeys is after how many refresh sets the next set of free keys is used: as many as it
// takes until they have gone through all orders.
const setsOfKeys = 1000

// MostRefreshSet is the greatest number of a refresh set, whose keys still fit into 64 bits at
// every scale.
const MostRefreshSet = math.MaxInt32

// Refresh is a refresh set, as dbgen makes it with -U: the orders with their lines that RF1
// inserts (TPC-H 2.6.2) and the keys of those that RF2 deletes (TPC-H 2.7.2). Its orders are
// numbered from 1 on.
//
// Set u inserts orders that the streams make behind those of the initial population and of the
// sets before it. It deletes orders of the initial population, while u is below 1000: by then
// they are all gone. From there on dbgen makes keys that no order has, and so do we.
type Refresh struct {
	scale    Scale
	set      int64
	previous int64 // orders in the sets before
}

// Refresh returns a refresh set.
func (s Scale) Refresh(set int64) (Refresh, error) {
	if set < 1 || set > MostRefreshSet {
		return Refresh{}, fmt.Errorf("refresh set %d: sets are numbered from 1 to %d", set, MostRefreshSet)
	}
	return Refresh{scale: s, set: set, previous: (set - 1) * s.refreshed}, nil
}

// Count returns how many orders are inserted, and how many are deleted: a thousandth of all,
// rounded down. Where the scale factor is below 1, dbgen itself rounds to a multiple of ten,
// and at 0.001 to none.
func (r Refresh) Count() int64 { return r.scale.refreshed }

// Orders returns a source of count orders to be inserted, from the order first on.
func (r Refresh) Orders(f Format, first, count int64) *Source {
	return &Source{table: newOrderRows(r.scale, f, r.inserted(first, count)), left: count}
}

// LineItems returns a source of the lines of count orders to be inserted, from the order first on.
func (r Refresh) LineItems(f Format, first, count int64) *Source {
	return &Source{table: newLineItemRows(r.scale, f, r.inserted(first, count)), left: count}
}

// Inserted returns the key of an order to be inserted.
func (r Refresh) Inserted(order int64) int64 {
	checkRange("a refresh set", order, 1, r.Count())
	return orderKey(r.previous+order, 1+r.set/setsOfKeys)
}

// Deleted returns the key of an order to be deleted. Keys grow with the orders' numbers.
func (r Refresh) Deleted(order int64) int64 {
	checkRange("a refresh set", order, 1, r.Count())
	return orderKey(r.previous+order, r.set/setsOfKeys)
}

func (r Refresh) inserted(first, count int64) orderRange {
	checkRange("a refresh set", first, count, r.Count())
	return orderRange{
		first:   r.previous + first,
		skipped: r.scale.orders + r.previous + first - 1,
		set:     1 + r.set/setsOfKeys,
	}
}

// Deletes returns a source of rows with one column, the keys of count orders to be deleted,
// from the order first on.
func (r Refresh) Deletes(f Format, first, count int64) *Source {
	checkRange("a refresh set", first, count, r.Count())
	return &Source{table: &deleteRows{format: f, next: r.previous + first, set: r.set / setsOfKeys}, left: count}
}

// deleteRows makes the keys of orders to be deleted.
type deleteRows struct {
	format    Format
	next, set int64

	keys [atOnce]int64
}

func (r *deleteRows) draw(n int) int {
	for i := range n {
		r.keys[i] = orderKey(r.next, r.set)
		r.next++
	}
	return n
}

func (r *deleteRows) put(b *line, row int) int {
	return r.format.end(b, putInt(b, 0, r.keys[row], byte(r.format)))
}

func (r *deleteRows) add(b *Batch, row int) { b.Columns[0].number(r.keys[row]) }
