package dbgen

import (
	"fmt"
	"math"
)

// setsOfKeys is the number of refresh sets after which the next set of free keys is used: as many
// as go through all orders.
const setsOfKeys = 1000

// MostRefreshSet is the greatest number of a refresh set. Its keys still fit into 64 bits at every
// scale.
const MostRefreshSet = math.MaxInt32

// Refresh is a refresh set, as dbgen generates it with -U: the orders with their lines that RF1
// inserts (TPC-H 2.6.2) and the keys of those that RF2 deletes (TPC-H 2.7.2). Its orders are
// numbered from 1.
//
// In the random streams, the orders that a set inserts follow those of the initial population and
// of the earlier sets. Sets below 1000 delete orders of the initial population. Then all of these
// are deleted, and dbgen generates keys that no order has, as we do.
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

// Count returns the number of inserted orders, which equals that of deleted ones: a thousandth of
// all, rounded down. Below scale factor 1, dbgen rounds to a multiple of ten, which is zero at
// 0.001.
func (r Refresh) Count() int64 { return r.scale.refreshed }

// Orders returns a source of count orders to insert, from the order first on.
func (r Refresh) Orders(f Format, first, count int64) *Source {
	return &Source{table: newOrderRows(r.scale, f, r.inserted(first, count)), left: count}
}

// LineItems returns a source of the lines of count orders to insert, from the order first on.
func (r Refresh) LineItems(f Format, first, count int64) *Source {
	return &Source{table: newLineItemRows(r.scale, f, r.inserted(first, count)), left: count}
}

// Inserted returns the key of an order to insert.
func (r Refresh) Inserted(order int64) int64 {
	checkRange("a refresh set", order, 1, r.Count())
	return orderKey(r.previous+order, 1+r.set/setsOfKeys)
}

// Deleted returns the key of an order to delete. Keys grow with the orders' numbers.
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

// Deletes returns a source of rows with one column, the keys of count orders to delete, from the
// order first on.
func (r Refresh) Deletes(f Format, first, count int64) *Source {
	checkRange("a refresh set", first, count, r.Count())
	return &Source{table: &deleteRows{format: f, next: r.previous + first, set: r.set / setsOfKeys}, left: count}
}

// deleteRows generates the keys of orders to delete.
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
