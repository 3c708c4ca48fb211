package mysql

import (
	"regexp"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
)

// ReadPlan reads the JSON of EXPLAIN FORMAT=JSON and of MariaDB's ANALYZE FORMAT=JSON, or the tree
// of MySQL's EXPLAIN ANALYZE, in which steps begin with an arrow.
//
// In JSON, the steps are the objects and lists, such as filesort, and these members: the table with
// its access and key, and the use of a buffer, a file or a temporary table.
func ReadPlan(answer database.Table) []job.PlanLine {
	var lines []job.PlanLine
	for _, row := range answer.Rows {
		whole := row[len(row)-1]
		step := stepOfTree
		if strings.HasPrefix(whole, "{") {
			step = stepOfJSON
		}
		for text := range strings.Lines(whole) {
			text = strings.TrimRight(text, "\n ")
			lines = append(lines, job.PlanLine{Text: text, Step: step(text)})
		}
	}
	return lines
}

// member matches a line of JSON that begins with the name of a member.
var member = regexp.MustCompile(`^( *)"([^"]+)": (.*?),?$`)

// told matches members whose values are part of a plan's shape. counted matches members that are
// objects or lists, but not steps, because they only hold figures or names of columns.
var (
	told    = regexp.MustCompile(`^(table_name|access_type|key|using_.*|materialized|cacheable|dependent)$`)
	counted = regexp.MustCompile(`^(possible_keys|used_key_parts|used_columns|ref|cost_info|query_optimization|partitions|r_.*)$`)
)

func stepOfJSON(text string) string {
	m := member.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	indent, name, value := m[1], m[2], m[3]
	opens := strings.HasSuffix(value, "{") || strings.HasSuffix(value, "[")
	switch {
	case opens && !counted.MatchString(name):
		return indent + name
	case !opens && told.MatchString(name):
		return indent + name + " " + strings.Trim(value, `"`)
	}
	return ""
}

// behind matches the text after the step in a line of a tree: costs, times and constants.
var behind = regexp.MustCompile(`  \((cost|actual|never).*$| over \(.*$`)

func stepOfTree(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " "), "-> ") {
		return ""
	}
	step, _, _ := strings.Cut(behind.ReplaceAllString(text, ""), ": ") // constants follow
	return step
}
