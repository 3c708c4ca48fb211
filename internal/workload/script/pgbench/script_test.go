package pgbench

import (
	"errors"
	"slices"
	"testing"
)

func TestParseScript_FindsMistakesWithTheirLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "line 1: it has no command",
		"-- nothing\n":                 "line 1: it has no command",
		"select 1;\n\\sett x 1\n":      `line 2: there is no command \sett: did you mean set?`,
		"\n\\set x 1 +\n":              `line 2: \set: syntax error, unexpected end of the expression at column 4`,
		"\\set 1x 1":                   `line 1: \set: invalid variable name "1x"`,
		"\\sleep 1.5 ms":               `line 1: \sleep: invalid duration "1.5"`,
		"\\sleep 1 min":                `line 1: \sleep: unrecognized time unit "min", must be us, ms or s`,
		"\\gset":                       `line 1: \gset: it must follow a statement`,
		"select 1 \\gset a b":          `line 1: \gset: unexpected argument "b"`,
		"select 1;\n\\if 1\nselect 2;": `line 2: \if without matching \endif`,
		"\\else":                       `line 1: \else: no matching \if`,
		"\\if 1\n\\else\n\\elif 2":     `line 3: \elif: not allowed after \else`,
		"\\startpipeline\nselect 1;":   `line 2: \startpipeline without matching \endpipeline`,
		"\\endpipeline":                `line 1: \endpipeline: not in a pipeline`,
		"\\startpipeline\nselect 1 \\gset\n\\endpipeline": `line 2: \gset: not allowed in a pipeline`,
		"\\shell": `line 1: \shell: missing command`,
	} {
		_, err := ParseScript(text)
		if mistake, is := errors.AsType[*Mistake](err); !is || mistake.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// Statements end at semicolons that are neither quoted nor in parentheses, and at \gset; \; joins them.
func TestParseScript_DividesStatements(t *testing.T) {
	const text = `-- a comment; with a semicolon
select ';', $$ ; $$, ":x" from (values (1; 2)) v; select 1 \; select :y::int \gset p_
\set a 1 + \
  2
  update t set c = :a
where x = ':q' /* ; */;
select 5`
	s, err := ParseScript(text)
	if err != nil {
		t.Fatal(err)
	}
	type want struct {
		line      int
		variables []string
	}
	var got []want
	for _, c := range s.commands {
		w := want{line: c.line}
		for _, p := range c.pieces {
			if p.variable != "" {
				w.variables = append(w.variables, p.variable)
			}
		}
		got = append(got, w)
	}
	wanted := []want{{2, []string{"x"}}, {2, []string{"y"}}, {3, nil}, {5, []string{"a", "q"}}, {7, nil}}
	if !slices.EqualFunc(got, wanted, func(a, b want) bool { return a.line == b.line && slices.Equal(a.variables, b.variables) }) {
		t.Errorf("got %+v, want %+v", got, wanted)
	}
	if c := s.commands[1]; c.keep != keepOne || c.prefix != "p_" || c.pieces[0].text != "select 1 ; select " {
		t.Errorf(`\gset: got %+v`, c)
	}
}

// A client draws its scripts and its numbers as pgbench --random-seed=42 does with one client.
func TestClient_ChoosesByWeight(t *testing.T) {
	c := NewClient(42, 0, 1, map[string]string{"scale": "2"})
	count := [2]int{}
	for range 3000 {
		count[c.Choose([]float64{2, 1})]++
	}
	if count[0] < 1900 || count[0] > 2100 {
		t.Errorf("weights 2 and 1: chose %v", count)
	}
	if got := c.Choose([]float64{0, 0.5}); got != 1 {
		t.Errorf("weights 0 and 0.5: chose %d", got)
	}
}

// A repeated transaction has the variables and random numbers of its first try.
func TestClient_RepeatsWithTheSameNumbers(t *testing.T) {
	c := NewClient(1, 0, 1, nil)
	draw := func() int64 {
		c.begin()
		n := c.State.random.within(1, 1_000_000)
		c.Variables["n"] = Int(n)
		return n
	}
	c.Next()
	first := draw()
	if again := draw(); again != first {
		t.Errorf("repeated: got %d, want %d", again, first)
	}
	c.Next()
	if next := draw(); next == first {
		t.Errorf("next transaction: got %d again", next)
	}
}

func FuzzParseScript(f *testing.F) {
	for _, text := range []string{
		"\\set x random(1, 10)\nselect :x;", "select 1 \\; select 2 \\gset", "\\if :x\nselect 1;\n\\elif 2\n\\else\n\\endif", "\\sleep :x us",
		"begin;\n\\startpipeline\nselect $1;\n\\syncpipeline\n\\endpipeline\nend;", "select ':a' -- \\", "\\shell ls :x", "/* \\set", "\\set a \\\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		s, err := ParseScript(text)
		if err != nil {
			return
		}
		for i, c := range s.commands { // branches only lead forward, so a script ends
			if (c.verb == ifTrue || c.verb == otherwise) && c.next <= i {
				panic("a branch leads back")
			}
		}
	})
}
