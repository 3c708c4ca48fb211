package screen

import (
	"cmp"
	"slices"
	"strings"

	"sledge/internal/terminal"
)

// view is how the user looks at a table.
type view struct {
	sort       int // number of the column, counted on over all columns
	reversed   bool
	selected   int // row
	first      int // first row on the screen
	page       int // rows on the screen
	background bool
}

// field is a column of a table.
type field[T any] struct {
	head  string
	width int  // 0 for the last one, which has the rest of the line
	right bool // aligned to the right
	rank  int  // which columns a narrow screen leaves out: the highest rank first; 0 stays
	text  func(T) string

	compare func(a, b T) int // nil if rows cannot be sorted by it; the first row is the least
	look    func(T, string) string
}

// sheet is a table of the screen.
type sheet[T any] struct {
	fields  []field[T]
	rows    []T
	detail  func(T) string // all about a row, in a line or two
	missing string         // why rows, or parts of them, are missing
	empty   string         // what is shown if there is no row
}

// narrowest is the least width of the last column.
const narrowest = 24

// draw draws the head and the rows on at most height lines, and returns the details of the selected row.
func draw[T any](s *Screen, t sheet[T], width, height int) (lines []string, detail string) {
	v := &s.views[s.tab]
	rows := filtered(t, s.filter)
	fields := fitting(t.fields, width-marker)
	sorted := sort(rows, t.fields, v)
	for line := range strings.SplitSeq(terminal.Fold(t.missing, width-2), "\n") {
		if line != "" && len(lines) < 2 {
			lines = append(lines, s.Look.Doubtful("! "+line))
		}
	}
	if len(rows) == 0 {
		if t.missing == "" || t.rows != nil {
			lines = append(lines, s.Look.Faint(noRows(t.empty, s.filter, len(t.rows))))
		}
		return lines[:min(len(lines), max(0, height))], ""
	}
	var head strings.Builder
	for i, f := range fields {
		name := f.head
		if f.head == sorted {
			name += map[bool]string{false: "↓", true: "↑"}[v.reversed]
		}
		head.WriteString(separate(i) + terminal.Fitted(name, f.width, f.right))
	}
	lines = append(lines, s.Look.Strong(strings.TrimRight(strings.Repeat(" ", marker)+head.String(), " ")))
	v.page = max(1, height-len(lines))
	v.selected = max(0, min(v.selected, len(rows)-1))
	v.first = max(0, min(v.first, v.selected, len(rows)-v.page))
	v.first = max(v.first, v.selected-v.page+1)
	for i, row := range rows[v.first:min(len(rows), v.first+v.page)] {
		chosen := v.first+i == v.selected && !s.whole
		var b strings.Builder
		b.WriteString(map[bool]string{false: " ", true: ">"}[chosen])
		for k, f := range fields {
			text := f.text(row)
			if k < len(fields)-1 || f.right {
				text = terminal.Fitted(text, f.width, f.right)
			} else if terminal.Width(text) > f.width {
				text = terminal.Fitted(text, f.width, false)
			}
			if f.look != nil && !chosen {
				text = f.look(row, text)
			}
			b.WriteString(separate(k) + text)
		}
		line := strings.TrimRight(b.String(), " ")
		if chosen {
			line = s.Look.Strong(line)
		}
		lines = append(lines, line)
	}
	return lines[:min(len(lines), max(0, height))], t.detail(rows[v.selected])
}

// marker is the width of the mark of the selected row.
const marker = 1

// separate returns what is between a column and the one before it.
func separate(i int) string {
	if i == 0 {
		return ""
	}
	return " "
}

// noRows says why there is no row.
func noRows(empty, filter string, all int) string {
	if filter != "" && all > 0 {
		return "no row contains " + filter
	}
	return empty
}

// filtered returns a copy of the rows that contain a text in any column.
func filtered[T any](t sheet[T], text string) []T {
	if text == "" {
		return slices.Clone(t.rows)
	}
	text = strings.ToLower(text)
	var rows []T
	for _, row := range t.rows {
		if slices.ContainsFunc(t.fields, func(f field[T]) bool { return strings.Contains(strings.ToLower(f.text(row)), text) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

// fitting returns the columns that fit, the last one with the width that is left.
func fitting[T any](all []field[T], width int) []field[T] {
	fields := slices.Clone(all)
	for {
		used := len(fields) - 1
		for _, f := range fields {
			used += f.width
		}
		last := &fields[len(fields)-1]
		if width-used >= narrowest {
			last.width = width - used
			return fields
		}
		highest := slices.MaxFunc(fields, func(a, b field[T]) int { return cmp.Compare(a.rank, b.rank) })
		if highest.rank == 0 {
			last.width = max(0, width-used)
			return fields
		}
		fields = slices.DeleteFunc(fields, func(f field[T]) bool { return f.head == highest.head })
	}
}

// sort sorts rows, and returns the head of the column by which it does; "" if they have an order of their own.
func sort[T any](rows []T, fields []field[T], v *view) (head string) {
	sortable := slices.DeleteFunc(slices.Clone(fields), func(f field[T]) bool { return f.compare == nil })
	if len(sortable) == 0 {
		return ""
	}
	by := sortable[v.sort%len(sortable)]
	slices.SortStableFunc(rows, func(a, b T) int {
		if v.reversed {
			a, b = b, a
		}
		return by.compare(a, b)
	})
	return by.head
}
