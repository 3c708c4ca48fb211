package tprocc

import (
	"fmt"
	"strconv"
	"strings"

	"sledge/internal/meter"
	"sledge/internal/option"
)

// weights holds a whole number for each kind of transaction.
type weights [kinds]int

// mixes are the named mixes. The weights are in the order of the kinds.
var mixes = []struct {
	name string
	weights
}{
	{"default", weights{newOrder: 10, payment: 10, delivery: 1, stockLevel: 1, orderStatus: 1}}, // the deck of TPC-C 5.2.4.2

	// TPC-C 5.2.3: at least 43 % payments and 4 % of each other kind; new orders are the rest.
	{"standard", weights{newOrder: 45, payment: 43, delivery: 4, stockLevel: 4, orderStatus: 4}},

	{"read-only", weights{stockLevel: 1, orderStatus: 1}},
	{"write-only", weights{newOrder: 10, payment: 10, delivery: 1}}, // with the default proportions
}

// namedMix returns the weights of a named mix.
func namedMix(name string) (weights, bool) {
	for _, m := range mixes {
		if option.SameName(m.name, name) {
			return m.weights, true
		}
	}
	return weights{}, false
}

// UnmarshalText implements encoding.TextUnmarshaler. It also accepts the name of a mix.
func (w *weights) UnmarshalText(text []byte) error {
	word := strings.TrimSpace(string(text))
	if named, ok := namedMix(word); ok {
		*w = named
		return nil
	}
	if !strings.ContainsAny(word, ",=0123456789") {
		names := make([]string, len(mixes))
		for i, m := range mixes {
			names[i] = m.name
		}
		return fmt.Errorf("%q is not a mix: name one of %s, or give weights such as 10,10,1,1,1 or payment=5%s",
			word, strings.Join(names, ", "), option.Suggest(word, names))
	}
	return perKind(text, (*[kinds]int)(w), func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 10_000 {
			return 0, fmt.Errorf("%q is not a weight: a whole number from 0 to 10000", s)
		}
		return n, nil
	})
}

// MarshalText implements encoding.TextMarshaler. It writes weights even if the mix has a name,
// because weights mean the same in every version.
func (w weights) MarshalText() ([]byte, error) {
	var text []byte
	for i, n := range w {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return text, nil
}

// Kind names the type for people.
func (weights) Kind() string { return "5 weights, or a name" }

// mixed is Mix.Option.
func mixed(options any) string {
	o, fresh := options.(*Options), newOptions().(*Options)
	switch {
	case o.Mix != fresh.Mix:
		return "mix"
	case o.Deck:
		return "deck"
	}
	return ""
}

// asked returns the mix of the requested kinds, or the mix of the options if users decide.
func (o *Options) asked(kinds []meter.Kind) weights {
	if kinds == nil {
		return o.Mix
	}
	var w weights
	for _, k := range kinds {
		w[k] = 1
	}
	return w
}

// list returns the weights as numbers.
func (w weights) list() []float64 {
	var list []float64
	for _, n := range w {
		list = append(list, float64(n))
	}
	return list
}

// deck returns a deck with as many cards of each kind as its weight.
func (w weights) deck() []meter.Kind {
	var cards []meter.Kind
	for k, n := range w {
		for range n {
			cards = append(cards, meter.Kind(k))
		}
	}
	return cards
}
