package pgbench

import (
	"fmt"
	"math"
	"strconv"
)

// kind is the type of a value.
type kind uint8

const (
	null kind = iota
	boolean
	integer
	double
	text // of a variable whose value was given as text, such as a result of \gset
)

// Value is a value of a variable or an expression: NULL, a boolean, a whole number, a number, or a text.
type Value struct {
	kind kind
	n    int64 // of an integer; 1 for true
	f    float64
	s    string
}

// Int returns a whole number as a value.
func Int(n int64) Value { return ofInt(n) }

// Double returns a number as a value.
func Double(f float64) Value { return ofDouble(f) }

// Text returns a text as a value. In an expression it is what the text stands for: a number, true, false or NULL.
func Text(s string) Value { return Value{kind: text, s: s} }

// Null reports whether the value is NULL.
func (v Value) Null() bool { return v.kind == null }

// Float returns a number, or 1 for true and 0 for false.
func (v Value) Float() (float64, error) {
	if v.kind == boolean {
		return float64(v.n), nil
	}
	return v.asDouble()
}

// Whole returns a whole number; a double is rounded, halves to the even neighbour.
func (v Value) Whole() (int64, error) { return v.asInt() }

func ofInt(n int64) Value      { return Value{kind: integer, n: n} }
func ofDouble(f float64) Value { return Value{kind: double, f: f} }
func ofBool(b bool) Value {
	if b {
		return Value{kind: boolean, n: 1}
	}
	return Value{kind: boolean}
}

// valueOf returns the value that a text stands for when it is used in an expression.
func valueOf(s string) Value {
	switch s {
	case "null", "NULL":
		return Value{}
	case "true", "t", "yes", "on":
		return ofBool(true)
	case "false", "f", "no", "off":
		return ofBool(false)
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return ofInt(n)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return ofDouble(f)
	}
	return Value{kind: text, s: s}
}

// String returns the value as pgbench inserts it into a statement.
func (v Value) String() string { return string(v.append(nil)) }

// append appends the value as pgbench inserts it into a statement: doubles with 15 digits, as %.15g of C does.
func (v Value) append(to []byte) []byte {
	switch v.kind {
	case boolean:
		return strconv.AppendBool(to, v.n != 0)
	case integer:
		return strconv.AppendInt(to, v.n, 10)
	case double:
		return appendDouble(to, v.f)
	case text:
		return append(to, v.s...)
	}
	return append(to, "NULL"...)
}

// appendDouble appends a number in the form of C's %.15g.
func appendDouble(to []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(to, "nan"...)
	case math.IsInf(f, 1):
		return append(to, "inf"...)
	case math.IsInf(f, -1):
		return append(to, "-inf"...)
	}
	return fmt.Appendf(to, "%.15g", f)
}

// typeName is the name of the type in messages, as debug() prints it.
func (v Value) typeName() string {
	return [...]string{null: "null", boolean: "boolean", integer: "int", double: "double", text: "text"}[v.kind]
}

// asInt converts a value to a whole number: a double is rounded, halves to the even neighbour.
func (v Value) asInt() (int64, error) {
	switch v.kind {
	case integer:
		return v.n, nil
	case double:
		f := math.RoundToEven(v.f)
		if !(f >= -1<<63 && f < 1<<63) {
			return 0, fmt.Errorf("double to int overflow for %v", v)
		}
		return int64(f), nil
	}
	return 0, fmt.Errorf("cannot coerce %s to int", v.typeName())
}

func (v Value) asDouble() (float64, error) {
	switch v.kind {
	case integer:
		return float64(v.n), nil
	case double:
		return v.f, nil
	}
	return 0, fmt.Errorf("cannot coerce %s to double", v.typeName())
}

// asBool converts a value to a condition. strict refuses numbers, as NOT, AND and OR do.
func (v Value) asBool() (bool, error) {
	if v.kind == boolean {
		return v.n != 0, nil
	}
	return false, fmt.Errorf("cannot coerce %s to boolean", v.typeName())
}

// isTrue reports whether \if takes the value as true: a number that is not 0, or true.
func (v Value) isTrue() bool {
	return (v.kind == boolean || v.kind == integer) && v.n != 0 || v.kind == double && v.f != 0
}
