package sqlfile

import (
	"errors"
	"fmt"
	"strings"
)

// span is a part of SQL text that is of one kind.
type span struct {
	kind   kind
	length int
}

type kind int

const (
	code   kind = iota // a character of its own meaning
	quoted             // quoted text, a quoted name, a dollar quote
	remark             // an ignored comment
	hint               // a comment that a database reads
)

// Skip returns where the quoted text, dollar quote or comment ends that begins at a
// position of a Query's text, or the position itself where none does.
func Skip(text string, at int) int {
	s, err := spanAt(text, at)
	if err != nil || s.kind == code { // Parse has refused what has no end
		return at
	}
	return at + s.length
}

// spanAt returns the span that begins at i, where no other goes on.
func spanAt(text string, i int) (span, error) {
	rest := text[i:]
	switch c := rest[0]; {
	case c == '\'' || c == '"' || c == '`':
		return enclosed(quoted, rest, 1, rest[:1])
	case c == '$' && (i == 0 || !ofName(text[i-1])):
		if tag := dollarTag(rest); tag != "" {
			return enclosed(quoted, rest, len(tag), tag)
		}
	case strings.HasPrefix(rest, "--"):
		line, _, _ := strings.Cut(rest, "\n")
		return span{remark, len(line)}, nil
	case strings.HasPrefix(rest, "/*"):
		return comment(rest)
	}
	return span{code, 1}, nil
}

// enclosed returns the span that begins with that many bytes and goes on to the next
// end.
func enclosed(k kind, rest string, begins int, end string) (span, error) {
	n := strings.Index(rest[begins:], end)
	if n < 0 {
		return span{}, fmt.Errorf("unterminated %s", rest[:begins])
	}
	return span{k, begins + n + len(end)}, nil
}

// comment returns the block comment that a text begins with. It is a hint where a
// database reads it: /*+ of the optimizer, /*! and /*M! of MySQL and MariaDB alone.
func comment(rest string) (span, error) {
	k := remark
	for _, read := range []string{"/*+", "/*!", "/*M!"} {
		if strings.HasPrefix(rest, read) {
			k = hint
		}
	}
	s, err := enclosed(k, rest, len("/*"), "*/")
	if err == nil && strings.Contains(rest[len("/*"):s.length], "/*") {
		err = errors.New("a comment within a comment, which some databases nest and others do not: take one of them out")
	}
	return s, err
}

// dollarTag returns the $tag$ that a text begins with, or "". The tag is a name, or
// nothing.
func dollarTag(rest string) string {
	for n := 1; n < len(rest); n++ {
		switch c := rest[n]; {
		case c == '$':
			return rest[:n+1]
		case !ofName(c) || n == 1 && isDigit(c):
			return ""
		}
	}
	return ""
}

// ofName reports whether a name may have that character, which is part of a letter
// where it is beyond ASCII.
func ofName(c byte) bool { return isLetter(c) || isDigit(c) || c >= 0x80 }

// lines divides a text, and tells of each line whether it begins a line of code: not
// in the middle of quoted text or of a block comment. The actions of templates are
// passed over if the text is a template. A quote without an end is code like any other:
// scripts are also for other programs than a database, which read them in their own way.
func lines(text string, template bool, each func(line string, begins bool)) {
	at, covered := 0, 0 // where the line begins, and where the last span ended
	for line := range strings.Lines(text) {
		begins := at >= covered
		at += len(line)
		for covered < at {
			covered += lengthAt(text, covered, template)
		}
		each(line, begins)
	}
}

// lengthAt returns the length of what begins at i.
func lengthAt(text string, i int, template bool) int {
	if template && strings.HasPrefix(text[i:], "{{") {
		if n := strings.Index(text[i:], "}}"); n >= 0 {
			return n + len("}}")
		}
	}
	s, err := spanAt(text, i)
	if err != nil {
		return 1
	}
	return s.length
}
