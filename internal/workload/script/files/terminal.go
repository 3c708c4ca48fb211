package files

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/workload"
	"sledge/internal/workload/script/pgbench"
)

// value is the value of a parameter in one transaction.
type value struct {
	null   bool
	number int64  // as generator.number returns it
	text   []byte // of a text
}

// inputs are the values of all parameters of a transaction.
type inputs struct {
	values []value
	err    error // of an expression: the transaction fails with it
}

// terminal draws the transactions of a virtual user and their parameters.
type terminal struct {
	random     *rand.Rand
	sums       []float64 // weights of the kinds up to and including each
	generators [][]generator
	inputs     []inputs       // by kind
	names      [][]string     // of the parameters, by kind
	state      *pgbench.State // of expressions; nil without expressions
	drawn      [][]int64      // how often each parameter was drawn, for sequences
	number     int64          // this user
	users      int64
	inserted   map[string]int64 // how many numbers all users have drawn after a column, if they draw as often as this one
	after      [][]string       // the column of each parameter's After; ""

	client  *pgbench.Client // runs the scripts; nil without scripts
	scripts []bool          // whether each kind is a script
	weights []float64       // of the kinds, if all are scripts, so that it chooses as pgbench does

	thread   *thread // of scripts in Lua; nil without them
	programs []bool  // whether each kind is such a script
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
		var names []string
		generators, after := make([]generator, len(list)), make([]string, len(list))
		for n, p := range list {
			after[n] = p.After
			names = append(names, p.name)
			if p.Expression != "" && t.state == nil {
				t.state = d.newState(slot.Rand.Uint64(), slot.Number, of)
			}
			generators[n], _ = p.generator(p.Type.Column, of, f) // survey has refused what cannot be drawn
		}
		t.generators, t.after = append(t.generators, generators), append(t.after, after)
		t.inputs, t.names = append(t.inputs, inputs{values: make([]value, len(list))}), append(t.names, names)
		t.drawn = append(t.drawn, make([]int64, len(list)))
		t.scripts = append(t.scripts, d.transactions[i].Language == ofPgbench)
		t.programs = append(t.programs, d.transactions[i].Language == ofSysbench)
	}
	if f.shared != nil {
		t.thread = &thread{shared: f.shared, limit: d.mostEvents()}
	}
	if slices.Contains(t.scripts, true) {
		texts := option.Texts(slot.Options)
		variables := maps.Clone(d.Variables)
		if variables == nil {
			variables = map[string]string{}
		}
		for _, o := range d.options {
			variables[o.name] = texts[o.name]
		}
		t.client = pgbench.NewClient(slot.Seed, slot.Number, slot.Users, variables)
		if !slices.Contains(t.scripts, false) {
			t.weights = mixOf(slot.Options).weights
		}
	}
	return t
}

// newState returns the variables and the random numbers of a user's expressions.
func (d *definition) newState(seed uint64, user int, of values) *pgbench.State {
	s := pgbench.NewState(seed)
	s.Variables["client_id"] = pgbench.Int(int64(user))
	s.Variables["default_seed"] = pgbench.Int(0)
	for _, o := range d.options {
		switch o.Default.(type) {
		case int64:
			s.Variables[o.name] = pgbench.Int(int64(of(o.name)))
		case float64:
			s.Variables[o.name] = pgbench.Double(of(o.name))
		}
	}
	return s
}

// Pick implements workload.Terminal.
func (t *terminal) Pick() (workload.Transaction, bool) {
	if t.weights != nil {
		return t.PickKind(meter.Kind(t.client.Choose(t.weights)))
	}
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
	if t.client != nil && t.client.Ended {
		return workload.Transaction{}, false
	}
	if t.programs[kind] {
		return workload.Transaction{Kind: kind, Inputs: t.thread}, t.thread.next()
	}
	if t.scripts[kind] {
		t.client.Next()
		return workload.Transaction{Kind: kind, Inputs: t.client}, true
	}
	in := &t.inputs[kind]
	in.err = nil
	for i := range in.values {
		g, v := &t.generators[kind][i], &in.values[i]
		n := t.number + t.users*t.drawn[kind][i]
		t.drawn[kind][i]++
		if column := t.after[kind][i]; column != "" { // other parameters may be after the same column
			n = t.number + t.inserted[column]
			t.inserted[column] += t.users
		}
		if g.latest != "" {
			n = t.inserted[g.latest]
		}
		v.null = g.null > 0 && t.random.Float64() < g.null
		switch {
		case g.computed != nil && !v.null:
			var err error
			if v.number, v.null, err = g.compute(t.state); err != nil && in.err == nil {
				in.err = fmt.Errorf("parameter %s: %w", t.names[kind][i], err)
			}
		case g.number != nil:
			v.number = g.number(t.random, n)
		case g.text != nil:
			v.text = g.text(t.random, n, v.text[:0])
		}
		if t.state != nil && g.text == nil {
			t.state.Variables[t.names[kind][i]] = g.known(v)
		}
	}
	return workload.Transaction{Kind: kind, Inputs: in}, true
}
