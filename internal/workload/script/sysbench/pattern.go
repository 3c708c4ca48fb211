package sysbench

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// patternFunctions are the functions of string that take patterns. Those of the library fail on long texts, replace in
// quadratic time, and cannot be ended.
func (s *State) patternFunctions() functions {
	return functions{
		"find":   func(l *lua.LState) int { return s.find(l, true) },
		"match":  func(l *lua.LState) int { return s.find(l, false) },
		"gmatch": s.gmatch, "gfind": s.gmatch, "gsub": s.gsub,
	}
}

// matcher matches a text with a pattern (Lua 5.1 Reference Manual, 5.4.1), by backtracking.
type matcher struct {
	state    *State
	l        *lua.LState
	text     string
	pattern  string
	captures []capture
	steps    int
	depth    int
}

// capture is the part of the text that a pair of parentheses has matched.
type capture struct{ start, length int }

// The lengths of captures without a text.
const (
	unfinished = -1
	position   = -2 // ()
)

func (s *State) newMatcher(l *lua.LState) *matcher {
	return &matcher{state: s, l: l, text: l.CheckString(1), pattern: l.CheckString(2)}
}

// at matches the text from a position with the whole pattern. It returns the end of the match, or -1.
func (m *matcher) at(start, first int) int {
	m.captures, m.depth = m.captures[:0], 0
	return m.match(start, first)
}

// step ends the script if it matches although the run has ended.
func (m *matcher) step() {
	const often = 1 << 16
	if m.steps++; m.steps%often == 0 && m.state.mustEnd() {
		m.l.RaiseError("%v", errEndless)
	}
}

// match matches the text from s with the pattern from p.
func (m *matcher) match(s, p int) int {
	const deepest = 10_000
	if m.depth++; m.depth > deepest {
		m.l.RaiseError("pattern too complex")
	}
	defer func() { m.depth-- }()
	for {
		m.step()
		if p == len(m.pattern) {
			return s
		}
		switch c := m.pattern[p]; {
		case c == '(' && p+1 < len(m.pattern) && m.pattern[p+1] == ')':
			return m.open(s, p+2, position)
		case c == '(':
			return m.open(s, p+1, unfinished)
		case c == ')':
			return m.close(s, p+1)
		case c == '$' && p+1 == len(m.pattern):
			if s == len(m.text) {
				return s
			}
			return -1
		case c == '%' && p+1 < len(m.pattern) && m.pattern[p+1] == 'b':
			if s = m.balance(s, p+2); s < 0 {
				return -1
			}
			p += 4
			continue
		case c == '%' && p+1 < len(m.pattern) && m.pattern[p+1] == 'f':
			p += 2
			if p >= len(m.pattern) || m.pattern[p] != '[' {
				m.l.RaiseError("missing '[' after '%%f' in pattern")
			}
			end := m.classEnd(p)
			before, after := byte(0), byte(0)
			if s > 0 {
				before = m.text[s-1]
			}
			if s < len(m.text) {
				after = m.text[s]
			}
			if m.inSet(before, p, end-1) || !m.inSet(after, p, end-1) {
				return -1
			}
			p = end
			continue
		case c == '%' && p+1 < len(m.pattern) && isDigit(m.pattern[p+1]):
			same := m.captured(m.pattern[p+1])
			if !strings.HasPrefix(m.text[s:], same) {
				return -1
			}
			s, p = s+len(same), p+2
			continue
		}
		end := m.classEnd(p)
		after := byte(0)
		if end < len(m.pattern) {
			after = m.pattern[end]
		}
		switch fits := m.fits(s, p, end); {
		case after == '?':
			if fits {
				if found := m.match(s+1, end+1); found >= 0 {
					return found
				}
			}
			p = end + 1
		case after == '*':
			return m.most(s, p, end)
		case after == '+' && fits:
			return m.most(s+1, p, end)
		case after == '-':
			for {
				if found := m.match(s, end+1); found >= 0 {
					return found
				}
				if !m.fits(s, p, end) {
					return -1
				}
				s++
				m.step()
			}
		case !fits:
			return -1
		default:
			s, p = s+1, end
		}
	}
}

// most matches as many characters of a class as possible, and the rest of the pattern.
func (m *matcher) most(s, p, end int) int {
	n := 0
	for m.fits(s+n, p, end) {
		n++
		m.step()
	}
	for ; n >= 0; n-- {
		if found := m.match(s+n, end+1); found >= 0 {
			return found
		}
	}
	return -1
}

