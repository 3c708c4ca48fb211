package sqlfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"
)

// Place is a folder of .sql files, or of files in other languages of a database, which have other
// endings. Only the code that runs a file needs to know its language.
type Place struct {
	Files fs.FS
	Dir   string
}

// Library holds the SQL of one database with one workload: the statements of all its places. If two
// places have a statement with the same name, the library uses that of the earlier place.
//
// The name of a statement is the name of its file, or file.section if lines such as "-- name:
// select_customer" divide the file.
type Library struct {
	texts       map[string]string
	order       []string // names in the order of the files, so that sections keep their order
	placeholder func(n int) string
	names       map[string]string // tables' names in the schema, by their names in the texts
}

// Renamed returns the library for a schema in which tables have other names. names has the new
// names by the names in the texts: see Rename.
func (l *Library) Renamed(names map[string]string) *Library {
	other := *l
	other.names = names
	return &other
}

// prose lists the endings of documentation files.
var prose = []string{".md", ".txt"}

// NewLibrary reads the places. It ignores a place that does not exist.
func NewLibrary(placeholder func(n int) string, places ...Place) (*Library, error) {
	l := &Library{texts: map[string]string{}, placeholder: placeholder}
	for _, p := range places {
		if p.Files == nil {
			continue
		}
		entries, err := fs.ReadDir(p.Files, p.Dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			base := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
			if e.IsDir() || slices.Contains(prose, path.Ext(e.Name())) {
				continue
			}
			text, err := fs.ReadFile(p.Files, path.Join(p.Dir, e.Name()))
			if err != nil {
				return nil, err
			}
			l.add(base, string(text))
		}
	}
	return l, nil
}

// add adds the sections of a file, except for names that an earlier place has. The text before the
// first section has the name of the file.
func (l *Library) add(base, text string) {
	name := base
	var body strings.Builder
	keep := func() {
		s := strings.TrimSpace(body.String())
		body.Reset()
		if _, taken := l.texts[name]; taken || onlyComments(s) {
			return
		}
		l.texts[name] = s
		l.order = append(l.order, name)
	}
	lines(text, true, func(line string, begins bool) {
		if section, ok := strings.CutPrefix(line, "-- name: "); ok && begins {
			keep()
			name = base + "." + strings.TrimSpace(section)
			return
		}
		body.WriteString(line)
	})
	keep()
}

// onlyComments reports whether a text consists of comments.
func onlyComments(text string) bool {
	for i := 0; i < len(text); {
		s, err := spanAt(text, i)
		if err != nil || s.kind != remark && !strings.ContainsRune(" \t\r\n", rune(text[i])) {
			return false
		}
		i += s.length
	}
	return true
}

// Has reports whether the library has a statement with that name.
func (l *Library) Has(name string) bool {
	_, ok := l.texts[name]
	return ok
}

// Names returns the statements whose names begin with prefix, in the order of the files.
func (l *Library) Names(prefix string) []string {
	var names []string
	for _, name := range l.order {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// Text returns the text with that name, with its comments.
func (l *Library) Text(name string) string { return l.texts[name] }

// About returns the description of the text with that name: the first paragraph of its first
// comment, in one line, or "".
func (l *Library) About(name string) string {
	var said []string
	for line := range strings.Lines(l.texts[name]) {
		text, isComment := strings.CutPrefix(strings.TrimSpace(line), "--")
		if text = strings.TrimSpace(text); !isComment || text == "" {
			break
		}
		said = append(said, text)
	}
	return strings.Join(said, " ")
}

// Query returns the statement with that name, with placeholders for its parameters.
func (l *Library) Query(name string) (Query, error) {
	text, ok := l.texts[name]
	if !ok {
		return Query{}, fmt.Errorf("no SQL is named %s", name)
	}
	return l.Parse(name, text)
}

// Placeholder returns the database's placeholder for parameter n of a statement, from 1.
func (l *Library) Placeholder(n int) string { return l.placeholder(n) }

// Parse is the function Parse for the library's database and schema.
func (l *Library) Parse(name, text string) (Query, error) {
	q, err := Parse(name, text, l.placeholder)
	q.Text = l.rename(q.Text)
	return q, err
}

// Filled returns the statement with that name, with literals in place of its parameters: see Fill.
func (l *Library) Filled(name string, literals map[string]string) (string, error) {
	text, ok := l.texts[name]
	if !ok {
		return "", fmt.Errorf("no SQL is named %s", name)
	}
	filled, err := Fill(name, text, literals)
	return l.rename(filled), err
}

func (l *Library) rename(text string) string {
	if len(l.names) == 0 {
		return text
	}
	return Rename(text, l.names)
}

// Script returns the statements of the script with that name, expanded as a template with data.
// Lines that contain only "/" separate statements, because routines contain semicolons. If there is
// no such script, it returns none.
func (l *Library) Script(name string, data any) ([]string, error) {
	t, err := template.New(name).Option("missingkey=error").Parse(l.texts[name])
	if err != nil {
		return nil, fmt.Errorf("sql %s: %w", name, err)
	}
	var out strings.Builder
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("sql %s: %w", name, err)
	}
	var statements []string
	var body strings.Builder
	keep := func() {
		if s := strings.TrimSpace(body.String()); !onlyComments(s) {
			statements = append(statements, l.rename(s))
		}
		body.Reset()
	}
	lines(out.String(), false, func(line string, begins bool) {
		if begins && strings.TrimSuffix(line, "\n") == "/" {
			keep()
			return
		}
		body.WriteString(line)
	})
	keep()
	return statements, nil
}
