package sysbench

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// format is string.format of Lua 5.1, which converts texts to numbers and back where the directive needs it; that of
// the library does not.
func format(l *lua.LState) int {
	text, n := l.CheckString(1), 1
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		start := i
		for i++; i < len(text) && strings.IndexByte("-+ #0123456789.", text[i]) >= 0; i++ {
		}
		if i == len(text) {
			l.RaiseError("invalid option '%s' to 'format'", text[start:])
		}
		flags := text[start:i]
		verb := text[i]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		if !directive.MatchString(flags) {
			l.RaiseError("invalid format (repeated flags, or width or precision too long)")
		}
		n++
		switch verb {
		case 'd', 'i', 'u':
			fmt.Fprintf(&b, flags+"d", int64(l.CheckNumber(n)))
		case 'c':
			b.WriteByte(byte(l.CheckInt(n)))
		case 'x', 'X', 'o':
			fmt.Fprintf(&b, flags+string(verb), uint64(int64(l.CheckNumber(n))))
		case 'e', 'E', 'f', 'g', 'G':
			f := float64(l.CheckNumber(n))
			if math.IsInf(f, 0) || math.IsNaN(f) {
				width, _, _ := strings.Cut(flags, ".")
				fmt.Fprintf(&b, strings.ReplaceAll(width, "0", "")+"s", strings.ToLower(strings.TrimPrefix(fmt.Sprint(f), "+")))
				continue
			}
			if verb|0x20 == 'g' && !strings.Contains(flags, ".") {
				flags += ".6"
			}
			fmt.Fprintf(&b, flags+string(verb), f)
		case 'q':
			fmt.Fprint(&b, quoted(l.CheckString(n)))
		case 's':
			if n > l.GetTop() {
				l.ArgError(n, "no value")
			}
			fmt.Fprintf(&b, strings.ReplaceAll(flags, "#", "")+"s", l.ToStringMeta(l.Get(n)).String())
		default:
			l.RaiseError("invalid option '%%%c' to 'format'", verb)
		}
	}
	l.Push(lua.LString(b.String()))
	return 1
}

// directive matches the part of a directive before its letter.
var directive = regexp.MustCompile(`^%[-+ #0]{0,5}\d{0,2}(\.\d{0,2})?$`)

// quoted writes a text as Lua reads it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", "\\\n", "\r", `\r`, "\x00", `\000`).Replace(text) + `"`
}
