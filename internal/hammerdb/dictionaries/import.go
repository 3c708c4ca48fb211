package dictionaries

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sledge/internal/hammerdb/names"
	"sledge/internal/hammerdb/xmlfile"
	"sledge/internal/job"
)

// Import is what came of importing HammerDB's configuration.
type Import struct {
	Changes []Change
	Same    int      // settings that had the value already
	Passed  []string // what was passed over and why, a line each
}

// element is one setting in a file of HammerDB's.
type element struct {
	file   string
	groups []string // the elements it is in, from the root; of SQLite, its table
	key    string
	value  string
}

// String names the setting, without its value.
func (x element) String() string {
	group := x.groups[min(1, len(x.groups)-1)]
	return x.file + ": " + printable(group) + ":" + printable(x.key)
}

// printable quotes a name that would break the line it is shown in. SQLite allows any.
func printable(name string) string {
	const long = 60
	if len(name) > long || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%.60q", name)
	}
	return name
}

// ImportConfig takes over the settings in one of HammerDB's files, or in a folder of
// them: the generic ones and those of each database that is built. HammerDB makes
// SQLite files of its XML files when it first starts, and keeps to them; so of two
// with the same settings in a folder the SQLite file is taken. What is not known is
// passed over. When any value is wrong, nothing is set, and the error has a line
// for each.
func (b *Book) ImportConfig(path string) (Import, error) {
	var report Import
	files, err := configFiles(path)
	if err == nil && len(files) == 0 {
		err = errors.New("the folder holds none of HammerDB's settings files, such as generic.xml or generic.db")
	}
	var elements []element
	for _, file := range files {
		if err != nil {
			break
		}
		reason := b.passOver(file, len(files) > 1)
		if reason == "" {
			reason = shadowed(file, files)
		}
		if reason != "" {
			report.Passed = append(report.Passed, filepath.Base(file)+": "+reason)
			continue
		}
		var read []element
		read, err = readConfig(file)
		elements = append(elements, read...)
	}
	if err != nil {
		return Import{}, job.WithExit(job.ExitUsage, fmt.Errorf("import %s: %w", path, err))
	}
	return b.adopt(path, elements, report)
}

// configFiles returns path, or when it is a folder the files in it that may hold
// settings: all that are XML, and the SQLite files that have names of HammerDB's. It
// keeps those in the folder for temporary files, where others' lie, too.
func configFiles(path string) ([]string, error) {
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
		info, err := e.Info()
		if e.IsDir() || err != nil {
			continue
		}
		empty := info.Mode().IsRegular() && info.Size() == 0 // a SQLite file without settings
		if isXML(e.Name()) || isKept(e.Name()) && !empty {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files, nil
}

// base returns the name of a file without its ending, in lower case: "postgresql".
func base(file string) string {
	return strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
}

func isXML(file string) bool { return strings.EqualFold(filepath.Ext(file), ".xml") }

// isKept reports whether a file has the name of one that HammerDB keeps settings in.
func isKept(file string) bool {
	name := base(file)
	return strings.EqualFold(filepath.Ext(file), ".db") &&
		(slices.Contains([]string{"generic", "database", "ci"}, name) || names.Named(name).Name != "")
}

// shadowed says why one of several files does not count, or returns "".
func shadowed(file string, files []string) string {
	at := slices.IndexFunc(files, func(other string) bool { return isKept(other) && base(other) == base(file) })
	if at < 0 || !isXML(file) {
		return ""
	}
	return filepath.Base(files[at]) + " beside it holds the settings that HammerDB uses"
}

// readConfig lists the settings in a file.
func readConfig(path string) ([]element, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxConfig {
		return nil, fmt.Errorf("read %s: this is not a settings file of HammerDB, which is a regular file of at most %d MB", path, maxConfig>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(sqliteHead))
	if _, err := io.ReadFull(f, head); err == nil && string(head) == sqliteHead {
		return readSQLite(path)
	}
	if strings.EqualFold(filepath.Ext(path), ".db") {
		return nil, fmt.Errorf("read %s: this is not a SQLite file, as HammerDB's settings files named .db are", path)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return readXML(path, f)
}

// maxConfig is more than any of HammerDB's files of settings is long, in bytes. They
// have a few KB as XML, and some 100 KB as SQLite.
const maxConfig = 4 << 20

// passOver says why a file of HammerDB's is not imported, or returns "". A file
// that stands in no folder with others is what the user has named.
func (b *Book) passOver(file string, among bool) string {
	name := base(file)
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

// readXML lists the elements of a file that hold no others.
func readXML(path string, f io.Reader) ([]element, error) {
	var list []element
	var open []string // elements that have begun
	var text strings.Builder
	leaf := false
	d := xmlfile.NewDecoder(f)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			line, _ := d.InputPos()
			return nil, fmt.Errorf("read %s: line %d: %w", path, line, xmlfile.Mistake(err))
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

// adopt sets the values of the elements.
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
		if !e.Secret {
			x.value = strings.TrimSpace(x.value)
		}
		if reason := hammerDBsOwn(e); reason != "" && e.text != x.value {
			report.Passed = append(report.Passed, x.String()+": "+reason)
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
		return Import{}, job.WithExit(job.ExitUsage, fmt.Errorf("import %s: nothing was set, because these values are wrong:\n%w", path, errors.Join(wrong...)))
	}
	if len(wanted) == 0 {
		return Import{}, job.WithExit(job.ExitUsage, fmt.Errorf("import %s: it holds no settings of the console or of a database that Sledge has", path))
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

// hammerDBsOwn says why a setting would be wrong here, or returns "".
func hammerDBsOwn(e *entry) string {
	switch e.Section + ":" + e.Name {
	case "hdb_version:version":
		return "it only says which version of HammerDB wrote the file"
	case "commandline:sqlite_db":
		return "HammerDB's jobs stay where they are: take them over with jobs import"
	}
	return ""
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
