package sqlite

import (
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
)

// readPlan draws the tree of EXPLAIN QUERY PLAN. Each row has its id, its parent's id, an unused
// number, and the operation: "SEARCH orders USING INDEX o_custkey (o_custkey=?)". Each line is a
// step; SQLite shows no costs, estimates or constants.
func readPlan(answer database.Table) []job.PlanLine {
	depth := map[string]int{}
	lines := make([]job.PlanLine, 0, len(answer.Rows))
	for _, row := range answer.Rows {
		id, parent, what := row[0], row[1], row[3]
		depth[id] = depth[parent] + 1 // the root, which has no row, has depth 0
		text := strings.Repeat("  ", depth[id]-1) + what
		lines = append(lines, job.PlanLine{Text: text, Step: text})
	}
	return lines
}
