package files

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// statement is a statement of a transaction.
type statement struct {
	text    string
	line    int             // where it begins in its file
	results []schema.Column // the columns of its row that later statements use as parameters
}

// resultsLine is the comment before a statement that lists its results.
var resultsLine = regexp.MustCompile(`(?m)^\s*--\s*results:(.*)$`)

// statements reads the file of a transaction. Parameters must be drawn, or be results of earlier
// statements. Errors are problems without the name of the file.
func (d *definition) statements(t *ownTransaction, text string) (list []statement, err error) {
	parts, err := sqlfile.Split(text)
	if err != nil {
		return nil, &problem{line: 0, err: err}
	}
	if len(parts) == 0 {
		return nil, &problem{line: 1, err: fmt.Errorf("it has no statement")}
	}
	known := map[string]schema.Column{}
	for _, p := range t.parameters {
		known[p.name] = p.schema()
	}
	for _, part := range parts {
		wrong := func(format string, args ...any) error {
			return &problem{line: part.Line, err: fmt.Errorf(format, args...)}
		}
		q, err := sqlfile.Parse(t.name, part.Text, anyPlaceholder)
		if err != nil {
			return nil, wrong("%w", err)
		}
		for _, name := range q.Params {
			if _, is := known[name]; !is {
				return nil, wrong("nothing gives :%s a value%s (add it to [transactions.%s.parameters], or list it in a line \"-- results: %s\" before the statement that returns it)",
					name, option.Suggest(name, names(known)), t.name, name)
			}
		}
		one := statement{text: part.Text, line: part.Line}
		for _, m := range resultsLine.FindAllStringSubmatch(part.Text, -1) {
			for _, text := range splitList(m[1]) {
				c, err := d.result(text)
				if err != nil {
					return nil, wrong("%w", err)
				}
				one.results = append(one.results, c)
			}
		}
		for _, c := range one.results {
			if before, is := known[c.Name]; is && before.Type != c.Type {
				return nil, wrong("%s has another type before this statement: give the result another name", c.Name)
			}
			known[c.Name] = c
		}
		list = append(list, one)
	}
	return list, nil
}

// splitList splits a list at its commas, except those in parentheses.
func splitList(text string) (list []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			list, from = append(list, strings.TrimSpace(text[from:i])), i+1
		}
	}
	return append(list, strings.TrimSpace(text[from:]))
}

// result reads a result: "o_id", whose type is that of the column with the name, or "total
// decimal(12,2)".
func (d *definition) result(text string) (schema.Column, error) {
	name, of, typed := strings.Cut(text, " ")
	if !ofWorkload.MatchString(name) {
		return schema.Column{}, fmt.Errorf("%q is not the name of a result: write \"-- results: name, name type\"", name)
	}
	var t columnType
	if typed {
		if err := t.UnmarshalText([]byte(of)); err != nil {
			return schema.Column{}, fmt.Errorf("result %s: %w", name, err)
		}
	} else if c := d.columnCalled(name); c != nil {
		t = *c.Type
	} else {
		return schema.Column{}, fmt.Errorf("the result %s has no type, and is not called as a column of a table: write \"%s bigint\", or another of %s", name, name, typesInWords)
	}
	t.Name, t.Null = name, true
	return t.Column, nil
}

func names(known map[string]schema.Column) (list []string) {
	for name := range known {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
