package db2

import (
	"slices"
	"testing"

	"sledge/internal/database"
	"sledge/internal/job"
)

// The rows follow IBM's description of the EXPLAIN tables; no server has written them. Two
// operators read a TEMP table, and EXPLAIN itself has added one predicate.
func TestReadPlan_DrawsTree(t *testing.T) {
	answer := database.Table{Rows: [][]string{
		{"predicate", "3", "2", "JOIN", "(Q1.L_SUPPKEY =\n Q2.S_SUPPKEY)", "0.01"},
		{"predicate", "4", "-1", "SARG", "made up by EXPLAIN", "-1"},
		{"argument", "3", "0", "OUTERJN", "LEFT (ANTI)", "0"},
		{"stream", "-1", "5", "lineitem", "D", "60175"},
		{"stream", "-1", "7", "key of supplier", "D", "100"},
		{"stream", "-1", "6", "supplier", "D", "100"},
		{"stream", "2", "1", "", "O", "100"},
		{"stream", "3", "2", "", "O", "411.5"},
		{"stream", "4", "3", "", "O", "60175"},
		{"stream", "5", "4", "", "O", "60175"},
		{"stream", "6", "3", "", "O", "1"},
		{"stream", "7", "6", "", "O", "1"},
		{"stream", "4", "7", "", "O", "60175"},
		{"operator", "1", "0", "RETURN", "", "2.00512345e+04"},
		{"operator", "2", "0", "SORT", "", "20051.2"},
		{"operator", "3", "0", "NLJOIN", "", "20050"},
		{"operator", "4", "0", "TEMP", "", "9000"},
		{"operator", "5", "0", "TBSCAN", "", "8000"},
		{"operator", "6", "0", "FETCH", "", "13.5"},
		{"operator", "7", "0", "IXSCAN", "", "6.7"},
	}}
	want := []job.PlanLine{
		{Step: "RETURN", Text: "RETURN  (estimated cost=20051.2)"},
		{Step: "  SORT", Text: "  SORT  (estimated rows=100 cost=20051.2)"},
		{Step: "    NLJOIN (left (anti))", Text: "    NLJOIN (left (anti))  (estimated rows=411.5 cost=20050)"},
		{Text: "        join: (Q1.L_SUPPKEY = Q2.S_SUPPKEY)"},
		{Step: "      TEMP", Text: "      TEMP  (estimated rows=60175 cost=9000)"},
		{Step: "        TBSCAN lineitem", Text: "        TBSCAN lineitem  (estimated rows=60175 cost=8000)"},
		{Step: "      FETCH supplier", Text: "      FETCH supplier  (estimated rows=1 cost=13.5)"},
		{Step: "        IXSCAN key of supplier", Text: "        IXSCAN key of supplier  (estimated rows=1 cost=6.7)"},
		{Step: "          TEMP", Text: "          TEMP, the same as above"},
	}
	if got := readPlan(answer); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", job.QueryPlan{Lines: got}.Shape(), job.QueryPlan{Lines: want}.Shape())
		for _, line := range got {
			t.Logf("%q %q", line.Step, line.Text)
		}
	}
	slices.Reverse(answer.Rows)
	if got := readPlan(answer); !slices.Equal(got, want) {
		t.Error("the plan depends on the order of the rows")
	}
	for _, rows := range [][][]string{{{"operator", "1"}}, {{"operator", "one", "0", "RETURN", "", "1"}}, nil} {
		if got := readPlan(database.Table{Rows: rows}); len(got) != 0 {
			t.Errorf("%v: got %v, want no plan", rows, got)
		}
	}
}

// Operators that form a cycle do not cause an endless loop.
func TestReadPlan_EndsOnCycle(t *testing.T) {
	got := readPlan(database.Table{Rows: [][]string{
		{"operator", "1", "0", "RETURN", "", "1"},
		{"operator", "2", "0", "TEMP", "", "1"},
		{"operator", "3", "0", "UNION", "", "1"},
		{"stream", "2", "1", "", "O", "1"},
		{"stream", "3", "2", "", "O", "1"},
		{"stream", "2", "3", "", "O", "1"},
	}})
	if len(got) != 4 {
		t.Errorf("got %d lines, %v; want each operator drawn once", len(got), got)
	}
}