// open begins a capture.
func (m *matcher) open(s, p, length int) int {
	const most = 32
	if len(m.captures) == most {
		m.l.RaiseError("too many captures")
	}
	n := len(m.captures)
	m.captures = append(m.captures, capture{s, length})
	found := m.match(s, p)
	if found < 0 {
		m.captures = m.captures[:n]
	}
	return found
}

// close ends the last capture that has begun.
func (m *matcher) close(s, p int) int {
	n := len(m.captures) - 1
	for n >= 0 && m.captures[n].length != unfinished {
		n--
	}
	if n < 0 {
		m.l.RaiseError("invalid pattern capture")
	}
	m.captures[n].length = s - m.captures[n].start
	found := m.match(s, p)
	if found < 0 {
		m.captures[n].length = unfinished
	}
	return found
}

// captured returns the text that %1 to %9 stand for.
func (m *matcher) captured(digit byte) string {
	n := int(digit) - '1'
	if n < 0 || n >= len(m.captures) || m.captures[n].length < 0 {
		m.l.RaiseError("invalid capture index")
	}
	c := m.captures[n]
	return m.text[c.start : c.start+c.length]
}

// balance matches %bxy.
func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pattern) {
		m.l.RaiseError("unbalanced pattern")
	}
	if s >= len(m.text) || m.text[s] != m.pattern[p] {
		return -1
	}
	depth := 1
	for s++; s < len(m.text); s++ {
		switch m.text[s] {
		case m.pattern[p+1]:
			if depth--; depth == 0 {
				return s + 1
			}
		case m.pattern[p]:
			depth++
		}
	}
	return -1
}

// classEnd returns the end of the class of characters at p.
func (m *matcher) classEnd(p int) int {
	c := m.pattern[p]
	p++
	switch c {
	case '%':
		if p == len(m.pattern) {
			m.l.RaiseError("malformed pattern (ends with '%%')")
		}
		return p + 1
	case '[':
		if p < len(m.pattern) && m.pattern[p] == '^' {
			p++
		}
		for first := true; first || p < len(m.pattern) && m.pattern[p] != ']'; first = false {
			if p < len(m.pattern) && m.pattern[p] == '%' {
				p++
			}
			p++
		}
		if p >= len(m.pattern) {
			m.l.RaiseError("malformed pattern (missing ']')")
		}
		return p + 1
	}
	return p
}

