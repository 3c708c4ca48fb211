package repository

import (
	"testing"

	"sledge/internal/job"
)

func TestCeiling_IsTheNewestOfTheMachine(t *testing.T) {
	store, err := Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	here := job.Host{Name: "here", CPUs: 2}
	measured := func(database string, machine job.Host, perSecond float64, status job.Status) job.ID {
		t.Helper()
		r, err := store.Begin(t.Context(), job.Spec{Action: job.MeasureCeiling, Database: database, Workload: "tprocc"}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.Watch(job.Event{Facts: &job.Facts{Host: machine}})
		if err := r.End(t.Context(), job.Result{Status: status, Ceiling: &job.Ceiling{TransactionsPerSecond: perSecond}}, nil); err != nil {
			t.Fatal(err)
		}
		return r.ID()
	}
	if j, err := store.Ceiling(t.Context(), "postgresql", "tprocc", here); j != nil || err != nil {
		t.Errorf("an empty repository has the ceiling %+v, %v", j, err)
	}
	measured("postgresql", here, 1, job.Succeeded)
	want := measured("postgresql", here, 2, job.Succeeded)
	measured("postgresql", job.Host{Name: "elsewhere", CPUs: 2}, 3, job.Succeeded)
	measured("postgresql", job.Host{Name: "here", CPUs: 4}, 4, job.Succeeded)
	measured("mysql", here, 5, job.Succeeded)
	measured("postgresql", here, 6, job.Partial)
	j, err := store.Ceiling(t.Context(), "postgresql", "tprocc", here)
	if err != nil || j == nil || j.ID != want || j.Result.Ceiling.TransactionsPerSecond != 2 {
		t.Errorf("got %+v, %v, want job %s", j, err, want)
	}
}

func TestLastReached_IsOfTheNewestRunOnTheTarget(t *testing.T) {
	store, err := Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	run := func(target string, reached *job.CeilingReached) {
		t.Helper()
		r, err := store.Begin(t.Context(), job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc"}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.Watch(job.Event{Facts: &job.Facts{Target: target}})
		result := job.Result{Status: job.Succeeded, Beside: job.Beside{ClientCeiling: reached}}
		if err := r.End(t.Context(), result, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := func(percent float64) {
		t.Helper()
		if got, err := store.LastReached(t.Context(), "postgresql", "tprocc", "db1"); got != percent || err != nil {
			t.Errorf("got %v, %v, want %v", got, err, percent)
		}
	}
	want(0)
	run("db1", &job.CeilingReached{Percent: 12})
	run("db2", &job.CeilingReached{Percent: 90})
	want(12)
	run("db1", nil)
	want(0)
}
