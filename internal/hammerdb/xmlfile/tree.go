package xmlfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Element is an element of a file with its contents.
type Element struct {
	Name     string
	Text     string // without the space around it
	Line     int    // line of its beginning
	Elements []Element
}

// deepest limits the nesting of elements. HammerDB's files stay below it.
const deepest = 10

// Read parses a complete file and returns its root element.
func Read(text []byte) (Element, error) {
	d := NewDecoder(bytes.NewReader(text))
	open := []Element{{}} // the open elements, within one for the whole file
	for {
		line, _ := d.InputPos()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, _ = d.InputPos()
			return Element{}, fmt.Errorf("line %d: %w", line, Mistake(err))
		}
		last := len(open) - 1
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > deepest {
				return Element{}, fmt.Errorf("line %d: its elements are more than %d deep", line, deepest)
			}
			open = append(open, Element{Name: t.Name.Local, Line: line})
		case xml.CharData:
			open[last].Text += string(t)
		case xml.EndElement:
			whole := open[last]
			whole.Text = strings.TrimSpace(whole.Text)
			open = open[:last]
			open[last-1].Elements = append(open[last-1].Elements, whole)
		}
	}
	if len(open[0].Elements) != 1 {
		return Element{}, errors.New("it holds no element, or more than one, where XML has one")
	}
	return open[0].Elements[0], nil
}

// Find returns the first element of a name within another, and whether there is one.
func (e Element) Find(name string) (Element, bool) {
	for _, within := range e.Elements {
		if within.Name == name {
			return within, true
		}
	}
	return Element{}, false
}
