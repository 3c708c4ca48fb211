package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// parseTOML parses a file. Its errors contain positions but no text, which may be a password.
func parseTOML(text string) ([]item, error) {
	var content map[string]any
	meta, err := toml.Decode(text, &content)
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fmt.Errorf("line %d, column %d is not valid TOML: write name = 1 or name = \"text\", each once", wrong.Position.Line, wrong.Position.Col)
	}
	if err != nil {
		return nil, errors.New("it is not valid TOML")
	}
	f := tomlFile{lines: tomlLines(text, meta.Keys()), rank: map[string]int{}}
	for i, key := range meta.Keys() {
		for n := range key { // a.b.c = 1 creates the tables a and a.b, which are not keys themselves
			if table := key[:n+1].String(); f.rank[table] == 0 {
				f.rank[table] = i + 1
			}
		}
	}
	return f.items(content, nil), nil
}

// tomlFile holds the positions of keys in a file.
type tomlFile struct {
	lines map[string]int // the lines of keys, if they were found
	rank  map[string]int // their positions in the order of the file, from 1
}

// items returns the keys of a table in the order of the file.
func (f tomlFile) items(table map[string]any, path toml.Key) []item {
	var items []item
	for _, name := range slices.Sorted(maps.Keys(table)) {
		key := append(slices.Clone(path), name)
		i := item{key: name, line: f.lines[key.String()]}
		switch v := table[name].(type) {
		case map[string]any:
			i.what, i.table = isTable, f.items(v, key)
		case []any:
			i.list = true
			for _, one := range v {
				text, ok := tomlText(one)
				if !ok {
					i.what = isStrange
				}
				i.values = append(i.values, text)
			}
		default:
			text, ok := tomlText(v)
			if !ok {
				i.what = isStrange
			}
			i.values = []string{text}
		}
		items = append(items, i)
	}
	rank := func(i item) int { return f.rank[append(slices.Clone(path), i.key).String()] }
	slices.SortStableFunc(items, func(x, y item) int { return rank(x) - rank(y) })
	return items
}

// tomlText formats a value as the text of an option.
func tomlText(value any) (text string, ok bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case time.Time:
		layout := time.RFC3339Nano
		switch v.Location().String() { // the package marks TOML's four kinds of time by their location
		case "date-local":
			layout = time.DateOnly
		case "datetime-local":
			layout = "2006-01-02T15:04:05.999999999"
		case "time-local":
			layout = "15:04:05.999999999"
		}
		return v.Format(layout), true
	}
	return "", false
}

// tomlLines finds the line of each key, which the package does not provide: it searches for each
// key after the one before. A key that is not found has no line.
func tomlLines(text string, order []toml.Key) map[string]int {
	found := map[string]int{}
	if strings.Contains(text, `"""`) || strings.Contains(text, "'''") {
		return found // a text of several lines may contain text that looks like a key
	}
	lines := strings.Split(text, "\n")
	next := 0
	for _, key := range order {
		name := key[len(key)-1]
		for n := next; n < len(lines); n++ {
			line := strings.TrimSpace(lines[n])
			if holdsKey(line, name) {
				found[key.String()] = n + 1
				next = n // an inline table has its keys in the same line
				break
			}
		}
	}
	return found
}

// holdsKey reports whether a line of TOML begins with a key, alone or within the table options, or
// is the header of the table.
func holdsKey(line, name string) bool {
	line = strings.TrimLeft(line, "[ \t")
	if rest, ok := strings.CutPrefix(line, optionsTable); ok && name != optionsTable {
		line = strings.TrimLeft(rest, "={. \t")
	}
	for _, spelled := range []string{name, strconv.Quote(name), "'" + name + "'"} {
		if rest, ok := strings.CutPrefix(line, spelled); ok && strings.IndexAny(rest, " \t=.]") == 0 {
			return true
		}
	}
	return false
}
