package history

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// splitList splits a Tcl list into its elements. White space separates elements. An element may be
// in braces, which nest and keep their contents unchanged, or in quotation marks. Outside of
// braces, a backslash begins an escape sequence.
func splitList(text string) ([]string, error) {
	var elements []string
	for {
		text = strings.TrimLeft(text, space)
		if text == "" {
			return elements, nil
		}
		var element string
		var err error
		switch text[0] {
		case '{':
			element, text, err = braced(text)
		case '"':
			element, text, err = quoted(text)
		default:
			element, text = bare(text)
		}
		if err != nil {
			return nil, err
		}
		if text != "" && !strings.ContainsRune(space, rune(text[0])) {
			return nil, errors.New("an element in braces or quotation marks is not followed by a space")
		}
		elements = append(elements, element)
	}
}

// space is the set of characters that separate elements.
const space = " \t\n\v\f\r"

// braced reads an element in braces. A brace after a backslash does not count, and the backslash
// stays in the element.
func braced(text string) (element, rest string, err error) {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
		case c == '{':
			if depth++; depth == 1 {
				continue
			}
		case c == '}':
			if depth--; depth == 0 {
				return b.String(), text[i+1:], nil
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", errors.New("a brace is not closed")
}

func quoted(text string) (element, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], nil
		case '\\':
			value, length := escape(text[i:])
			b.WriteString(value)
			i += length - 1
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", errors.New("a quotation mark is not closed")
}

func bare(text string) (element, rest string) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte(space, c) >= 0:
			return b.String(), text[i:]
		case c == '\\':
			value, length := escape(text[i:])
			b.WriteString(value)
			i += length - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// escape returns the value of the escape sequence at the beginning of text, and its length.
func escape(text string) (value string, length int) {
	if len(text) == 1 {
		return `\`, 1
	}
	switch c := text[1]; c {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v':
		return string("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)]), 2
	case '\n':
		rest := strings.TrimLeft(text[2:], " \t")
		return " ", len(text) - len(rest)
	case 'x':
		return codePoint(text, 2, 2, 16)
	case 'u':
		return codePoint(text, 2, 4, 16)
	case 'U':
		return codePoint(text, 2, 8, 16)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return codePoint(text, 1, 3, 8)
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	return text[1 : 1+size], 1 + size
}

// codePoint reads at most most digits from an index on. Without digits, the value is the letter
// before them.
func codePoint(text string, from, most, base int) (value string, length int) {
	to := from
	for to < len(text) && to < from+most {
		if _, err := strconv.ParseUint(text[to:to+1], base, 8); err != nil {
			break
		}
		to++
	}
	n, err := strconv.ParseUint(text[from:to], base, 32)
	if err != nil {
		return text[1:from], from
	}
	return string(rune(n)), to
}

// pair is a key of a Tcl dictionary with its value.
type pair struct{ key, value string }

// splitDict splits a Tcl dictionary, which is a list of alternating keys and values.
func splitDict(text string) ([]pair, error) {
	elements, err := splitList(text)
	if err != nil {
		return nil, err
	}
	if len(elements)%2 != 0 {
		return nil, fmt.Errorf("the key %q has no value", elements[len(elements)-1])
	}
	var pairs []pair
	for i := 0; i < len(elements); i += 2 {
		pairs = append(pairs, pair{elements[i], elements[i+1]})
	}
	return pairs, nil
}
