package report

import (
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report/reporttest"
)

// runOfStatements returns a run with three top statements: the plan of the first changed twice, that of the second
// stayed, and the third has none.
func runOfStatements(firstPlans ...string) Measured {
	j := job.Job{
		ID: "67FD3345479A03E263133333", Begun: reporttest.Began, Status: job.Succeeded,
		Spec: job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 2, Seed: 1},
	}
	top := []job.Statement{
		{ID: "1", Text: "SELECT l_quantity FROM lineitem, part WHERE p_name LIKE ?", Calls: 100, Seconds: 3, Rows: 100},
		{ID: "2", Text: "UPDATE stock SET s_quantity = ?", Calls: 10, Seconds: 1, PlansSeen: []float64{0.9}},
		{ID: "3", Text: "CALL payment(?)", Calls: 10, Seconds: 1, NoPlan: "only SELECT, INSERT, UPDATE, DELETE and WITH have plans"},
	}
	for i, text := range firstPlans {
		plan := planOfLines("", text)
		plan.Statement, plan.Query, plan.Seen = "1", top[0].Text, 0.9+41*float64(i)
		top[0].PlansSeen = append(top[0].PlansSeen, plan.Seen)
		j.Result.Plans = append(j.Result.Plans, plan)
	}
	other := planOfLines("", cheap)
	other.Statement, other.Query, other.Seen = "2", top[1].Text, 0.9
	j.Result.Plans = append(j.Result.Plans, other)
	j.Result.Statements = &job.Statements{Seconds: 300, Top: top}
	return Measured{Job: j, Plans: j.Result.Plans}
}

func TestStatements_ShowPlansThatChanged(t *testing.T) {
	r := runOfStatements(byIndex, byHash, cheap)
	shown := func(v View) string {
		var b strings.Builder
		v.Whole, v.Server = true, true
		if err := Text(&b, r.Job, meter.Summary{}, v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, want := range []string{
		"the plan of SELECT l_quantity FROM lineitem, part WHERE p_name LIKE ? changed in second 42, 83",
		"changed in second 42, 83", "same", "No plan: only SELECT, INSERT, UPDATE, DELETE and WITH have plans.",
		"Plan changed in second 42: SELECT l_quantity", "  before\n", "  from second 42 on\n", "- " + "  ->  Nested Loop", "+ " + "  ->  Hash Join", "Plan changed in second 83: SELECT l_quantity",
	} {
		if got := shown(View{}); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q in it", got, want)
		}
	}
	if got := shown(View{Width: 120}); !strings.Contains(got, " | +   ->  Hash Join") && !strings.Contains(got, "| + ") {
		t.Errorf("got\n%s\nwant both plans side by side", got)
	}
	nothingWider(t, shown)
	page := NewSheet(r.Job, meter.Summary{}, "")
	found := false
	for _, part := range page.Parts {
		for _, i := range part.Items {
			found = found || part.Title == "Plan changed in second 42" && strings.Contains(i.Text, "\n+   ->  Hash Join")
		}
	}
	if !found {
		t.Errorf("got %+v, want the plan with its indentation", page.Parts)
	}
}

func TestStatements_AreComparedByTextAndLastPlan(t *testing.T) {
	a, b := runOfStatements(byIndex), runOfStatements(byIndex, byHash)
	b.Job.ID = "67FD3345479A03E263133334"
	b.Job.Result.Statements.Top[0].ID, b.Job.Result.Statements.Top[0].Seconds = "another", 6
	c := Compare([]Measured{a, b}, unset)
	if len(c.Statements) != 3 || *c.Statements[0].Ratios[1] != 2 || !*c.Statements[0].PlanChanged[1] || *c.Statements[1].PlanChanged[1] || c.Statements[2].PlanChanged[1] != nil {
		t.Errorf("got %+v", c.Statements)
	}
	shown := func(v View) string {
		var b strings.Builder
		if err := c.Text(&b, v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := shown(View{}); !strings.Contains(got, "60.00  2.00  changed  SELECT l_quantity") || !strings.Contains(got, "1.00  same     UPDATE stock") {
		t.Errorf("got\n%s", got)
	}
	nothingWider(t, shown)
	plans := NewPlans([]PlansOfRun{{ID: a.Job.ID, Plans: a.Plans}, {ID: b.Job.ID, Plans: b.Plans}}, func(string) bool { return true })
	var text strings.Builder
	if err := plans.Text(&text, View{}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"SELECT l_quantity FROM lineitem, part WHERE p_name LIKE ?: the plan changed", "first seen in second 42", "The same operators, tables and indexes: one statement."} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s\nwant %q", &text, want)
		}
	}
}
