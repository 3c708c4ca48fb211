package files

import (
	"math/rand/v2"

	"sledge/internal/meter"
	"sledge/internal/workload"
)

// value is the value of a parameter in one transaction.
type value struct {
	null   bool
	number int64  // as generator.number returns it
	text   []byte // of a text
}

// terminal draws the transactions of a virtual user and their parameters.
type terminal struct {
	random     *rand.Rand
	sums       []float64 // weights of the kinds up to and including each
	generators [][]generator
	values     [][]value // by kind and parameter; inputs of Do
	drawn      [][]int64 // how often each parameter was drawn, for sequences
	number     int64     // this user
	users      int64
	inserted   map[string]int64 // how many numbers all users have drawn after a column, if they draw as often as this one
	after      [][]string       // the column of each parameter's After; ""
}

func (d *definition) newTerminal(slot workload.Slot) workload.Terminal {
	f := slot.Survey.(found)
	of := d.values(slot.Options, f.sizes)
	t := &terminal{random: slot.Rand, number: int64(slot.Number), users: int64(slot.Users), inserted: map[string]int64{}}
	sum := 0.0
	for i, w := range mixOf(slot.Options).weights {
		sum += w
		t.sums = append(t.sums, sum)
		list := d.transactions[i].parameters
		generators, after := make([]generator, len(list)), make([]string, len(list))
		for n, p := range list {
			after[n] = p.After
			generators[n], _ = p.generator(p.Type.Column, of, f) // survey has refused what cannot be drawn
		}
		t.generators, t.after = append(t.generators, generators), append(t.after, after)
		t.values, t.drawn = append(t.values, make([]value, len(list))), append(t.drawn, make([]int64, len(list)))
	}
	return t
}

// Pick implements workload.Terminal.
func (t *terminal) Pick() (workload.Transaction, bool) {
	x := t.random.Float64() * t.sums[len(t.sums)-1]
	kind := 0
	for t.sums[kind] <= x && kind < len(t.sums)-1 {
		kind++
	}
	return t.PickKind(meter.Kind(kind))
}

// PickKind implements workload.KindPicker. Sequences count the users' draws, so that no two users
// draw the same number.
func (t *terminal) PickKind(kind meter.Kind) (workload.Transaction, bool) {
	values := t.values[kind]
	for i := range values {
		g, v := &t.generators[kind][i], &values[i]
		n := t.number + t.users*t.drawn[kind][i]
		t.drawn[kind][i]++
		if column := t.after[kind][i]; column != "" {
			t.inserted[column] = t.users * t.drawn[kind][i]
		}
		if g.latest != "" {
			n = t.inserted[g.latest]
		}
		v.null = g.null > 0 && t.random.Float64() < g.null
		if g.number != nil {
			v.number = g.number(t.random, n)
		} else {
			v.text = g.text(t.random, n, v.text[:0])
		}
	}
	return workload.Transaction{Kind: kind, Inputs: &t.values[kind]}, true
}
