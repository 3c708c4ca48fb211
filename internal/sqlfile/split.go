package sqlfile

import "strings"

// Part is a statement of a text with several.
type Part struct {
	Text string // with the comments before it, without the semicolon after it
	Line int    // the line of the first character that is neither a space nor in a comment, from 1
}

// Split divides a text at its semicolons, except those in quoted text, dollar quotes and comments.
// It leaves out parts that consist of comments.
func Split(text string) (parts []Part, err error) {
	from, first := 0, -1 // where the part and its code begin
	keep := func(until int) {
		if first >= 0 {
			parts = append(parts, Part{strings.TrimSpace(text[from:until]), 1 + strings.Count(text[:first], "\n")})
		}
		from, first = until+1, -1
	}
	for i := 0; i < len(text); {
		s, err := spanAt(text, i)
		if err != nil {
			return nil, err
		}
		switch c := text[i]; {
		case s.kind == code && c == ';':
			keep(i)
		case first < 0 && s.kind != remark && !strings.ContainsRune(" \t\r\n", rune(c)):
			first = i
		}
		i += s.length
	}
	keep(len(text))
	return parts, nil
}
