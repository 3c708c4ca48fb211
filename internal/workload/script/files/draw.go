package files

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/schema"
	"sledge/internal/workload/script/pgbench"
)

// drawing is how a definition says that the values of a column or a parameter are drawn. Exactly one
// of the ways is given.
type drawing struct {
	// The ways.
	Value    any      `toml:"value"`    // always this value
	Sequence *amount  `toml:"sequence"` // counted up from here; of parameters, each number once in a run
	After    string   `toml:"after"`    // of parameters: counted up from the greatest value of a column, as "orders.o_id"
	Latest   string   `toml:"latest"`   // of parameters: like zipf, from the greatest value of a column down, which grows with the parameters after it
	Uniform  []amount `toml:"uniform"`  // between two bounds, which belong to the range, as those of the following ways
	Normal   []amount `toml:"normal"`
	Zipf     []amount `toml:"zipf"` // the first bound is the most frequent
	Hot      []amount `toml:"hot"`  // hot_rows of the range have hot_share of the draws
	Column   string   `toml:"column"`

	// Expression, of parameters, is in pgbench's language. Options, and the parameters before this one,
	// are its variables.
	Expression string `toml:"expression"`

	List    []string `toml:"list"`
	Letters []int    `toml:"letters"` // a random text with a length between two bounds
	Digits  []int    `toml:"digits"`

	// What some ways need besides.
	Repeat    *amount   `toml:"repeat"`    // sequence: each number as often
	Cycle     *amount   `toml:"cycle"`     // sequence: begins again after as many numbers
	Exponent  *float64  `toml:"exponent"`  // zipf
	Scrambled bool      `toml:"scrambled"` // zipf: the frequent values are anywhere in the range
	HotRows   *amount   `toml:"hot_rows"`
	HotShare  *float64  `toml:"hot_share"`
	Weights   []float64 `toml:"weights"` // list

	Prefix string  `toml:"prefix"` // before a number in a text
	Hashed bool    `toml:"hashed"` // the number in a text is a hash of what was drawn
	Null   float64 `toml:"null"`   // the share of values that are NULL
}

// ways returns the names of the ways that are given.
func (d drawing) ways() (given []string) {
	for _, way := range []struct {
		name string
		is   bool
	}{
		{"value", d.Value != nil},
		{"sequence", d.Sequence != nil},
		{"after", d.After != ""},
		{"latest", d.Latest != ""},
		{"uniform", d.Uniform != nil},
		{"normal", d.Normal != nil},
		{"zipf", d.Zipf != nil},
		{"hot", d.Hot != nil},
		{"column", d.Column != ""},
		{"expression", d.Expression != ""},
		{"list", d.List != nil},
		{"letters", d.Letters != nil},
		{"digits", d.Digits != nil},
	} {
		if way.is {
			given = append(given, way.name)
		}
	}
	return given
}

const waysInWords = "value, sequence, after, latest, uniform, normal, zipf, hot, column, expression, list, letters, digits"

// amounts lists the amounts of a drawing.
func (d drawing) amounts() []amount {
	all := slices.Concat(d.Uniform, d.Normal, d.Zipf, d.Hot)
	for _, one := range []*amount{d.Sequence, d.Repeat, d.Cycle, d.HotRows} {
		if one != nil {
			all = append(all, *one)
		}
	}
	return all
}

