package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"sledge/internal/job"
)

// Where both factors have their second value, the figure is a fifth higher than their effects alone would make it.
func TestExperiment_HasInteractions(t *testing.T) {
	var runs []job.Job
	for _, cell := range []struct {
		users, sql, cache string
		figure            float64
	}{
		{"1", "false", "a", 100},
		{"4", "false", "a", 200},
		{"1", "true", "a", 150},
		{"4", "true", "a", 360},
		{"1", "false", "b", 1000},
		{"4", "false", "b", 2000},
		{"1", "true", "b", 1500},
		{"4", "true", "b", 3600},
	} {
		j := job.Job{ID: "67FD3345479A03E263133333", Status: job.Succeeded, Spec: job.Spec{Labels: map[string]string{"users": cell.users, "sql": cell.sql, "cache": cell.cache}}}
		j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: cell.figure}}
		runs = append(runs, j)
	}
	e := NewExperiment("x", []string{"users", "sql", "cache"}, runs)
	if len(e.Interactions) != 3 {
		t.Fatalf("got %+v, want one of each two factors", e.Interactions)
	}
	first, rest := e.Interactions[0], e.Interactions[1:]
	if first.Factor != "sql" || first.With != "users" || first.Base != "false" || first.WithValue != "4" || math.Abs(first.Ratio-1.2) > 1e-9 || math.Abs(first.Least-1.2) > 1e-9 || first.Groups != 2 {
		t.Errorf("got %+v, want 1.2 for sql with users", first)
	}
	for _, one := range rest {
		if math.Abs(one.Ratio-1) > 1e-9 || one.Groups != 2 {
			t.Errorf("got %+v, want none", one)
		}
	}
	var text strings.Builder
	if err := e.Text(&text, View{}); err != nil || !strings.Contains(text.String(), "sql     false to true  users  1 to 4         +20.0 %") {
		t.Errorf("got %v and %s", err, &text)
	}
	if one := NewExperiment("x", nil, runs[:1]); one.Factors == nil || one.Text(&text, View{}) != nil || !strings.Contains(text.String(), "Highest median of NOPM: 100.0, from 1 run") {
		t.Errorf("got %+v and %s of an experiment in which nothing varies", one, &text)
	}
	if alone := NewExperiment("x", []string{"users"}, runs[:2]); len(alone.Interactions) != 0 {
		t.Errorf("got %+v of one factor", alone.Interactions)
	}
}

// In a fraction, in which no two cells differ in one factor only, effects are those of the means, as long as all cells have results.
func TestExperiment_HasEffectsOfAFraction(t *testing.T) {
	factors, effects := []string{"a", "b", "c", "d"}, []float64{1.5, 0.9, 1, 1.2}
	var runs []job.Job
	for _, cell := range []string{"0000", "0011", "0101", "0110", "1111", "1100", "1010", "1001"} {
		j := job.Job{ID: "67FD3345479A03E263133333", Status: job.Succeeded, Spec: job.Spec{Labels: map[string]string{}}}
		figure := 1000.0
		for i, f := range factors {
			if j.Spec.Labels[f] = cell[i : i+1]; cell[i] == '1' {
				figure *= effects[i]
			}
		}
		j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: figure}}
		runs = append(runs, j)
	}
	e := NewExperiment("x", factors, runs)
	if len(e.Effects) != len(factors) || len(e.Interactions) != 0 {
		t.Fatalf("got %+v and %+v, want an effect of each factor", e.Effects, e.Interactions)
	}
	for i, one := range e.Effects {
		if one.Factor != factors[i] || math.Abs(one.Ratio-effects[i]) > 1e-9 || one.Pairs != 0 || one.Least != nil {
			t.Errorf("got %+v, want %g", one, effects[i])
		}
	}
	if text := (&strings.Builder{}); e.Text(text, View{}) != nil || !strings.Contains(text.String(), "all cells of the fraction") {
		t.Errorf("got %s", text)
	}
	if unbalanced := NewExperiment("x", factors, runs[:7]); len(unbalanced.Effects) != 0 {
		t.Errorf("got %+v of seven of eight cells, want none", unbalanced.Effects)
	}
}

func TestCompareValues_OrdersBySize(t *testing.T) {
	want := []string{"-1", "0", "512kB", "4MB", "16MB", "1GB"}
	for _, order := range [][]string{want, {"1ms", "2s", "1min", "1h"}, {"2 Initial", "10 Other"}, {"off", "on"}, {"0.5", "1", "1e3"}} {
		shuffled := slices.Clone(order)
		slices.Reverse(shuffled)
		if slices.SortFunc(shuffled, CompareValues); !slices.Equal(shuffled, order) {
			t.Errorf("got %q, want %q", shuffled, order)
		}
	}
}