// fits reports whether the character at s is of the class from p to end.
func (m *matcher) fits(s, p, end int) bool {
	if s >= len(m.text) {
		return false
	}
	switch c := m.text[s]; m.pattern[p] {
	case '.':
		return true
	case '%':
		return ofClass(c, m.pattern[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	default:
		return c == m.pattern[p]
	}
}

// inSet reports whether a character is in the set from p, its bracket, to last, its other bracket.
func (m *matcher) inSet(c byte, p, last int) bool {
	is := true
	if m.pattern[p+1] == '^' {
		is = false
		p++
	}
	for p++; p < last; p++ {
		switch {
		case m.pattern[p] == '%':
			p++
			if ofClass(c, m.pattern[p]) {
				return is
			}
		case m.pattern[p+1] == '-' && p+2 < last:
			if m.pattern[p] <= c && c <= m.pattern[p+2] {
				return is
			}
			p += 2
		case m.pattern[p] == c:
			return is
		}
	}
	return !is
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// ofClass reports whether a character is of a class such as %a.
func ofClass(c, class byte) (is bool) {
	if class|0x20 < 'a' || class|0x20 > 'z' {
		return class == c
	}
	lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
	switch class | 0x20 {
	case 'a':
		is = lower || upper
	case 'c':
		is = c < ' ' || c == 0x7f
	case 'd':
		is = isDigit(c)
	case 'l':
		is = lower
	case 'p':
		is = '!' <= c && c <= '~' && !lower && !upper && !isDigit(c)
	case 's':
		is = c == ' ' || '\t' <= c && c <= '\r'
	case 'u':
		is = upper
	case 'w':
		is = lower || upper || isDigit(c)
	case 'x':
		is = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		is = c == 0
	default:
		return class == c
	}
	if class&0x20 == 0 {
		return !is
	}
	return is
}

// value returns a capture of a match; a pattern without captures has the whole match as its first.
func (m *matcher) value(n, start, end int) lua.LValue {
	if n >= len(m.captures) {
		if n > 0 {
			m.l.RaiseError("invalid capture index")
		}
		return lua.LString(m.text[start:end])
	}
	switch c := m.captures[n]; c.length {
	case unfinished:
		m.l.RaiseError("unfinished capture")
		return lua.LNil
	case position:
		return lua.LNumber(c.start + 1)
	default:
		return lua.LString(m.text[c.start : c.start+c.length])
	}
}

// push pushes the captures of a match, or the whole match of a pattern without captures.
func (m *matcher) push(start, end int) int {
	n := max(1, len(m.captures))
	for i := range n {
		m.l.Push(m.value(i, start, end))
	}
	return n
}

// find is string.find, which returns positions, and string.match.
func (s *State) find(l *lua.LState, positions bool) int {
	m := s.newMatcher(l)
	start := l.OptInt(3, 1)
	if start < 0 {
		start += len(m.text) + 1
	}
	start = min(max(start-1, 0), len(m.text))
	if positions && (lua.LVAsBool(l.Get(4)) || !strings.ContainsAny(m.pattern, "^$*+?.([%-")) {
		at := strings.Index(m.text[start:], m.pattern)
		if at < 0 {
			l.Push(lua.LNil)
			return 1
		}
		l.Push(lua.LNumber(start + at + 1))
		l.Push(lua.LNumber(start + at + len(m.pattern)))
		return 2
	}
	first := 0
	if strings.HasPrefix(m.pattern, "^") {
		first = 1
	}
	for ; start <= len(m.text); start++ {
		if end := m.at(start, first); end >= 0 {
			if !positions {
				return m.push(start, end)
			}
			l.Push(lua.LNumber(start + 1))
			l.Push(lua.LNumber(end))
			if len(m.captures) == 0 {
				return 2
			}
			return 2 + m.push(start, end)
		}
		if first > 0 {
			break
		}
	}
	l.Push(lua.LNil)
	return 1
}

// gmatch is string.gmatch.
func (s *State) gmatch(l *lua.LState) int {
	m, start := s.newMatcher(l), 0
	l.Push(l.NewFunction(func(l *lua.LState) int {
		for m.l = l; start <= len(m.text); start++ {
			if end := m.at(start, 0); end >= 0 {
				n := m.push(start, end)
				if start == end {
					end++ // past an empty match
				}
				start = end
				return n
			}
		}
		return 0
	}))
	return 1
}

// gsub is string.gsub.
func (s *State) gsub(l *lua.LState) int {
	m := s.newMatcher(l)
	with, most := l.Get(3), l.OptInt(4, len(m.text)+1)
	switch with.(type) {
	case lua.LString, lua.LNumber, *lua.LTable, *lua.LFunction:
	default:
		l.ArgError(3, "string/function/table expected")
	}
	first := 0
	if strings.HasPrefix(m.pattern, "^") {
		first = 1
	}
	var b strings.Builder
	start, n := 0, 0
	for n < most {
		end := m.at(start, first)
		if end >= 0 {
			n++
			m.replace(&b, with, start, end)
		}
		switch {
		case end > start:
			start = end
		case start < len(m.text):
			b.WriteByte(m.text[start])
			start++
		default:
			most = 0
		}
		if first > 0 {
			break
		}
	}
	b.WriteString(m.text[start:])
	l.Push(lua.LString(b.String()))
	l.Push(lua.LNumber(n))
	return 2
}

// replace writes what replaces a match.
func (m *matcher) replace(b *strings.Builder, with lua.LValue, start, end int) {
	l := m.l
	var v lua.LValue
	switch with := with.(type) {
	case *lua.LTable:
		v = l.GetTable(with, m.value(0, start, end))
	case *lua.LFunction:
		l.Push(with)
		l.Call(m.push(start, end), 1)
		v = l.Get(-1)
		l.Pop(1)
	default:
		text := with.String()
		for i := 0; i < len(text); i++ {
			switch {
			case text[i] != '%' || i+1 == len(text):
				b.WriteByte(text[i])
				continue
			case !isDigit(text[i+1]):
				b.WriteByte(text[i+1])
			case text[i+1] == '0':
				b.WriteString(m.text[start:end])
			default:
				b.WriteString(m.value(int(text[i+1]-'1'), start, end).String())
			}
			i++
		}
		checkLength(l, "string.gsub", b.Len())
		return
	}
	if !lua.LVAsBool(v) {
		v = lua.LString(m.text[start:end])
	}
	if !lua.LVCanConvToString(v) {
		l.RaiseError("invalid replacement value (a %s)", v.Type())
	}
	b.WriteString(v.String())
	checkLength(l, "string.gsub", b.Len())
}
