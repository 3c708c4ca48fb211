// Package xmlfile reads XML as HammerDB's files are: in the encodings of old editors, and
// with passwords in it, which no message may quote.
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

// NewDecoder returns what reads a file. It knows the five entities of XML itself and no
// others, so that none can grow. What is wrong with its errors is for Mistake to say.
func NewDecoder(f io.Reader) *xml.Decoder {
	d := xml.NewDecoder(f)
	d.CharsetReader = encoded
	return d
}

// encodings are those that editors have saved XML in before UTF-8. What is ASCII
// is UTF-8 as it stands.
var encodings = map[string]encoding.Encoding{
	"iso-8859-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1,
	"iso-8859-15":  charmap.ISO8859_15,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252,
	"us-ascii": encoding.Nop, "ascii": encoding.Nop,
}

// encodingError says that a file is in an encoding that is not known.
type encodingError struct{ label string }

func (e *encodingError) Error() string {
	return fmt.Sprintf("the encoding %.40q is not known: save the file as UTF-8, and say so in its first line", e.label)
}

// encoded makes UTF-8 of a file whose first line says that it is something else.
func encoded(label string, input io.Reader) (io.Reader, error) {
	e, known := encodings[strings.ToLower(label)]
	if !known {
		return nil, &encodingError{label}
	}
	return e.NewDecoder().Reader(input), nil
}

// Mistake says what kind of mistake is in XML. The decoder's own messages
// quote the file, which holds passwords.
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