// check returns an error if the drawing is wrong with any options.
func (d drawing) check(c schema.Column, ofParameter bool) error {
	ways := d.ways()
	if len(ways) != 1 {
		if len(ways) == 0 {
			return errors.New("it does not say how its values are drawn: give one of " + waysInWords)
		}
		return fmt.Errorf("it is drawn in several ways: give one of %s", strings.Join(ways, ", "))
	}
	way := ways[0]
	needs := map[string][]string{"repeat": {"sequence"}, "cycle": {"sequence"}, "exponent": {"zipf", "latest"}, "scrambled": {"zipf"}, "hot_rows": {"hot"}, "hot_share": {"hot"}, "weights": {"list"}}
	for name, given := range map[string]bool{
		"repeat": d.Repeat != nil, "cycle": d.Cycle != nil, "exponent": d.Exponent != nil, "scrambled": d.Scrambled,
		"hot_rows": d.HotRows != nil, "hot_share": d.HotShare != nil, "weights": d.Weights != nil,
	} {
		if given && !slices.Contains(needs[name], way) {
			return fmt.Errorf("%s is for %s, and it is drawn by %s: leave it out", name, needs[name][0], way)
		}
	}
	numeric := slices.Contains([]string{"sequence", "after", "latest", "uniform", "normal", "zipf", "hot"}, way)
	switch {
	case way == "expression" && !isWhole(c) && c.Type != schema.Decimal:
		return errors.New("expression makes a number: give it a type such as bigint or decimal(8,2)")
	case (way == "letters" || way == "digits") && !isText(c):
		return fmt.Errorf("%s makes a text: give it the type char or varchar", way)
	case way == "list" && !isText(c) && !isWhole(c):
		return errors.New("list is for texts and whole numbers")
	case slices.Contains([]string{"after", "latest", "column", "expression"}, way) && !ofParameter:
		return fmt.Errorf("%s is for parameters of transactions: tables are filled before there are rows", way)
	case (d.Prefix != "" || d.Hashed) && (!isText(c) || !numeric):
		return errors.New("prefix and hashed are for numbers in a text: give the type char or varchar, and one of sequence, uniform, normal, zipf, hot")
	case d.Null < 0 || d.Null > 1:
		return fmt.Errorf("null is %g: it is a share from 0 to 1", d.Null)
	case d.HotShare != nil && (*d.HotShare <= 0 || *d.HotShare > 1):
		return fmt.Errorf("hot_share is %g: it is a share from 0 to 1", *d.HotShare)
	case d.Exponent != nil && (*d.Exponent <= 0 || *d.Exponent > 10):
		return fmt.Errorf("exponent is %g: it is between 0 and 10", *d.Exponent)
	case way == "list" && len(d.List) == 0:
		return errors.New("list is empty")
	case d.Weights != nil && (len(d.Weights) != len(d.List) || slices.ContainsFunc(d.Weights, func(w float64) bool { return !(w >= 0) }) || total(d.Weights) <= 0):
		return errors.New("weights must have a number for each value of list, none negative, and not all 0")
	}
	for name, bounds := range map[string]int{"uniform": len(d.Uniform), "normal": len(d.Normal), "zipf": len(d.Zipf), "hot": len(d.Hot), "letters": len(d.Letters), "digits": len(d.Digits)} {
		if name == way && bounds != 2 {
			return fmt.Errorf("%s needs two bounds, as in [1, 100]", name)
		}
	}
	for _, lengths := range [][]int{d.Letters, d.Digits} {
		if len(lengths) == 2 && (lengths[0] < 0 || lengths[1] < lengths[0] || lengths[1] > c.Size) {
			return fmt.Errorf("lengths from %d to %d do not fit into %d characters", lengths[0], lengths[1], c.Size)
		}
	}
	for _, text := range d.List {
		if isWhole(c) {
			if _, err := strconv.ParseInt(text, 10, 64); err != nil {
				return fmt.Errorf("%q is not a whole number", text)
			}
		} else if len([]rune(text)) > c.Size {
			return fmt.Errorf("%q is longer than %d characters", text, c.Size)
		}
	}
	return nil
}