// An experiment says which of its cells have cheaper commits, and CSV has a line for each run.
func TestExperiment_NamesCellsThatMayLoseCommits(t *testing.T) {
	var runs []job.Job
	for _, value := range []string{"on", "off", "off"} {
		j := job.Job{ID: "67FD3345479A03E263133333", Status: job.Succeeded, Spec: job.Spec{Labels: map[string]string{"server.synchronous_commit": value}}}
		j.Facts = &job.Facts{Durability: &job.Durability{Holds: value == "on", Why: "synchronous_commit is " + value}}
		j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: 1000}}
		runs = append(runs, j)
	}
	factors := []string{"server.synchronous_commit"}
	var text, lines strings.Builder
	if err := NewExperiment("sync", factors, runs).Text(&text, View{}); err != nil {
		t.Fatal(err)
	}
	if want := "! In 1 of 2 cells a power failure may lose commits (synchronous_commit is off): do not compare them with others."; !strings.Contains(text.String(), want) {
		t.Errorf("got %s, want %q in it", &text, want)
	}
	if err := ExperimentCSV(&lines, factors, runs); err != nil {
		t.Fatal(err)
	}
	want := "run,begun,status,users,elapsed_s,server.synchronous_commit,NOPM,p99_ms\n67FD3345479A03E263133333,0001-01-01T00:00:00Z,succeeded,0,0,on,1000,\n"
	if got := lines.String(); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 4 {
		t.Errorf("got %s, want it to begin with %s", got, want)
	}
}

// A run that is far from the others of its cell is named, and counts.
func TestExperiment_NamesOutliers(t *testing.T) {
	var runs []job.Job
	for i, figure := range []float64{1000, 1010, 990, 1005, 995, 700} {
		j := job.Job{ID: job.ID(fmt.Sprintf("%024X", 0xA00+i)), Status: job.Succeeded}
		j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: figure}}
		runs = append(runs, j)
	}
	e := NewExperiment("x", nil, runs)
	if got := e.Cells[0].Outliers; len(got) != 1 || got[0] != runs[5].ID || e.Cells[0].Result.Runs != 6 {
		t.Errorf("got %v of %+v, want the last run", got, e.Cells[0])
	}
	if text := (&strings.Builder{}); e.Text(text, View{}) != nil || !strings.Contains(text.String(), "! Outliers") {
		t.Errorf("got %s", text)
	}
	if few := NewExperiment("x", nil, runs[1:]); len(few.Cells[0].Outliers) != 0 {
		t.Errorf("got %v of five runs", few.Cells[0].Outliers)
	}
}

// The table of runs as Parquet has the values of CSV. A factor with the name of another column gets another one.
func TestExperimentParquet_HasTheRuns(t *testing.T) {
	begun := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	var runs []job.Job
	for i, id := range []job.ID{"67FD3345479A03E263133333", "67FD3345479A03E263134444"} {
		j := job.Job{ID: id, Status: job.Succeeded, Begun: begun, Spec: job.Spec{Labels: map[string]string{"users": strconv.Itoa(i + 1), "server.work_mem": "4MB"}}}
		if j.Result.Users = i + 1; i == 0 {
			j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: 1234.5}}
		}
		runs = append(runs, j)
	}
	var file bytes.Buffer
	if err := ExperimentParquet(&file, []string{"users", "server.work_mem"}, runs); err != nil {
		t.Fatal(err)
	}
	r := parquet.NewReader(bytes.NewReader(file.Bytes()))
	defer r.Close()
	var names []string
	for _, path := range r.Schema().Columns() {
		names = append(names, path[0])
	}
	if got, want := strings.Join(names, ","), "NOPM,begun,elapsed_s,label users,p99_ms,run,server.work_mem,status,users"; got != want {
		t.Fatalf("got the columns %s, want %s", got, want)
	}
	rows := make([]parquet.Row, 3)
	n, err := r.ReadRows(rows)
	if n != 2 || err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("got %d rows and %v", n, err)
	}
	first, second := rows[0], rows[1]
	if first[0].Double() != 1234.5 || !second[0].IsNull() || first[1].Int64() != begun.UnixMilli() || string(first[3].ByteArray()) != "1" || string(second[5].ByteArray()) != string(runs[1].ID) || second[8].Int64() != 2 {
		t.Errorf("got %v and %v", first, second)
	}
}
