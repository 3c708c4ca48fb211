package pgbench

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// state is what expressions read and change: the variables and the random numbers of a client.
type State struct {
	Variables map[string]Value
	Debug     func(v Value) // receives what the function debug prints. Optional

	random random
	stack  []Value // arguments of the calls in progress, so that calls allocate nothing
}

// NewState returns a State without variables, whose random numbers have a seed.
func NewState(seed uint64) *State {
	return &State{Variables: map[string]Value{}, random: newRandom(seed)}
}

// Expression is an expression that was parsed. It may be used by several States.
type Expression func(s *State) (Value, error)

// parser parses an expression by precedence, the weakest operator first:
//
//	OR, AND, NOT, IS, comparisons, | # & << >>, + -, * / %, unary - and ~
type parser struct {
	text  string
	at    int
	token string // the current one; "" at the end
	start int    // where it begins
	depth int
	count int // of tokens

	variables []string
}

// mostTokens limits the length of an expression, whose parts are computed by nested calls.
const mostTokens = 10_000

// deepest is the depth to which expressions may be nested, so that a script cannot exhaust the stack.
const deepest = 500

// errExpression is an error in an expression, with the place.
type errExpression struct {
	column int // from 1
	text   string
}

func (e *errExpression) Error() string { return fmt.Sprintf("%s at column %d", e.text, e.column) }

// Parse parses an expression, and lists the variables that it reads. Its error has the column.
func Parse(text string) (e Expression, variables []string, err error) {
	p := &parser{text: text}
	defer func() {
		if r := recover(); r != nil {
			wrong, is := r.(*errExpression)
			if !is {
				panic(r)
			}
			e, variables, err = nil, nil, wrong
		}
	}()
	p.advance()
	e = p.or()
	if p.token != "" {
		p.fail("syntax error, unexpected %q", p.token)
	}
	return e, p.variables, nil
}

func (p *parser) fail(format string, args ...any) {
	panic(&errExpression{p.start + 1, fmt.Sprintf(format, args...)})
}

// twoLetters are the operators of two characters.
var twoLetters = []string{"<<", ">>", "<=", ">=", "<>", "!="}

// advance goes to the next token: a number, a name, a variable with its colon, or an operator.
func (p *parser) advance() {
	for p.at < len(p.text) && strings.ContainsRune(" \t\r\n\\", rune(p.text[p.at])) {
		if p.text[p.at] == '\\' && !strings.HasPrefix(p.text[p.at:], "\\\n") && !strings.HasPrefix(p.text[p.at:], "\\\r\n") {
			break
		}
		p.at++
	}
	p.start = p.at
	if p.count++; p.count > mostTokens {
		p.fail("the expression has more than %d parts", mostTokens)
	}
	if p.at == len(p.text) {
		p.token = ""
		return
	}
	rest := p.text[p.at:]
	n := 1
	switch c := rest[0]; {
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		n = numberLength(rest)
	case c == ':' && len(rest) > 1 && ofName(rest[1:]):
		n = 1 + nameLength(rest[1:])
	case ofName(rest):
		n = nameLength(rest)
	default:
		for _, two := range twoLetters {
			if strings.HasPrefix(rest, two) {
				n = 2
			}
		}
		if n == 1 && !strings.ContainsRune("+-*/%()<>=,|#&~", rune(c)) {
			p.fail("unexpected character %q", firstRune(rest))
		}
	}
	p.token, p.at = rest[:n], p.at+n
}

