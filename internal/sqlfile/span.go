package sqlfile

import (
	"errors"
	"fmt"
	"strings"
)

// span is a part of an SQL text of one kind.
type span struct {
	kind   kind
	length int
}

type kind int

const (
	code   kind = iota // a character of code
	quoted             // quoted text, a quoted name, a dollar quote
	remark             // an ignored comment
	hint               // a comment that a database executes
)

// Skip returns the end of the quoted text, dollar quote or comment that begins at a position of a
// Query's text. If none begins there, it returns at.
func Skip(text string, at int) int {
	s, err := spanAt(text, at)
	if err != nil || s.kind == code { // Parse has refused unterminated spans
		return at
	}
	return at + s.length
}

// spanAt returns the span that begins at i. i must not be inside another span.
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

// enclosed returns the span that has an opening of begins bytes, and ends with end.
func enclosed(k kind, rest string, begins int, end string) (span, error) {
	n := strings.Index(rest[begins:], end)
	if n < 0 {
		return span{}, fmt.Errorf("unterminated %s", rest[:begins])
	}
	return span{k, begins + n + len(end)}, nil
}

// comment returns the block comment at the beginning of a text. It is a hint if a database executes
// it: /*+ is for optimizers, /*! and /*M! are for MySQL and MariaDB.
func comment(rest string) (span, error) {
	k := remark
	for _, read := range []string{"/*+", "/*!", "/*M!"} {
		if strings.HasPrefix(rest, read) {
			k = hint
		}
	}
	s, err := enclosed(k, rest, len("/*"), "*/")
	if err == nil && strings.Contains(rest[len("/*"):s.length], "/*") {
		err = errors.New("a comment within a comment, which some databases nest and others do not: remove the inner one")
	}
	return s, err
}

// dollarTag returns the $tag$ at the beginning of a text, or "". The tag is a name or empty.
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

// ofName reports whether a name may contain that byte. Bytes beyond ASCII count as letters.
func ofName(c byte) bool { return isLetter(c) || isDigit(c) || c >= 0x80 }

// lines calls each for every line of a text. begins is true if the line begins in code, outside
// quoted text and block comments. In a template it skips the template's actions. An unterminated
// quote counts as code, because some scripts are for programs such as sqlcmd, which have other
// rules.
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

// lengthAt returns the length of the span or template action that begins at i.
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
