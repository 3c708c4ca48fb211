package dictionary

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"sledge/internal/job"
)

// Import is what came of importing HammerDB's configuration.
type Import struct {
	Changes []Change
	Same    int      // settings that had the value already
	Passed  []string // what was passed over and why, a line each
}

// element is one setting in an XML file.
type element struct {
	file   string
	groups []string // the elements it is in, from the root
	key    string
	value  string
}

// String names the setting, without its value.
func (x element) String() string {
	group := x.groups[min(1, len(x.groups)-1)]
	return x.file + ": " + group + ":" + x.key
}

// ImportXML takes over the settings in one of HammerDB's XML files, or in a folder
// of them: the generic ones and those of each database that is built. What is
// not known is passed over. When any value is wrong, nothing is set, and the
// error has a line for each.
func (b *Book) ImportXML(path string) (Import, error) {
	var report Import
	files, err := xmlFiles(path)
	if err == nil && len(files) == 0 {
		err = errors.New("the folder has no .xml files")
	}
	var elements []element
	for _, file := range files {
		if err != nil {
			break
		}
		if reason := b.passOver(file, len(files) > 1); reason != "" {
			report.Passed = append(report.Passed, filepath.Base(file)+": "+reason)
			continue
		}
		var read []element
		read, err = readXML(file)
		elements = append(elements, read...)
	}
	if err != nil {
		return Import{}, job.WithExit(job.ExitUsage, fmt.Errorf("import %s: %w", path, err))
	}
	return b.adopt(path, elements, report)
}

// xmlFiles returns path, or the XML files in it when it is a folder.
func xmlFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && strings.EqualFold(filepath.Ext(e.Name()), ".xml") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, nil
}

// passOver says why a file of HammerDB's is not imported, or returns "". A file
// that stands in no folder with others is what the user has named.
func (b *Book) passOver(file string, among bool) string {
	name := strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	for _, p := range b.products {
		if strings.ToLower(p.name) != name {
			continue
		}
		if p.database == nil {
			return p.name + " is not built into Sledge yet"
		}
		return ""
	}
	if among && name != b.generic.name {
		return "it holds no settings of a database or of the console"
	}
	return ""
}

// maxXML is more than any of HammerDB's XML files is long, in bytes: they have a
// few KB.
const maxXML = 4 << 20

// readXML lists the elements of a file that hold no others.
func readXML(path string) ([]element, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxXML {
		return nil, fmt.Errorf("read %s: it is no XML file of HammerDB's: one of at most %d MB is", path, maxXML>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []element
	var open []string // elements that have begun
	var text strings.Builder
	leaf := false
	d := xml.NewDecoder(f)
	d.CharsetReader = encoded
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			line, _ := d.InputPos()
			return nil, fmt.Errorf("read %s: line %d: %w", path, line, withoutContent(err))
		}
		switch t := token.(type) {
		case xml.StartElement:
			open = append(open, t.Name.Local)
			leaf = true
			text.Reset()
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			last := len(open) - 1
			if leaf && last > 0 {
				list = append(list, element{filepath.Base(path), slices.Clone(open[:last]), open[last], strings.TrimSpace(text.String())})
			}
			open, leaf = open[:last], false
		}
	}
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

// withoutContent says what kind of mistake is in XML. The decoder's own messages
// quote the file, which holds passwords.
func withoutContent(err error) error {
	if unknown, ok := errors.AsType[*encodingError](err); ok {
		return unknown
	}
	if unread, ok := errors.AsType[*fs.PathError](err); ok {
		return unread
	}
	wrong, ok := errors.AsType[*xml.SyntaxError](err)
	if !ok {
		return errors.New("it is not XML 1.0")
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
	return errors.New("it is not well-formed XML: write &lt; for a < and &amp; for a & within a value")
}

// adopt sets what is known of the elements.
func (b *Book) adopt(path string, elements []element, report Import) (Import, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	type chosen struct {
		of              *dictionary
		entry           *entry
		text, canonical string
	}
	var wanted []chosen
	var wrong []error
	for _, x := range elements {
		d, e := b.resolve(x)
		if e == nil {
			report.Passed = append(report.Passed, x.String()+": it is not known")
			continue
		}
		canonical, err := e.check(x.value)
		if _, notBuilt := errors.AsType[*notBuiltError](err); notBuilt {
			report.Passed = append(report.Passed, fmt.Sprintf("%s: %v", x, err))
			continue
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", x, err))
			continue
		}
		wanted = append(wanted, chosen{d, e, x.value, canonical})
	}
	if len(wrong) > 0 {
		return Import{}, job.WithExit(job.ExitUsage, fmt.Errorf("import %s: nothing was set, since these values are wrong:\n%w", path, errors.Join(wrong...)))
	}
	if len(wanted) == 0 {
		return Import{}, job.WithExit(job.ExitUsage, fmt.Errorf("import %s: it holds no settings of a database that is built, or of the console", path))
	}
	var kept []setting
	for _, w := range wanted {
		kept = append(kept, setting{w.of.name, w.entry.Section, w.entry.Name, w.text})
	}
	if b.file != nil {
		if err := b.file.write(kept...); err != nil {
			return Import{}, err
		}
	}
	for _, w := range wanted {
		if w.entry.text == w.text {
			report.Same++
			continue
		}
		report.Changes = append(report.Changes, w.entry.change(w.of, w.text, w.canonical))
	}
	return report, nil
}

// resolve finds the setting that an element is of. A group within a section, such
// as schema in tpcc, is part of the section.
func (b *Book) resolve(x element) (*dictionary, *entry) {
	for _, d := range append([]*dictionary{b.generic}, b.databases...) {
		for _, group := range x.groups {
			s := d.section(group)
			if s == nil {
				continue
			}
			if e := s.entry(x.key); e != nil {
				return d, e
			}
		}
	}
	return nil, nil
}