func total(list []float64) (sum float64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// found is what a run has read from the schema before its users begin.
type found struct {
	sizes    map[string]float64  // options whose values the tables show
	greatest map[string]int64    // the greatest value of a column, by its name as in drawing.After
	columns  map[string][]string // the values of a column, by its name as in drawing.Column
	shared   *shared             // nil without scripts in Lua
}

// generator generates the values of one column or parameter. It belongs to one goroutine.
type generator struct {
	column schema.Column
	null   float64
	latest string // as in drawing

	// number draws a number in units of the last digit, days, or microseconds; nil for texts. n counts
	// the rows of a table, or the draws of all users, from 0. With latest it is the number of rows that
	// the users have inserted.
	number func(r *rand.Rand, n int64) int64

	computed pgbench.Expression // nil for other ways

	text func(r *rand.Rand, n int64, to []byte) []byte // nil for numbers
}

// mostNumbers limits the numbers of a range, and the rows of a table: beyond, doubles are not exact.
const mostNumbers = 1 << 52

// defaultExponent is that of YCSB.
const defaultExponent = 0.99

// normalDeviations is half the width of the range of a normal distribution, in standard deviations.
const normalDeviations = 3

// generator returns the generator of a drawing, whose values the options decide.
func (d drawing) generator(c schema.Column, options values, f found) (generator, error) {
	g := generator{column: c, null: d.Null}
	unit := c
	if isText(c) {
		unit = schema.Column{Type: schema.BigInteger}
	}
	bounds := func(list []amount) (low, high int64, err error) {
		if low, err = list[0].in(unit, options); err != nil {
			return 0, 0, err
		}
		if high, err = list[1].in(unit, options); err != nil {
			return 0, 0, err
		}
		if high < low {
			return 0, 0, fmt.Errorf("the bounds %s and %s leave no value", list[0].text, list[1].text)
		}
		if width := high - low; width < 0 || width >= mostNumbers {
			return 0, 0, fmt.Errorf("the bounds %s and %s have more than %g numbers between them", list[0].text, list[1].text, float64(mostNumbers))
		}
		return low, high, nil
	}
	switch {
	case d.Value != nil:
		return g.constant(d.Value, options)
	case d.Sequence != nil || d.After != "":
		first, repeat, cycle := f.greatest[d.After]+1, int64(1), int64(0)
		if d.Sequence != nil {
			var err error
			if first, err = d.Sequence.in(unit, options); err != nil {
				return g, err
			}
		}
		if d.Repeat != nil {
			repeat = max(1, int64(d.Repeat.of(options)))
		}
		if d.Cycle != nil {
			cycle = max(1, int64(d.Cycle.of(options)))
		}
		g.number = func(_ *rand.Rand, n int64) int64 {
			n /= repeat
			if cycle > 0 {
				n %= cycle
			}
			return first + n
		}
	case d.Uniform != nil:
		low, high, err := bounds(d.Uniform)
		if err != nil {
			return g, err
		}
		g.number = func(r *rand.Rand, _ int64) int64 { return low + r.Int64N(high-low+1) }
	case d.Normal != nil:
		low, high, err := bounds(d.Normal)
		if err != nil {
			return g, err
		}
		width := float64(high - low + 1)
		g.number = func(r *rand.Rand, _ int64) int64 {
			for {
				if x := r.NormFloat64()/(2*normalDeviations) + 0.5; x >= 0 && x < 1 {
					return low + int64(x*width)
				}
			}
		}
	case d.Zipf != nil:
		low, high, err := bounds(d.Zipf)
		if err != nil {
			return g, err
		}
		exponent := d.exponent()
		if n := high - low + 1; d.Scrambled {
			z := newZipf(scrambledItems, exponent)
			g.number = func(r *rand.Rand, _ int64) int64 { return low + int64(scramble(z.next(r)-1)%uint64(n)) }
		} else {
			z := newZipf(n, exponent)
			g.number = func(r *rand.Rand, _ int64) int64 { return low + z.next(r) - 1 }
		}
	case d.Latest != "":
		newest := f.greatest[d.Latest]
		z := newZipf(max(1, newest), d.exponent())
		g.latest, g.number = d.Latest, func(r *rand.Rand, inserted int64) int64 { return newest + inserted - z.next(r) + 1 }
	case d.Hot != nil:
		low, high, err := bounds(d.Hot)
		if err != nil {
			return g, err
		}
		hot, share := max(1, (high-low+1)/5), 0.8
		if d.HotRows != nil {
			hot = int64(d.HotRows.of(options))
		}
		if d.HotShare != nil {
			share = *d.HotShare
		}
		if hot < 1 || hot > high-low+1 {
			return g, fmt.Errorf("hot_rows is %d: it must be between 1 and the %d values of the range", hot, high-low+1)
		}
		g.number = func(r *rand.Rand, _ int64) int64 {
			if r.Float64() < share || hot == high-low+1 {
				return low + r.Int64N(hot)
			}
			return low + hot + r.Int64N(high-low+1-hot)
		}
	case d.Expression != "":
		var err error
		g.computed, _, err = pgbench.Parse(d.Expression)
		return g, err
	case d.Column != "":
		return g.choice(f.columns[d.Column], nil)
	case d.List != nil:
		return g.choice(d.List, d.Weights)
	case d.Letters != nil:
		g.text = randomText("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", d.Letters)
	case d.Digits != nil:
		g.text = randomText("0123456789", d.Digits)
	}
	if g.number != nil && isText(c) {
		number := g.number
		g.number, g.text = nil, func(r *rand.Rand, n int64, to []byte) []byte {
			if n = number(r, n); d.Hashed {
				n = hashed(n)
			}
			return strconv.AppendInt(append(to, d.Prefix...), n, 10)
		}
	}
	return g, nil
}

func (d drawing) exponent() float64 {
	if d.Exponent != nil {
		return *d.Exponent
	}
	return defaultExponent
}

// compute computes the expression, as a number of the column. The result may be NULL.
func (g *generator) compute(s *pgbench.State) (n int64, null bool, err error) {
	v, err := g.computed(s)
	if err != nil || v.Null() {
		return 0, true, err
	}
	f, err := v.Float()
	if err != nil {
		return 0, true, err
	}
	if n = int64(math.RoundToEven(f * math.Pow10(g.column.Scale))); math.Abs(f) >= 1<<53 {
		n, err = v.Whole() // a double has no more digits
	}
	return n, false, err
}

// known returns a value as a variable of expressions.
func (g *generator) known(v *value) pgbench.Value {
	switch {
	case v.null:
		return pgbench.Value{}
	case g.column.Scale > 0:
		return pgbench.Double(float64(v.number) / math.Pow10(g.column.Scale))
	}
	return pgbench.Int(v.number)
}

// constant makes the generator return always the same value.
func (g generator) constant(value any, options values) (generator, error) {
	if text, is := value.(string); is && isText(g.column) {
		if len([]rune(text)) > g.column.Size {
			return g, fmt.Errorf("%q is longer than %d characters", text, g.column.Size)
		}
		g.text = func(_ *rand.Rand, _ int64, to []byte) []byte { return append(to, text...) }
		return g, nil
	}
	var a amount
	if err := a.UnmarshalTOML(value); err != nil || isText(g.column) {
		return g, fmt.Errorf("%v is not a value of the type", value)
	}
	n, err := a.in(g.column, options)
	g.number = func(*rand.Rand, int64) int64 { return n }
	return g, err
}

// choice makes the generator choose from a list.
func (g generator) choice(list []string, weights []float64) (generator, error) {
	pick := func(r *rand.Rand) int { return r.IntN(len(list)) }
	if weights != nil {
		sums, sum := make([]float64, len(weights)), 0.0
		for i, w := range weights {
			sum += w
			sums[i] = sum
		}
		pick = func(r *rand.Rand) int {
			x := r.Float64() * sum
			at, _ := slices.BinarySearchFunc(sums, x, func(s, x float64) int {
				if s <= x {
					return -1
				}
				return 1
			})
			return min(at, len(list)-1)
		}
	}
	if isText(g.column) {
		g.text = func(r *rand.Rand, _ int64, to []byte) []byte { return append(to, list[pick(r)]...) }
		return g, nil
	}
	numbers := make([]int64, len(list))
	for i, text := range list {
		var err error
		if numbers[i], err = readNumber(text, g.column); err != nil {
			return g, err
		}
	}
	g.number = func(r *rand.Rand, _ int64) int64 { return numbers[pick(r)] }
	return g, nil
}

// readNumber parses a value of a column that is not a text, as generator.number returns it.
func readNumber(text string, c schema.Column) (int64, error) {
	switch c.Type {
	case schema.Date, schema.Timestamp:
		for _, layout := range []string{time.DateOnly, "2006-01-02 15:04:05.999999", time.RFC3339Nano} {
			if t, err := time.Parse(layout, text); err == nil && c.Type == schema.Date {
				return t.Unix() / secondsADay, nil
			} else if err == nil {
				return t.UnixMicro(), nil
			}
		}
		return 0, fmt.Errorf("%q is not a date", text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return amount{plus: f}.in(c, nil)
}

// randomText returns a function that appends a text of random characters.
func randomText(characters string, lengths []int) func(*rand.Rand, int64, []byte) []byte {
	least, most := lengths[0], lengths[1]
	return func(r *rand.Rand, _ int64, to []byte) []byte {
		for range least + r.IntN(most-least+1) {
			to = append(to, characters[r.IntN(len(characters))])
		}
		return to
	}
}

// scrambledItems is the number of items of YCSB's scrambled distribution, for tables of any size.
const scrambledItems = 10_000_000_000

// scramble spreads numbers over all 64-bit numbers, by the hash that YCSB uses: FNV-1a of the eight
// bytes, the lowest first.
func scramble(n int64) uint64 {
	const offset, prime = 0xCBF29CE484222325, 0x100000001B3
	hash := uint64(offset)
	for range 8 {
		hash = (hash ^ uint64(n&0xFF)) * prime
		n >>= 8
	}
	return hash
}

// hashed returns the number in YCSB's key of a record.
func hashed(n int64) int64 {
	h := int64(scramble(n))
	return max(h, -h)
}

// appendNumber appends a number of a column as load text has it.
func appendNumber(to []byte, c schema.Column, n int64) []byte {
	switch {
	case c.Type == schema.Date:
		return time.Unix(n*secondsADay, 0).UTC().AppendFormat(to, time.DateOnly)
	case c.Type == schema.Timestamp:
		return time.UnixMicro(n).UTC().AppendFormat(to, time.DateTime)
	case c.Scale == 0:
		return strconv.AppendInt(to, n, 10)
	}
	if n < 0 {
		to, n = append(to, '-'), -n
	}
	unit := int64(1)
	for range c.Scale {
		unit *= 10
	}
	to = append(strconv.AppendInt(to, n/unit, 10), '.')
	for rest := n % unit; unit > 1; rest %= unit {
		unit /= 10
		to = append(to, byte('0'+rest/unit))
	}
	return to
}
