package dbgen

import "math/big"

// Totals are the sums of some orders and their lines.
type Totals struct {
	Orders, Lines int64
	Quantity      int64 // of all lines
	keys          big.Int
}

// Keys returns the sum of the keys of the orders, which exceeds 64 bits at large scales.
func (t *Totals) Keys() *big.Int { return &t.keys }

// Add adds others to them.
func (t *Totals) Add(others *Totals) { t.combine(others, 1) }

// Subtract subtracts others from them.
func (t *Totals) Subtract(others *Totals) { t.combine(others, -1) }

func (t *Totals) combine(others *Totals, sign int64) {
	t.Orders += sign * others.Orders
	t.Lines += sign * others.Lines
	t.Quantity += sign * others.Quantity
	var keys big.Int
	t.keys.Add(&t.keys, keys.Mul(&others.keys, big.NewInt(sign)))
}

// Initial returns the totals of count orders of the initial population from the order first on.
// It draws two of the streams and takes about 20 ns an order.
func (s Scale) Initial(first, count int64) *Totals {
	checkRange(Orders.String(), first, count, s.orders)
	return totals(orderRange{first: first, skipped: first - 1}, count)
}

// Inserted returns the totals of the orders of all refresh sets taken together, from the order
// first on: the first order of set 2 has the number Refresh.Count + 1. It accepts only sets below
// 1000.
func (s Scale) Inserted(first, count int64) *Totals {
	checkRange("the refresh sets", first, count, s.LastSet()*s.refreshed)
	return totals(orderRange{first: first, skipped: s.orders + first - 1, set: 1}, count)
}

// LastSet returns the last refresh set that deletes existing orders. Later sets insert orders and
// delete none.
func (s Scale) LastSet() int64 { return setsOfKeys - 1 }

func totals(o orderRange, count int64) *Totals {
	t := &Totals{Orders: count}
	lines := newLineStreams(o.skipped)
	var keys, low int64
	for i := range count {
		// Keys are below 2^40, so the sum is carried over before it exceeds 63 bits.
		low += orderKey(o.first+i, o.set)
		if keys++; keys == 1<<20 {
			t.keys.Add(&t.keys, big.NewInt(low))
			keys, low = 0, 0
		}
		n := 1 + int64(lines.count.draw(mostLines))
		t.Lines += n
		quantity := lines.quantity
		lines.quantity.leap(mostLines)
		for range n {
			t.Quantity += 1 + int64(quantity.draw(50))
		}
	}
	t.keys.Add(&t.keys, big.NewInt(low))
	return t
}
