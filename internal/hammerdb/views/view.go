// Package views shows jobs in the shapes of HammerDB's jobs command, which users' scripts parse. It
// does not access databases under test.
package views

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sledge/internal/report"
)

// View is an answer of HammerDB's "jobs" commands. As JSON it has the shape that users' scripts
// parse: every value is a string, and members keep their order. As text it is for people.
type View struct {
	value any      // object or []string
	lines []string // of the text; nil if the text has one line for each element
}

// MarshalJSON encodes the view on one line.
func (v View) MarshalJSON() ([]byte, error) { return encode(v.value), nil }

// Success is the answer of HammerDB's web service to a successful request.
func Success(message string) View { return outcomeOf("success", message) }

// Error is the answer of HammerDB's web service to a failed request.
func Error(message string) View { return outcomeOf("error", message) }

func outcomeOf(name, message string) View {
	return View{value: object{{name, object{{"message", message}}}}}
}

// JSON encodes the view with one element or member on each line.
func (v View) JSON() string {
	var b bytes.Buffer
	if err := json.Indent(&b, encode(v.value), "", "  "); err != nil {
		panic(err) // encode returns valid JSON
	}
	return b.String()
}

// Text returns the view as lines, without a newline at the end.
func (v View) Text() string {
	if v.lines != nil {
		return strings.Join(v.lines, "\n")
	}
	var lines []string
	switch value := v.value.(type) {
	case []string:
		for _, s := range value {
			lines = append(lines, report.Printable(s))
		}
	case object:
		lines = value.lines("")
	}
	return strings.Join(lines, "\n")
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members one after another.
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, encode(m.name)...), ':'), encode(m.value)...)
	}
	return append(text, '}'), nil
}

// lines formats an object like HammerDB's dictionaries: one member on each line, names padded to
// the same width, objects in braces.
func (o object) lines(indent string) []string {
	width := 0
	for _, m := range o {
		width = max(width, len([]rune(report.Printable(m.name))))
	}
	var lines []string
	for _, m := range o {
		name := fmt.Sprintf("%s%-*s", indent, width, report.Printable(m.name))
		if inner, ok := m.value.(object); ok {
			lines = append(lines, name+" {")
			lines = append(lines, inner.lines(indent+" ")...)
			lines = append(lines, indent+"}")
			continue
		}
		lines = append(lines, strings.TrimRight(name+" = "+report.Printable(fmt.Sprint(m.value)), " "))
	}
	return lines
}

// encode encodes strings, and structs, lists and objects of strings, which cannot fail. It does not
// escape <, > and &.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
