package repository

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
)

func TestList_CutsLongReasons(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	reason := "the server said: " + strings.Repeat("x", 2000)
	r := begin(t, s, job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc"})
	if err := r.End(t.Context(), job.Result{Status: job.Failed, Reason: reason}, errors.New(reason)); err != nil {
		t.Fatal(err)
	}
	jobs, err := s.List(t.Context(), Query{})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("got %d jobs, %v; want one", len(jobs), err)
	}
	if got := jobs[0].Reason; len(got) > job.LongestInList || !strings.HasPrefix(reason, got[:270]) || !strings.HasSuffix(got, " bytes more") {
		t.Errorf("in a list: got a reason of %d bytes, %q; want its first %d", len(got), got, job.LongestInList)
	}
	whole, err := s.Get(t.Context(), jobs[0].ID)
	if err != nil || whole.Reason != reason {
		t.Errorf("from Get: got a reason of %d bytes, %v; want all %d", len(whole.Reason), err, len(reason))
	}
}

func TestList_SortsAndGoesOnAnywhere(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	// Figures and durations in ms of jobs that begin one after another; the second is still running, and the last failed.
	figures := []string{`"NOPM", "value": 900`, ``, `"NOPM", "value": 1000.5`, `"QphH", "value": 3`, ``}
	lengths := []int{30, 0, 20, 30, 10}
	for i, figure := range figures {
		r := begin(t, s, job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc", Labels: map[string]string{"n": strconv.Itoa(i)}})
		result := "{}"
		if figure != "" {
			result = `{"metrics": [{"name": ` + figure + `}]}`
		}
		if _, err := s.db.Exec(`UPDATE job SET begun_ms = ?1, ended_ms = nullif(?1 + ?2, ?1), result = ?3 WHERE id = ?4`, 1000*i, lengths[i], result, r.ID()); err != nil {
			t.Fatal(err)
		}
	}
	list := func(q Query) (order string, last job.ID) {
		t.Helper()
		jobs, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			order, last = order+j.Spec.Labels["n"], j.ID
		}
		return order, last
	}
	for sort, want := range map[Sort]string{"": "43210", Newest: "43210", Longest: "30241", Highest: "32041"} {
		if got, _ := list(Query{Sort: sort}); got != want {
			t.Errorf("order %q: got %s, want %s", sort, got, want)
		}
		for before, got := job.ID(""), ""; len(got) < len(want); {
			part, last := list(Query{Sort: sort, Before: before, Limit: 2})
			if got += part; part == "" || !strings.HasPrefix(want, got) {
				t.Fatalf("order %q in parts: got %s, want %s", sort, got, want)
			}
			before = last
		}
		if got, _ := list(Query{Sort: sort, Since: time.UnixMilli(1000), Until: time.UnixMilli(3000)}); len(got) != 2 || strings.ContainsAny(got, "034") {
			t.Errorf("order %q from the second to the fourth: got %s, want 1 and 2", sort, got)
		}
	}
	brief, err := s.List(t.Context(), Query{Sort: Highest, Figures: true, Limit: 3})
	if err != nil || len(brief) != 3 || brief[2].Result.Metrics[0] != (job.Metric{Name: "NOPM", Value: 900}) || brief[2].Spec.Labels["n"] != "0" {
		t.Errorf("only figures: got %+v, %v; want those of the jobs with a figure", brief, err)
	}
	if _, err := s.List(t.Context(), Query{Sort: "random"}); err == nil {
		t.Error("an unknown order: got no error")
	}
	// Otherwise each page of a long list would read and sort the whole list.
	for sort, keys := range sortKeys {
		part, values, err := s.partOf(t.Context(), Query{Before: "last", Since: time.UnixMilli(1), Until: time.UnixMilli(9)}, keys)
		if err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, s, listSQL(jobColumns, keys, part), append([]any{"", "", "", "", 0, "{}", "[]", "[]"}, values...)...)
		if !strings.Contains(plan[0], " USING INDEX job_by_") || slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, "ORDER BY") }) {
			t.Errorf("order %s: got the plan %q, want an index in the order of the list", sort, plan)
		}
	}
}

// planOf returns the steps of SQLite's plan of a statement.
func planOf(t *testing.T, s *Store, statement string, parameters ...any) (plan []string) {
	t.Helper()
	rows, err := s.db.Query("EXPLAIN QUERY PLAN "+statement, parameters...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}
