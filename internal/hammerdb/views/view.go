// Package views shows jobs in the shapes that HammerDB's jobs command has, which people's
// scripts read. It asks no database.
package views

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sledge/internal/report"
)

// View is an answer of HammerDB's "jobs" commands. As JSON it has the shape that
// people's scripts read: every value is a string, and members keep their order. As
// text it is for people.
type View struct {
	value any      // object or []string
	lines []string // of the text, unless it is one line for each element
}

// MarshalJSON encodes the view on one line.
func (v View) MarshalJSON() ([]byte, error) { return encode(v.value), nil }

// Success is what HammerDB's web service answers when it has done something.
func Success(message string) View { return outcomeOf("success", message) }

// Error is what HammerDB's web service answers when something is wrong.
func Error(message string) View { return outcomeOf("error", message) }

func outcomeOf(name, message string) View {
	return View{value: object{{name, object{{"message", message}}}}}
}

// JSON encodes the view with one element or member on each line.
func (v View) JSON() string {
	var b bytes.Buffer
	if err := json.Indent(&b, encode(v.value), "", "  "); err != nil {
		panic(err) // encode made it
	}
	return b.String()
}

// Text spells the view in lines, without the end of the last one.
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

// lines spells an object as HammerDB prints dictionaries: one member on each line,
// names padded to the same width, objects in braces.
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

// encode encodes strings, and structs, lists and objects of strings, which cannot
// fail. Names of others may hold a < or &, which stays as it is.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