func firstRune(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return text[:n]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// ofName reports whether a name begins with the text: a letter, a digit within names, or an underscore. Bytes beyond ASCII are
// letters.
func ofName(text string) bool {
	c := text[0]
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// nameLength returns the length of the name at the beginning of a text.
func nameLength(text string) (n int) {
	for n < len(text) && (ofName(text[n:]) || isDigit(text[n])) {
		n++
	}
	return n
}

// numberLength returns the length of the number at the beginning of a text.
func numberLength(text string) (n int) {
	digits := func() {
		for n < len(text) && isDigit(text[n]) {
			n++
		}
	}
	digits()
	if n < len(text) && text[n] == '.' {
		n++
		digits()
	}
	if m := n; m < len(text) && text[m]|0x20 == 'e' {
		if m++; m < len(text) && (text[m] == '+' || text[m] == '-') {
			m++
		}
		if m < len(text) && isDigit(text[m]) {
			n = m
			digits()
		}
	}
	return n
}

// is reports whether the current token is a word or an operator, in any case.
func (p *parser) is(word string) bool { return strings.EqualFold(p.token, word) }

// take goes on if the current token is a word or an operator.
func (p *parser) take(word string) bool {
	if !p.is(word) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) want(word string) {
	if !p.take(word) {
		if p.token == "" {
			p.fail("syntax error, unexpected end of the expression, expecting %q", word)
		}
		p.fail("syntax error, unexpected %q, expecting %q", p.token, word)
	}
}

func (p *parser) deeper() func() {
	if p.depth++; p.depth > deepest {
		p.fail("the expression is nested too deeply")
	}
	return func() { p.depth-- }
}

func (p *parser) or() Expression {
	defer p.deeper()()
	left := p.and()
	for p.take("or") {
		left = lazy(left, p.and(), true)
	}
	return left
}

func (p *parser) and() Expression {
	left := p.not()
	for p.take("and") {
		left = lazy(left, p.not(), false)
	}
	return left
}

// lazy is AND, or OR: the second operand is not computed if the first decides. NULL decides nothing.
func lazy(left, right Expression, decisive bool) Expression {
	return func(s *State) (Value, error) {
		unknown := false
		for _, e := range []Expression{left, right} {
			v, err := e(s)
			if err != nil {
				return v, err
			}
			if v.kind == null {
				unknown = true
				continue
			}
			b, err := v.asBool()
			if err != nil || b == decisive {
				return ofBool(b), err
			}
		}
		if unknown {
			return Value{}, nil
		}
		return ofBool(!decisive), nil
	}
}

func (p *parser) not() Expression {
	if !p.take("not") {
		return p.isTest()
	}
	defer p.deeper()()
	of := p.not()
	return func(s *State) (Value, error) {
		v, err := of(s)
		if err != nil || v.kind == null {
			return Value{}, err
		}
		b, err := v.asBool()
		return ofBool(!b), err
	}
}

// isTest parses IS [NOT] NULL, TRUE or FALSE, ISNULL and NOTNULL.
func (p *parser) isTest() Expression {
	of := p.comparison()
	test := func(holds func(Value) bool) Expression {
		return func(s *State) (Value, error) {
			v, err := of(s)
			return ofBool(holds(v)), err
		}
	}
	switch {
	case p.take("isnull"):
		return test(func(v Value) bool { return v.kind == null })
	case p.take("notnull"):
		return test(func(v Value) bool { return v.kind != null })
	case p.take("is"):
		not := p.take("not")
		for _, one := range []struct {
			word string
			is   Value
		}{{"null", Value{}}, {"true", ofBool(true)}, {"false", ofBool(false)}} {
			if p.take(one.word) {
				return test(func(v Value) bool {
					return (v.kind == one.is.kind && v.n == one.is.n || v.kind == null && one.is.kind == null) != not
				})
			}
		}
		p.fail("syntax error, unexpected %q, expecting NULL, TRUE or FALSE", p.token)
	}
	return of
}

// comparison parses at most one comparison: they do not chain.
func (p *parser) comparison() Expression {
	left := p.bitwise()
	for _, sign := range []string{"<=", ">=", "<>", "!=", "<", ">", "="} {
		if !p.take(sign) {
			continue
		}
		right := p.bitwise()
		for _, again := range []string{"<=", ">=", "<>", "!=", "<", ">", "="} {
			if p.is(again) {
				p.fail("syntax error, unexpected %q", p.token)
			}
		}
		return binary(left, right, func(a, b Value) (Value, error) { return compare(sign, a, b) })
	}
	return left
}

func compare(sign string, a, b Value) (Value, error) {
	var order int
	if a.kind == double || b.kind == double {
		x, y, err := doubles(a, b)
		if err != nil {
			return Value{}, err
		}
		switch {
		case x < y:
			order = -1
		case x > y:
			order = 1
		case x != y: // not a number
			return ofBool(sign == "<>" || sign == "!="), nil
		}
	} else {
		x, y, err := ints(a, b)
		if err != nil {
			return Value{}, err
		}
		switch {
		case x < y:
			order = -1
		case x > y:
			order = 1
		}
	}
	switch sign {
	case "<":
		return ofBool(order < 0), nil
	case "<=":
		return ofBool(order <= 0), nil
	case ">":
		return ofBool(order > 0), nil
	case ">=":
		return ofBool(order >= 0), nil
	case "=":
		return ofBool(order == 0), nil
	}
	return ofBool(order != 0), nil
}

// binary computes both operands. The result is NULL if one of them is.
func binary(left, right Expression, of func(a, b Value) (Value, error)) Expression {
	return func(s *State) (Value, error) {
		a, err := left(s)
		if err != nil {
			return a, err
		}
		b, err := right(s)
		if err != nil || a.kind == null || b.kind == null {
			return Value{}, err
		}
		return of(a, b)
	}
}

func ints(a, b Value) (x, y int64, err error) {
	if x, err = a.asInt(); err == nil {
		y, err = b.asInt()
	}
	return x, y, err
}

func doubles(a, b Value) (x, y float64, err error) {
	if x, err = a.asDouble(); err == nil {
		y, err = b.asDouble()
	}
	return x, y, err
}

func (p *parser) bitwise() Expression {
	left := p.sum()
	for {
		sign := p.token
		switch sign {
		case "|", "#", "&", "<<", ">>":
			p.advance()
			left = binary(left, p.sum(), func(a, b Value) (Value, error) {
				x, y, err := ints(a, b)
				if err != nil {
					return Value{}, err
				}
				switch sign {
				case "|":
					return ofInt(x | y), nil
				case "#":
					return ofInt(x ^ y), nil
				case "&":
					return ofInt(x & y), nil
				case "<<":
					return ofInt(x << (uint64(y) & 63)), nil
				}
				return ofInt(x >> (uint64(y) & 63)), nil
			})
		default:
			return left
		}
	}
}

func (p *parser) sum() Expression {
	left := p.product()
	for p.is("+") || p.is("-") {
		sign := p.token
		p.advance()
		left = binary(left, p.product(), func(a, b Value) (Value, error) { return calculate(sign, a, b) })
	}
	return left
}

func (p *parser) product() Expression {
	left := p.unary()
	for p.is("*") || p.is("/") || p.is("%") {
		sign := p.token
		p.advance()
		left = binary(left, p.unary(), func(a, b Value) (Value, error) { return calculate(sign, a, b) })
	}
	return left
}

// calculate is + - * / %. It works with doubles if one operand is a double, except %.
func calculate(sign string, a, b Value) (Value, error) {
	if (a.kind == double || b.kind == double) && sign != "%" {
		x, y, err := doubles(a, b)
		switch sign {
		case "+":
			return ofDouble(x + y), err
		case "-":
			return ofDouble(x - y), err
		case "*":
			return ofDouble(x * y), err
		}
		return ofDouble(x / y), err
	}
	x, y, err := ints(a, b)
	if err != nil {
		return Value{}, err
	}
	switch sign {
	case "+":
		if sum := x + y; (sum > x) == (y > 0) {
			return ofInt(sum), nil
		}
		return Value{}, fmt.Errorf("bigint add out of range")
	case "-":
		if difference := x - y; (difference < x) == (y > 0) {
			return ofInt(difference), nil
		}
		return Value{}, fmt.Errorf("bigint sub out of range")
	case "*":
		product := x * y
		if x != 0 && (product/x != y || x == -1 && y == math.MinInt64) {
			return Value{}, fmt.Errorf("bigint mul out of range")
		}
		return ofInt(product), nil
	}
	switch {
	case y == 0:
		return Value{}, fmt.Errorf("division by zero")
	case y == -1 && sign == "%":
		return ofInt(0), nil
	case y == -1 && x == math.MinInt64:
		return Value{}, fmt.Errorf("bigint div out of range")
	case sign == "/":
		return ofInt(x / y), nil
	}
	return ofInt(x % y), nil
}

func (p *parser) unary() Expression {
	switch {
	case p.is("-"):
		defer p.deeper()()
		p.advance()
		if p.token == "9223372036854775808" { // the least number has no positive counterpart
			p.advance()
			return constant(ofInt(math.MinInt64))
		}
		of := p.unary()
		return func(s *State) (Value, error) {
			v, err := of(s)
			if err != nil || v.kind == null {
				return v, err
			}
			return calculate("-", ofInt(0), v)
		}
	case p.is("+"):
		defer p.deeper()()
		p.advance()
		return p.unary()
	case p.is("~"):
		defer p.deeper()()
		p.advance()
		of := p.unary()
		return func(s *State) (Value, error) {
			v, err := of(s)
			if err != nil || v.kind == null {
				return v, err
			}
			n, err := v.asInt()
			return ofInt(^n), err
		}
	}
	return p.primary()
}

func constant(v Value) Expression { return func(*State) (Value, error) { return v, nil } }

func (p *parser) primary() Expression {
	token := p.token
	switch {
	case token == "":
		p.fail("syntax error, unexpected end of the expression")
	case p.take("("):
		e := p.or()
		p.want(")")
		return e
	case isDigit(token[0]) || token[0] == '.':
		v := valueOf(token)
		if v.kind == double && !strings.ContainsAny(token, ".eE") {
			p.fail("bigint constant overflow")
		}
		if v.kind == text {
			p.fail("syntax error, unexpected %q", token)
		}
		p.advance()
		return constant(v)
	case token[0] == ':':
		name := token[1:]
		p.variables = append(p.variables, name)
		p.advance()
		return func(s *State) (Value, error) {
			v, is := s.Variables[name]
			if !is {
				return v, fmt.Errorf("undefined variable %q", name)
			}
			if v.kind == text {
				if v = valueOf(v.s); v.kind == text {
					return v, fmt.Errorf("malformed variable %q value: %q", name, v.s)
				}
			}
			return v, nil
		}
	case p.take("null"):
		return constant(Value{})
	case p.take("true"):
		return constant(ofBool(true))
	case p.take("false"):
		return constant(ofBool(false))
	case p.take("case"):
		return p.caseOf()
	case ofName(token):
		return p.call()
	}
	p.fail("syntax error, unexpected %q", token)
	return nil
}

// caseOf parses CASE WHEN condition THEN value ... [ELSE value] END.
func (p *parser) caseOf() Expression {
	type branch struct{ condition, result Expression }
	var branches []branch
	for p.take("when") {
		condition := p.or()
		p.want("then")
		branches = append(branches, branch{condition, p.or()})
	}
	if branches == nil {
		p.want("when")
	}
	otherwise := constant(Value{})
	if p.take("else") {
		otherwise = p.or()
	}
	p.want("end")
	return func(s *State) (Value, error) {
		for _, b := range branches {
			v, err := b.condition(s)
			if err != nil {
				return v, err
			}
			if v.isTrue() {
				return b.result(s)
			}
		}
		return otherwise(s)
	}
}

// call parses the call of a function.
func (p *parser) call() Expression {
	name := strings.ToLower(p.token)
	f, known := functions[name]
	if !known {
		p.fail("unexpected function name %q", p.token)
	}
	p.advance()
	p.want("(")
	var arguments []Expression
	for !p.is(")") {
		if len(arguments) > 0 {
			p.want(",")
		}
		arguments = append(arguments, p.or())
	}
	p.want(")")
	if len(arguments) < f.least || f.most > 0 && len(arguments) > f.most || f.most == 0 && f.least == 0 && len(arguments) > 0 {
		p.fail("unexpected number of arguments (%s)", name)
	}
	return func(s *State) (Value, error) {
		base := len(s.stack)
		defer func() { s.stack = s.stack[:base] }()
		for _, e := range arguments {
			v, err := e(s)
			if err != nil {
				return v, err
			}
			if v.kind == null && name != "debug" {
				return v, nil
			}
			s.stack = append(s.stack, v)
		}
		return f.of(s, s.stack[base:])
	}
}
