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

// Import is the result of importing HammerDB's configuration.
type Import struct {
	Changes []Change
	Same    int      // settings that had the value already
	Passed  []string // lines about what was skipped, and why
}

// element is one setting in a file of HammerDB.
type element struct {
	file   string
	groups []string // the enclosing XML elements, from the root; for SQLite, the table
	key    string
	value  string
}

// String names the setting, without its value.
func (x element) String() string {
	group := x.groups[min(1, len(x.groups)-1)]
	return x.file + ": " + printable(group) + ":" + printable(x.key)
}

// printable quotes a name with characters that would break a line of output. SQLite allows such
// names.
func printable(name string) string {
	const long = 60
	if len(name) > long || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%.60q", name)
	}
	return name
}

// ImportConfig imports the settings in one of HammerDB's files, or in a folder of them: the generic
// ones and those of each supported database. At its first start HammerDB converts its XML files to
// SQLite files, and then uses only these. Therefore, if a folder has both, ImportConfig reads the
// SQLite file. It skips unknown settings. If any value is wrong, it changes nothing and returns an
// error with a line for each wrong value.
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

// configFiles returns path, or if it is a folder, the files in it that may contain settings: all
// XML files, and the SQLite files with HammerDB's names. HammerDB keeps its SQLite files in the
// folder for temporary files, beside those of other programs.
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

// base returns the name of a file without its extension, in lower case: "postgresql".
func base(file string) string {
	return strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
}

func isXML(file string) bool { return strings.EqualFold(filepath.Ext(file), ".xml") }

// isKept reports whether a file has the name of one of HammerDB's SQLite files of settings.
func isKept(file string) bool {
	name := base(file)
	return strings.EqualFold(filepath.Ext(file), ".db") &&
		(slices.Contains([]string{"generic", "database", "ci"}, name) || names.Named(name).Name != "")
}

// shadowed returns the reason why a file is skipped in favour of another one, or "".
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

// maxConfig is the largest size of a settings file in bytes. HammerDB's have a few KB as XML, and
// about 100 KB as SQLite.
const maxConfig = 4 << 20

// passOver returns the reason why a file is not imported, or "". If among is false, the user named
// the file itself, not a folder.
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

// readXML lists the innermost elements of a file.
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

// hammerDBsOwn returns the reason why a setting of HammerDB does not apply to Sledge, or "".
func hammerDBsOwn(e *entry) string {
	switch e.Section + ":" + e.Name {
	case "hdb_version:version":
		return "it only says which version of HammerDB wrote the file"
	case "commandline:sqlite_db":
		return "HammerDB's jobs stay where they are: take them over with jobs import"
	}
	return ""
}

// resolve finds the setting of an element. A group within a section, such as schema in tpcc, is
// part of the section.
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
