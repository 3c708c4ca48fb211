package scripts

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// This file parses the text of a HammerDB script like Tcl, without running it.

// blockAround returns the range inside the innermost braces around a position.
func blockAround(text string, at int) (start, end int, ok bool) {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		if i > 0 && text[i-1] == '\\' {
			continue
		}
		switch text[i] {
		case '}':
			depth++
		case '{':
			if depth == 0 {
				length := closing(text[i:])
				return i + 1, i + length, length > 0
			}
			depth--
		}
	}
	return 0, 0, false
}

// closing returns the position of the brace that closes the one at the beginning of text, or 0.
// Braces after a backslash do not count.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// word returns the first word of a text, without braces around it, and the rest of the text.
func word(text string) (first, rest string, err error) {
	text = strings.TrimLeft(text, " \t\r\n")
	if strings.HasPrefix(text, "{") {
		end := closing(text)
		if end == 0 {
			return "", "", errors.New("its braces do not match")
		}
		return text[1:end], text[end+1:], nil
	}
	end := strings.IndexAny(text, " \t\r\n{")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], nil
}

// piece is a part of a script with its position in the script.
type piece struct {
	text string
	at   int
}

// trimmed returns the piece without the blanks around it.
func (p piece) trimmed() piece {
	rest := strings.TrimLeft(p.text, " \t\r\n")
	return piece{strings.TrimRight(rest, " \t\r\n"), p.at + len(p.text) - len(rest)}
}

// compact returns the piece without blanks, so that layout does not matter.
func (p piece) compact() string { return strings.Join(strings.Fields(p.text), "") }

// words splits a statement into its words.
func words(p piece) ([]piece, error) {
	var list []piece
	for p = p.trimmed(); p.text != ""; p = p.trimmed() {
		first, rest, err := word(p.text)
		if err != nil {
			return nil, err
		}
		at := p.at
		if p.text[0] == '{' {
			at++
		}
		list = append(list, piece{first, at})
		p = piece{rest, p.at + len(p.text) - len(rest)}
	}
	return list, nil
}

// statements splits a block into its statements, without comments.
func statements(block piece) []piece {
	var list []piece
	depth, start := 0, 0
	add := func(end int) {
		s := piece{block.text[start:end], block.at + start}.trimmed()
		if s.text != "" && !strings.HasPrefix(s.text, "#") {
			list = append(list, s)
		}
	}
	for i := range len(block.text) {
		switch c := block.text[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0 && (c == '\n' || c == ';'):
			add(i)
			start = i + 1
		}
	}
	add(len(block.text))
	return list
}

// arguments splits a statement into words, with brackets, braces and quotes around them.
func arguments(text string) ([]string, error) {
	var list []string
	depth, quoted, start := 0, false, -1
	for i := range len(text) {
		c := text[i]
		blank := strings.IndexByte(" \t\r\n", c) >= 0
		switch {
		case c == '"' && depth == 0:
			quoted = !quoted
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case blank && depth == 0 && !quoted:
			if start >= 0 {
				list, start = append(list, text[start:i]), -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if depth != 0 || quoted {
		return nil, errors.New("its brackets do not match")
	}
	if start >= 0 {
		list = append(list, text[start:])
	}
	if len(list) == 0 {
		return nil, errors.New("there is nothing")
	}
	return list, nil
}

// order is the order of execution of two parts of a script.
type order int

const (
	apart  order = iota // alternatives, or executed by different virtual users
	before              // the first is executed before the second
	behind              // the first is executed after the second
)

// follows returns the order of the statements at two positions.
func (f *foreignReader) follows(at, goal int) order {
	inside := goal
	for range maxDepth {
		block := piece{text: f.text}
		start, end, ok := blockAround(f.text, inside)
		if ok {
			block = piece{f.text[start:end], start}
		}
		if block.at <= at && at < block.at+len(block.text) {
			return f.followsIn(block, at, goal)
		}
		if !ok {
			return apart
		}
		inside = start - 1
	}
	return apart
}

// followsIn is follows for two positions whose innermost common block is given.
func (f *foreignReader) followsIn(block piece, at, goal int) order {
	if f.isChoice(block) {
		return apart
	}
	for _, s := range statements(block) {
		within := func(at int) bool { return s.at <= at && at < s.at+len(s.text) }
		switch {
		case within(goal) && within(at):
			return apart
		case within(goal):
			return behind
		case within(at):
			return before
		}
	}
	return apart
}

// isChoice reports whether a block contains the cases of a switch, which are alternatives.
func (f *foreignReader) isChoice(block piece) bool {
	if block.at == 0 {
		return false
	}
	around := piece{text: f.text}
	if start, end, ok := blockAround(f.text, block.at-1); ok {
		around = piece{f.text[start:end], start}
	}
	for _, s := range statements(around) {
		if s.at < block.at && block.at <= s.at+len(s.text) {
			list, err := words(s)
			return err == nil && list[0].text == "switch" && list[len(list)-1].at == block.at && !slices.ContainsFunc(list[1:len(list)-1], func(w piece) bool {
				return f.text[w.at-1] == '{' // "switch VALUE CASE {...} CASE {...}"
			})
		}
	}
	return false
}

var reCommentLine = regexp.MustCompile(`(?m)(?:^|;)[ \t]*#[^\n]*`)

// withoutComments replaces comments by blanks, so that positions do not change. It keeps braces,
// which Tcl counts even in comments, and a backslash at the end of a line, which continues the
// comment.
func withoutComments(text string) string {
	return reCommentLine.ReplaceAllStringFunc(text, func(comment string) string {
		blank := []byte(comment)
		for i, c := range blank {
			kept := c == '{' || c == '}' || c == '\\' && i == len(blank)-1 || c == ';' && i == 0
			if !kept {
				blank[i] = ' '
			}
		}
		return string(blank)
	})
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
