package terminal

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Column is a column of a table.
type Column struct {
	Head string
	Left bool // aligned to the left, as words are; otherwise to the right, as numbers are

	// Rank says which columns a narrow terminal leaves out: the highest rank first. Columns of rank
	// 0 stay.
	Rank int

	// Short, if not nil, formats a cell in less room. It is tried before any column is left out.
	Short func(cell string) string

	// Wrapped says whether cells may be broken into several lines. At most one column of words may
	// be wrapped.
	Wrapped bool
}

// Table is rows in columns. The columns are two spaces apart. If the first column is aligned to the
// right, the table is indented by two spaces.
type Table struct {
	Columns []Column
	Rows    [][]string // a row may have fewer cells than there are columns

	// Bare hides the heads.
	Bare bool
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Heads returns columns that are aligned to the right and are never left out.
func Heads(heads ...string) []Column {
	columns := make([]Column, len(heads))
	for i, h := range heads {
		columns[i].Head = h
	}
	return columns
}

// narrowestWrap is the minimum width of a wrapped column.
const narrowestWrap = 16

// Text formats the table as lines, each with its newline. It also returns the heads of the
// columns left out because the terminal is too narrow. A row that still does not fit becomes a
// line for each of its cells.
func (t *Table) Text(width int) (text string, left []string) {
	columns, rows := slices.Clone(t.Columns), t.cells()
	if width > 0 {
		columns, rows, left = fit(columns, rows, width)
	}
	room := 0 // width of the wrapped column; 0 for its full width
	if wide := total(columns, rows); width > 0 && wide > width {
		wrapped := slices.IndexFunc(columns, func(c Column) bool { return c.Wrapped })
		if wrapped >= 0 {
			room = widths(columns, rows)[wrapped] - (wide - width)
		}
		if room < narrowestWrap {
			return stacked(t.Columns, t.cells(), width), nil
		}
	}
	var b strings.Builder
	if room > 0 {
		rows = wrap(columns, rows, room)
	}
	size := widths(columns, rows)
	if t.Bare {
		rows = rows[1:]
	}
	for _, cells := range rows {
		writeRow(&b, columns, size, cells)
	}
	return b.String(), left
}

// Wide returns the full width of the table.
func (t *Table) Wide() int { return total(t.Columns, t.cells()) }

// cells returns the heads and the rows below them, padded to the number of columns.
func (t *Table) cells() [][]string {
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if !t.Bare {
			heads[i] = c.Head
		}
	}
	rows := [][]string{heads}
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		copy(cells, row)
		rows = append(rows, cells)
	}
	return rows
}

// fit shortens cells and leaves out columns until the table fits the terminal or nothing more
// can be shortened.
func fit(columns []Column, rows [][]string, width int) ([]Column, [][]string, []string) {
	if total(columns, rows) > width {
		for i, c := range columns {
			if c.Short == nil {
				continue
			}
			for _, row := range rows[1:] {
				row[i] = c.Short(row[i])
			}
		}
	}
	// A wrapped column needs only narrowestWrap.
	least := func() int {
		wide := total(columns, rows)
		for i, size := range widths(columns, rows) {
			if columns[i].Wrapped && size > narrowestWrap {
				wide -= size - narrowestWrap
			}
		}
		return wide
	}
	var left []string
	for least() > width {
		worst := 0
		for i, c := range columns {
			if c.Rank > columns[worst].Rank {
				worst = i
			}
		}
		if columns[worst].Rank == 0 {
			break
		}
		left = append(left, columns[worst].Head)
		columns = slices.Delete(columns, worst, worst+1)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], worst, worst+1)
		}
	}
	return columns, rows, left
}

func widths(columns []Column, rows [][]string) []int {
	list := make([]int, len(columns))
	for _, row := range rows {
		for i, cell := range row {
			list[i] = max(list[i], Width(cell))
		}
	}
	return list
}

// total returns the width of the rows.
func total(columns []Column, rows [][]string) int {
	sum := 0
	for i, size := range widths(columns, rows) {
		sum += size
		if i > 0 || !columns[0].Left {
			sum += gap
		}
	}
	return sum
}

// wrap breaks the cells of the wrapped column. The lines after the first become rows without
// other cells.
func wrap(columns []Column, rows [][]string, room int) [][]string {
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Wrapped })
	var list [][]string
	for _, row := range rows {
		for i, line := range words(row[at], room) {
			cells := make([]string, len(row))
			if i == 0 {
				copy(cells, row)
			}
			cells[at] = line
			list = append(list, cells)
		}
	}
	return list
}

// words breaks text into lines of at most width columns, without indentation.
func words(text string, width int) []string {
	var lines []string
	for Width(text) > width {
		head := max(breakAt(text, width), 1)
		lines = append(lines, strings.TrimRight(text[:head], " "))
		text = strings.TrimLeft(text[head:], " ")
	}
	return append(lines, text)
}

func writeRow(b *strings.Builder, columns []Column, size []int, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 || !columns[0].Left {
			line.WriteString(strings.Repeat(" ", gap))
		}
		fill := strings.Repeat(" ", size[i]-Width(cell))
		if columns[i].Left {
			line.WriteString(cell + fill)
		} else {
			line.WriteString(fill + cell)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
	b.WriteByte('\n')
}

// stacked formats each row as a line for each of its cells, with an empty line between rows.
func stacked(columns []Column, rows [][]string, width int) string {
	names := 0
	for _, c := range columns {
		names = max(names, Width(c.Head))
	}
	var b strings.Builder
	for i, row := range rows[1:] {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, cell := range row {
			if cell != "" {
				b.WriteString(Fold(runewidth.FillRight(columns[j].Head, names)+"  "+cell, width) + "\n")
			}
		}
	}
	return b.String()
}
