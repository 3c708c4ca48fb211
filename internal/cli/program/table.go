package program

import (
	"encoding/json"
	"io"

	"sledge/internal/report"
	"sledge/internal/terminal"
)

// PrintTable prints a table, and names the columns that do not fit.
func (p *Program) PrintTable(t terminal.Table) error {
	for _, row := range t.Rows {
		for i := range row {
			row[i] = report.Printable(row[i])
		}
	}
	text, left := t.Text(p.Width())
	if len(left) > 0 {
		text += report.NoRoom(left) + "\n"
	}
	_, err := io.WriteString(p.Stdout, text)
	return err
}

// PrintJSON prints one document, indented, because people read it too.
func (p *Program) PrintJSON(document any) error {
	p.Documented = true
	e := json.NewEncoder(p.Whole)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}
