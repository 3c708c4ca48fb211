package duckdb

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// operator is a node in the JSON of EXPLAIN or EXPLAIN ANALYZE. EXPLAIN sets Name. EXPLAIN ANALYZE
// sets Analyzed instead, and the figures. A detail in Extra is a text or a list of texts.
type operator struct {
	Name     string         `json:"name"`
	Analyzed string         `json:"operator_name"`
	Extra    map[string]any `json:"extra_info"`
	Rows     int64          `json:"operator_cardinality"`
	Seconds  float64        `json:"operator_timing"` // summed over all threads
	Children []operator     `json:"children"`
}

// readPlan draws the operators as a tree, each with its details in the lines below, because the
// JSON has a line for each bracket. Text that is not a plan stays unchanged.
func readPlan(answer database.Table) []job.PlanLine {
	var lines []job.PlanLine
	for _, row := range answer.Rows {
		text := row[len(row)-1]
		var roots []operator
		if strings.HasPrefix(text, "{") {
			text = "[" + text + "]"
		}
		if err := json.Unmarshal([]byte(text), &roots); err != nil {
			for line := range strings.Lines(text) {
				lines = append(lines, job.PlanLine{Text: strings.TrimRight(line, "\n")})
			}
			continue
		}
		for _, root := range roots {
			lines = root.draw(lines, 0)
		}
	}
	return lines
}

// draw adds the lines of the operator, and of the operators that it reads from.
func (o operator) draw(lines []job.PlanLine, depth int) []job.PlanLine {
	name := strings.TrimSpace(o.Name + o.Analyzed)
	below := depth
	if name != "" && name != "EXPLAIN_ANALYZE" { // the root and the EXPLAIN itself are not drawn
		below++
		indent := strings.Repeat("  ", depth)
		line := job.PlanLine{Step: indent + name}
		if table, is := o.Extra["Table"].(string); is { // a file name may precede the table's name
			line.Step += " " + table[strings.LastIndexByte(table, '.')+1:]
		}
		if join, is := o.Extra["Join Type"].(string); is {
			line.Step += " " + join
		}
		line.Text = line.Step
		if scan, is := o.Extra["Type"].(string); is { // chosen during execution
			line.Text += ", " + scan
		}
		if estimate, told := o.Extra["Estimated Cardinality"]; told {
			line.Text += fmt.Sprintf("  (estimated rows=%v)", estimate)
		}
		if o.Analyzed != "" {
			line.Text += fmt.Sprintf("  (actual time=%s rows=%d)", time.Duration(o.Seconds*float64(time.Second)).Round(time.Microsecond), o.Rows)
		}
		lines = append(lines, line)
		for _, what := range slices.Sorted(maps.Keys(o.Extra)) {
			if !slices.Contains([]string{"Table", "Type", "Join Type", "Estimated Cardinality"}, what) {
				lines = append(lines, job.PlanLine{Text: fmt.Sprintf("%s    %s: %s", indent, what, spelled(o.Extra[what]))})
			}
		}
	}
	for _, child := range o.Children {
		lines = child.draw(lines, below)
	}
	return lines
}

// spelled returns a detail of an operator, in one line.
func spelled(known any) string {
	list, several := known.([]any)
	if !several {
		list = []any{known}
	}
	words := make([]string, len(list))
	for i, one := range list {
		words[i] = strings.Join(strings.Fields(fmt.Sprint(one)), " ")
	}
	return strings.Join(words, ", ")
}
