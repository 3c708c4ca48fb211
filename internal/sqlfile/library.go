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

// Place is a folder of .sql files, or of files in whatever other languages a database takes:
// what each is in says the ending of its name, and only who runs it has to know.
type Place struct {
	Files fs.FS
	Dir   string
}

// Library is the SQL of one database running one workload: all the statements
// of all its places, the earlier place winning where two have the same name.
//
// A statement's name is its file's, or file.section where the file is divided
// by lines such as "-- name: select_customer".
type Library struct {
	texts       map[string]string
	order       []string // names as they were found, so that sections keep their order
	placeholder func(n int) string
	names       map[string]string // of tables that are called otherwise than in the texts
}

// Renamed returns the library for a schema whose tables have other names than the texts say,
// as Rename puts them in their place.
func (l *Library) Renamed(names map[string]string) *Library {
	other := *l
	other.names = names
	return &other
}

// prose are the endings of files that are for people.
var prose = []string{".md", ".txt"}

// NewLibrary reads the places. One that does not exist is passed over.
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

// add takes the sections of a file that no earlier place had. What stands
// before the first section belongs to the file's own name.
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

// onlyComments reports whether a text has only comments.
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

// Has reports whether there is SQL of that name.
func (l *Library) Has(name string) bool {
	_, ok := l.texts[name]
	return ok
}

// Names lists the statements whose names begin with prefix, in the order in
// which the files hold them.
func (l *Library) Names(prefix string) []string {
	var names []string
	for _, name := range l.order {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// Text returns the named text as it stands in its file, comments included.
func (l *Library) Text(name string) string { return l.texts[name] }

// About returns what the named text says of itself to people: the first paragraph of the
// comment that it begins with, in one line. It is "" where there is none.
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

// Query returns the named statement with its parameters rewritten.
func (l *Library) Query(name string) (Query, error) {
	text, ok := l.texts[name]
	if !ok {
		return Query{}, fmt.Errorf("no SQL is named %s", name)
	}
	q, err := Parse(name, text, l.placeholder)
	q.Text = l.rename(q.Text)
	return q, err
}

// Filled returns the named statement with literals in place of its parameters, as Fill
// does.
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

// Script returns the statements of the named script, expanded as a template
// with data. Lines that hold only "/" divide them, because routines are full of
// semicolons. There is no script where there is no SQL of that name.
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
