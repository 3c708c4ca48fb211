package report

import (
	"fmt"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// Answer formats a query and its answer as lines of at most width columns; 0 means no limit. The
// lines hold the query's text, the rows in columns, and the number of rows left out.
func Answer(a job.Answer, width int) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", a.Kind)
	for line := range strings.Lines(strings.TrimSpace(a.Text) + "\n") {
		b.WriteString("  " + Printable(strings.TrimRight(line, "\n")) + "\n")
	}
	text := terminal.Fold(b.String(), width)
	switch {
	case len(a.Columns) == 0:
		return strings.Split(strings.TrimRight(text, "\n"), "\n")
	case len(a.Rows) == 0:
		text += "no rows"
	default:
		table := answerTable(a)
		rows, _ := table.Text(width)
		text += rows
	}
	switch a.More {
	case 0:
	case 1:
		text += "and 1 more row"
	default:
		text += fmt.Sprintf("and %s more rows", count(a.More))
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// answerTable returns the table of the rows. Columns of numbers are aligned to the right.
func answerTable(a job.Answer) terminal.Table {
	t := terminal.Table{Columns: terminal.Heads(a.Columns...)}
	for i := range t.Columns {
		t.Columns[i].Head = Printable(t.Columns[i].Head)
	}
	for _, row := range a.Rows {
		cells := make([]string, len(row))
		for i, value := range row {
			cells[i] = Printable(strings.TrimSpace(value)) // values of CHAR columns end with blanks
			if _, err := strconv.ParseFloat(cells[i], 64); err != nil && cells[i] != "NULL" {
				t.Columns[i].Left = true
			}
		}
		t.Row(cells...)
	}
	return t
}
