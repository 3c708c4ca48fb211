package report

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

func TestAnswer_ShowsRowsInColumns(t *testing.T) {
	a := job.Answer{
		Kind: "query 4", Text: "SELECT o_orderpriority,\n       COUNT(*) AS order_count\nFROM orders\n",
		Columns: []string{"o_orderpriority", "order_count"},
		Rows:    [][]string{{"1-URGENT       ", "999"}, {"2-HIGH         ", "12345"}, {"NULL", "NULL"}}, More: 1200,
	}
	want := []string{
		"query 4:", "  SELECT o_orderpriority,", "         COUNT(*) AS order_count", "  FROM orders",
		"o_orderpriority  order_count", "1-URGENT                 999", "2-HIGH                 12345", "NULL                    NULL",
		"and 1,200 more rows",
	}
	if got := Answer(a, 0); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, width := range []int{20, 24, 40, 80} {
		for _, line := range Answer(a, width) {
			if terminal.Width(line) > width {
				t.Errorf("%d columns: a line takes %d: %q", width, terminal.Width(line), line)
			}
		}
	}
	a.More = 1
	if got := Answer(a, 80); got[len(got)-1] != "and 1 more row" {
		t.Errorf("got %q, want one more row", got)
	}
	a.Rows, a.More = nil, 0
	if got := Answer(a, 80); got[len(got)-1] != "no rows" {
		t.Errorf("got %q, want no rows", got)
	}
}
