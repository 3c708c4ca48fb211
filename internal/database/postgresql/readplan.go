package postgresql

import (
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
)

// readPlan reads the text of EXPLAIN, one line in each row. Steps are the lines with costs: " ->
// Seq Scan on orders (cost=0.00..4.50 rows=150 width=8)". Other lines, such as filters, belong to
// the step above them.
func readPlan(answer database.Table) []job.PlanLine {
	lines := make([]job.PlanLine, 0, len(answer.Rows))
	for _, row := range answer.Rows {
		line := job.PlanLine{Text: strings.TrimRight(row[0], " ")}
		if step, _, costs := strings.Cut(line.Text, "  (cost="); costs {
			line.Step = step
		}
		lines = append(lines, line)
	}
	return lines
}
