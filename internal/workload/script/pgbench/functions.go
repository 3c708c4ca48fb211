package pgbench

import (
	"fmt"
	"math"
)

// function is a function of expressions.
type function struct {
	least, most int // number of arguments; most is 0 for any number
	of          func(s *State, arguments []Value) (Value, error)
}

// functions are all functions of pgbench, by name.
var functions = map[string]function{
	"abs": {1, 1, func(_ *State, a []Value) (Value, error) {
		if a[0].kind == double {
			return ofDouble(math.Abs(a[0].f)), nil
		}
		n, err := a[0].asInt()
		return ofInt(max(n, -n)), err
	}},
	"debug": {1, 1, func(s *State, a []Value) (Value, error) {
		if s.Debug != nil {
			s.Debug(a[0])
		}
		return a[0], nil
	}},
	"double":   {1, 1, ofOne(func(f float64) float64 { return f })},
	"exp":      {1, 1, ofOne(math.Exp)},
	"ln":       {1, 1, ofOne(math.Log)},
	"sqrt":     {1, 1, ofOne(math.Sqrt)},
	"pow":      {2, 2, pow},
	"power":    {2, 2, pow},
	"greatest": {1, 0, extreme(func(a, b float64) bool { return b > a }, func(a, b int64) bool { return b > a })},
	"least":    {1, 0, extreme(func(a, b float64) bool { return b < a }, func(a, b int64) bool { return b < a })},
	"int": {1, 1, func(_ *State, a []Value) (Value, error) {
		n, err := a[0].asInt()
		return ofInt(n), err
	}},
	"mod": {2, 2, func(_ *State, a []Value) (Value, error) { return calculate("%", a[0], a[1]) }},
	"pi":  {0, 0, func(*State, []Value) (Value, error) { return ofDouble(math.Pi), nil }},

	"hash":         {1, 2, hashing(hashMurmur2)},
	"hash_murmur2": {1, 2, hashing(hashMurmur2)},
	"hash_fnv1a":   {1, 2, hashing(hashFNV1a)},
	"permute": {2, 3, func(s *State, a []Value) (Value, error) {
		v, size, err := ints(a[0], a[1])
		if err != nil {
			return Value{}, err
		}
		if size <= 0 {
			return Value{}, fmt.Errorf("permute size parameter must be greater than zero")
		}
		seed, err := seedOf(s, a[2:])
		if err != nil {
			return Value{}, err
		}
		return ofInt(permute(v, size, seed)), nil
	}},

	"random":          {2, 2, drawing(func(r *random, low, high int64, _ float64) int64 { return r.within(low, high) }, nil)},
	"random_gaussian": {3, 3, drawing((*random).gaussian, atLeast("gaussian", 2))},
	"random_exponential": {3, 3, drawing((*random).exponential, func(p float64) error {
		if p <= 0 {
			return fmt.Errorf("exponential parameter must be greater than zero (not %g)", p)
		}
		return nil
	})},
	"random_zipfian": {3, 3, drawing((*random).zipfian, func(p float64) error {
		if p < 1.001 || p > 1000 {
			return fmt.Errorf("zipfian parameter must be in range [1.001, 1000] (not %g)", p)
		}
		return nil
	})},
}

func ofOne(f func(float64) float64) func(*State, []Value) (Value, error) {
	return func(_ *State, a []Value) (Value, error) {
		x, err := a[0].asDouble()
		return ofDouble(f(x)), err
	}
}

func pow(_ *State, a []Value) (Value, error) {
	x, y, err := doubles(a[0], a[1])
	return ofDouble(math.Pow(x, y)), err
}

// extreme is greatest or least: a double if one argument is a double.
func extreme(doubleWins func(a, b float64) bool, intWins func(a, b int64) bool) func(*State, []Value) (Value, error) {
	return func(_ *State, a []Value) (Value, error) {
		isDouble := false
		for _, v := range a {
			isDouble = isDouble || v.kind == double
		}
		best := a[0]
		for i, v := range a {
			if isDouble {
				f, err := v.asDouble()
				if err != nil {
					return Value{}, err
				}
				if i == 0 || doubleWins(best.f, f) {
					best = ofDouble(f)
				}
				continue
			}
			n, err := v.asInt()
			if err != nil {
				return Value{}, err
			}
			if i == 0 || intWins(best.n, n) {
				best = ofInt(n)
			}
		}
		return best, nil
	}
}

// seedOf returns the seed of a hash: the argument, or the variable default_seed.
func seedOf(s *State, argument []Value) (uint64, error) {
	v := s.Variables["default_seed"]
	if len(argument) > 0 {
		v = argument[0]
	} else if v.kind == text {
		v = valueOf(v.s)
	}
	n, err := v.asInt()
	return uint64(n), err
}

func hashing(hash func(int64, uint64) int64) func(*State, []Value) (Value, error) {
	return func(s *State, a []Value) (Value, error) {
		n, err := a[0].asInt()
		if err != nil {
			return Value{}, err
		}
		seed, err := seedOf(s, a[1:])
		return ofInt(hash(n, seed)), err
	}
}

func atLeast(name string, least float64) func(float64) error {
	return func(p float64) error {
		if p < least {
			return fmt.Errorf("%s parameter must be at least %f (not %f)", name, least, p)
		}
		return nil
	}
}

// drawing is a function that draws between two bounds, with a parameter if check is not nil.
func drawing(draw func(r *random, low, high int64, parameter float64) int64, check func(float64) error) func(*State, []Value) (Value, error) {
	return func(s *State, a []Value) (Value, error) {
		low, high, err := ints(a[0], a[1])
		switch {
		case err != nil:
			return Value{}, err
		case low > high:
			return Value{}, fmt.Errorf("empty range given to random")
		case high-low < 0 || high-low+1 < 0:
			return Value{}, fmt.Errorf("random range is too large")
		}
		parameter := 0.0
		if check != nil {
			if parameter, err = a[2].asDouble(); err == nil {
				err = check(parameter)
			}
		}
		if err != nil {
			return Value{}, err
		}
		return ofInt(draw(&s.random, low, high, parameter)), nil
	}
}
