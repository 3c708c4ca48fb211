package report

import (
	"database/sql"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
)

func TestBest_ComparesOnlyLikeRuns(t *testing.T) {
	yes, no := sql.NullBool{Bool: true, Valid: true}, sql.NullBool{Valid: true}
	at := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	run := func(id, database, size string, durable sql.NullBool, m job.Metric) repository.Headline {
		at = at.Add(time.Minute)
		return repository.Headline{ID: job.ID(id), Elapsed: 60, Begun: at, Database: database, Workload: "w", Size: size, Durable: durable, Metric: m}
	}
	rate := func(v float64) job.Metric { return job.Metric{Name: "rate", Value: v} }
	took := func(v float64) job.Metric { return job.Metric{Name: "time", Value: v, Unit: "s"} }
	got := map[job.ID]int{}
	brief := run("k", "x", "10", yes, rate(99))
	brief.Elapsed = 59
	list, short := Best([]repository.Headline{
		brief,
		run("a", "x", "10", yes, rate(5)), run("b", "x", "10", yes, rate(7)), run("c", "x", "10", yes, rate(7)), // the first of equals
		run("d", "x", "10", no, rate(90)),                                                                    // not durable
		run("e", "x", "10", sql.NullBool{}, rate(80)),                                                        // durability unknown
		run("f", "x", "20", yes, rate(3)),                                                                    // more data
		run("g", "y", "10", yes, rate(2)),                                                                    // another database
		run("h", "x", "1", yes, took(3)), run("i", "x", "1", yes, took(2)), run("j", "x", "1", yes, took(4)), // the shortest time wins
	})
	if short != 1 {
		t.Errorf("got %d runs that are too short, want 1", short)
	}
	for _, b := range list {
		got[b.ID] = b.Of
	}
	want := map[job.ID]int{"b": 3, "d": 1, "e": 1, "f": 1, "g": 1, "i": 3}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for id, of := range want {
		if got[id] != of {
			t.Errorf("%s: got the best of %d runs, want of %d", id, got[id], of)
		}
	}
}
