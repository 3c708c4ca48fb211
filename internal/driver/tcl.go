package driver

import (
	"errors"
	"strings"
)

// This file divides the text of a script of HammerDB's as Tcl would, without
// running any of it.

// blockAround returns where the inside of the innermost braces around a position
// begins and ends.
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

// closing returns where the brace is that closes the one that text begins with,
// or 0. One behind a backslash is not counted.
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

// word returns the first word of a text, without its braces if it has them, and
// what follows it.
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

// words splits a statement into its words.
func words(text string) ([]string, error) {
	var list []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		first, rest, err := word(text)
		if err != nil {
			return nil, err
		}
		list, text = append(list, first), rest
	}
	return list, nil
}

// statements divides a block into its statements, without comments.
func statements(block string) []string {
	var list []string
	depth, start := 0, 0
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && !strings.HasPrefix(s, "#") {
			list = append(list, s)
		}
	}
	for i := range len(block) {
		switch c := block[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0 && (c == '\n' || c == ';'):
			add(block[start:i])
			start = i + 1
		}
	}
	add(block[start:])
	return list
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
