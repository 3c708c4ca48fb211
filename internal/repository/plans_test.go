package repository

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"sledge/internal/job"
)

func TestPlans_AreCompressedAndDeletedWithTheirJob(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r := begin(t, s, job.Spec{Action: job.Run, Database: "postgresql", Workload: "tproch"})
	var plans []job.QueryPlan
	size := 0
	for i := range 22 {
		plan := job.QueryPlan{Kind: fmt.Sprintf("query %d", i+1), Stream: 3, Query: "SELECT 1", Timed: true, Seconds: 0.5, Error: "no"}
		for k := range 40 {
			text := fmt.Sprintf("%*s->  Seq Scan on lineitem  (cost=0.00..%d.00 rows=%d width=8)", k, "", 17*k+i, k)
			plan.Lines = append(plan.Lines, job.PlanLine{Text: text, Step: "->  Seq Scan on lineitem"})
			size += len(text)
		}
		plans = append(plans, plan)
	}
	if err := r.End(t.Context(), job.Result{Queries: job.Queries{Plans: plans}}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := s.Plans(t.Context(), r.ID())
	if err != nil || !reflect.DeepEqual(got, plans) {
		t.Errorf("got %+v and error %v, want %+v", got, err, plans)
	}
	var bytes, left int
	if err := s.db.QueryRow("SELECT length(plans) FROM plans").Scan(&bytes); err != nil || bytes > size/4 {
		t.Errorf("got %d bytes and error %v for %d characters of plans, want a quarter at most", bytes, err, size)
	}
	if err := s.Delete(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	if err := s.db.QueryRow("SELECT count(*) FROM plans").Scan(&left); err != nil || left != 0 {
		t.Errorf("after the job was deleted: got %d rows and error %v, want none", left, err)
	}
	without := begin(t, s, job.Spec{Action: job.Run, Database: "postgresql", Workload: "tproch"})
	if err := without.End(t.Context(), job.Result{}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Plans(t.Context(), without.ID()); err != nil || got != nil {
		t.Errorf("a job without plans: got %+v and error %v", got, err)
	}
}
