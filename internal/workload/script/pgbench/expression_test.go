package pgbench

import (
	"math"
	"strings"
	"testing"
)

func TestParse_ComputesAsPgbench(t *testing.T) {
	s := NewState(1)
	s.Variables["x"], s.Variables["nothing"], s.Variables["word"] = ofInt(7), Value{}, valueOf("a word")
	s.Variables["default_seed"] = ofInt(4306334408478191133)
	for text, want := range map[string]string{
		"7/2": "3", "-7/2": "-3", "-7%3": "-1", "7/2.0": "3.5", "1|2+4": "7", "1 # 3": "2", "~0": "-1", "1 << 4 >> 2": "4",
		"int(2.7)": "3", "int(2.5)": "2", "int(3.5)": "4", "double(3)": "3", "2 * 3 + 4 * 5": "26", "-(2 + 3)": "-5", "- - 2": "2",
		"greatest(1, 5, 3)": "5", "least(1, 5.0, 3)": "1", "greatest(1.5)": "1.5", "abs(-3)": "3", "abs(-3.5)": "3.5", "mod(7, 4)": "3",
		"pi()": "3.14159265358979", "sqrt(2)": "1.4142135623731", "power(2, 10)": "1024", "ln(exp(2))": "2", "1e3": "1000", "1.5e-7": "1.5e-07", ".5": "0.5",
		":x + 1": "8", ":x": "7", "true and null": "NULL", "false and null": "false", "true or null": "true", "null or false": "NULL", "not true": "false",
		"null is null": "true", "1 is not null": "true", "(1 = 1) is true": "true", "true is not false": "true", "null is true": "false", "1 isnull": "false", ":nothing notnull": "false",
		"1 < 2": "true", "2 <= 1": "false", "1 <> 1.0": "false", "1 != 2": "true", "null = 1": "NULL", "2 >= 2 and 3 > 4": "false",
		"case when :x > 5 then 1 else 2 end": "1", "case when false then 1 end": "NULL", "CASE WHEN 0 THEN 1 WHEN 2 THEN 3 END": "3",
		"hash(42)": "416645645586623766", "hash_murmur2(42)": "416645645586623766", "hash_fnv1a(42)": "-1362870239169141934", "hash(42, 1) = hash(42, 1)": "true",
		"permute(5, 10, 42)": "8", "permute(0, 1000000, 0)": "973157", "-9223372036854775808": "-9223372036854775808", "random(3, 3)": "3", "debug(:x)": "7", "null + 1": "NULL",
		"false and 1/0 = 1": "false", "1 +\\\n 2": "3", "9223372036854775807 % -1": "0", "1 / 0.0": "inf",
	} {
		e, _, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e(s); err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestParse_RefusesWhatPgbenchRefuses(t *testing.T) {
	s := NewState(1)
	s.Variables["word"] = valueOf("a word")
	for text, want := range map[string]string{
		"": "unexpected end", "1 +": "unexpected end", "2 < 3 = true": `unexpected "="`, "(1": `expecting ")"`, "1 2": `unexpected "2"`, "foo(1)": `unexpected function name "foo"`,
		"abs()": "number of arguments", "abs(1, 2)": "number of arguments", "pi(1)": "number of arguments", "greatest()": "number of arguments", "'text'": "unexpected character", "$1": "unexpected character",
		"99999999999999999999": "bigint constant overflow", "is null": "unexpected function name", "1 is 2": "expecting NULL, TRUE or FALSE", "case 1 end": `expecting "when"`, "case when 1 then 2": `expecting "end"`,
		"1/0": "division by zero", "9223372036854775807 + 1": "out of range", "-9223372036854775808 - 1": "out of range", "9223372036854775807 * 2": "out of range", "-9223372036854775808 / -1": "out of range",
		":unknown": `undefined variable "unknown"`, ":word + 1": "malformed variable", "not 1": "cannot coerce int to boolean", "1 and true": "cannot coerce int to boolean", "true + 1": "cannot coerce boolean to int",
		"random(5, 1)": "empty range", "random(1, 2, 3)": "number of arguments", "random_gaussian(1, 5, 1)": "at least 2", "random_exponential(1, 5, 0)": "greater than zero", "random_zipfian(1, 5, 1)": "in range",
		"random(-9223372036854775808, 9223372036854775807)": "too large", "permute(1, 0)": "greater than zero", "int(1e30)": "overflow", strings.Repeat("(", 1000): "nested too deeply", strings.Repeat("-", 1000) + "1": "nested too deeply",
	} {
		e, _, err := Parse(text)
		if err == nil {
			_, err = e(s)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %s", text, err, want)
		}
	}
}

// Random functions draw within their bounds, and computing allocates nothing.
func TestExpression_DrawsWithoutMemory(t *testing.T) {
	s := NewState(7)
	for _, text := range []string{"random(1, 10)", "random_gaussian(1, 10, 2.5)", "random_exponential(1, 10, 5.0)", "random_zipfian(1, 10, 1.2)", "1 + permute(random(0, 9), 10, 5)"} {
		e, _, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		least, most := int64(math.MaxInt64), int64(0)
		if n := testing.AllocsPerRun(5000, func() {
			v, err := e(s)
			if err != nil {
				t.Error(err)
			}
			least, most = min(least, v.n), max(most, v.n)
		}); n > 0 {
			t.Errorf("%s allocates %g times", text, n)
		}
		if least != 1 || most != 10 {
			t.Errorf("%s: got %d to %d, want 1 to 10", text, least, most)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"1 + :x", "case when random(1, 2) = 1 then null end", "-(~3 << 2)", "1 is not true", "hash(:x, 3) % 10", "1e", ":"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, _, err := Parse(text)
		if err != nil {
			return
		}
		s := NewState(1)
		s.Variables["x"] = ofInt(5)
		_, _ = e(s) // must not panic
	})
}
