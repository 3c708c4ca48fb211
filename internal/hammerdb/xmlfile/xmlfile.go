// Package xmlfile reads HammerDB's XML files. They may have encodings of old editors, and contain
// passwords, which error messages must not quote.
package xmlfile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// NewDecoder returns a decoder for a file. It accepts only XML's five predefined entities, so that
// entities cannot expand without limit. Its errors must pass through Mistake, because they quote
// the file.
func NewDecoder(f io.Reader) *xml.Decoder {
	d := xml.NewDecoder(f)
	d.CharsetReader = encoded
	return d
}

// encodings are the encodings that editors used before UTF-8. ASCII needs no conversion.
var encodings = map[string]encoding.Encoding{
	"iso-8859-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1,
	"iso-8859-15":  charmap.ISO8859_15,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252,
	"us-ascii": encoding.Nop, "ascii": encoding.Nop,
}

// encodingError means that a file has an unknown encoding.
type encodingError struct{ label string }

func (e *encodingError) Error() string {
	return fmt.Sprintf("the encoding %.40q is not known: save the file as UTF-8, and say so in its first line", e.label)
}

// encoded converts a file with the named encoding to UTF-8.
func encoded(label string, input io.Reader) (io.Reader, error) {
	e, known := encodings[strings.ToLower(label)]
	if !known {
		return nil, &encodingError{label}
	}
	return e.NewDecoder().Reader(input), nil
}

// Mistake returns a description of an XML error. The decoder's own messages must not be shown,
// because they quote the file, which contains passwords.
func Mistake(err error) error {
	if unknown, ok := errors.AsType[*encodingError](err); ok {
		return unknown
	}
	if unread, ok := errors.AsType[*fs.PathError](err); ok {
		return unread
	}
	wrong, ok := errors.AsType[*xml.SyntaxError](err)
	if !ok {
		return errors.New("this is not XML 1.0")
	}
	kinds := []struct{ begins, kind string }{
		{"invalid UTF-8", "it holds a character that is not UTF-8: save the file as UTF-8, or name its encoding in its first line"},
		{"invalid character entity", "it holds a & that begins no entity: write &amp; for the character itself"},
		{"illegal character code", "it holds a control character"},
		{"unexpected EOF", "it ends before all its elements do"},
		{"element ", "an element is closed by the end of another one"},
		{"unexpected end element", "an element ends that has not begun"},
	}
	for _, k := range kinds {
		if strings.HasPrefix(wrong.Msg, k.begins) {
			return errors.New(k.kind)
		}
	}
	return errors.New("this is not well-formed XML: write &lt; for a < and &amp; for a & within a value")
}
