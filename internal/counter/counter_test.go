package counter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/document"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

func planOf(t *testing.T, database, workload string) plan.Plan {
	t.Helper()
	plan, err := engine.Local{Catalog: edition.Catalog}.Plan(job.Spec{Action: job.Check, Database: database, Workload: workload})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestCounter_ReturnsLinesAndASummary(t *testing.T) {
	c, err := New(planOf(t, "postgresql", "tprocc"))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Date(2026, 11, 23, 5, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return begun.Add(time.Duration(second) * time.Second) }
	ten := func(n int64) engine.Delta { return engine.Delta{N: n, In: 10 * time.Second} }
	orders := ten(50)
	var got []string
	for _, r := range []engine.CounterReading{
		{At: at(0)},
		{At: at(10), Counted: ten(100), Probed: &orders},
		{At: at(20), Err: errors.New("refused\nby the server")},
		{At: at(25), Err: errors.New("no route")}, // still away
		{At: at(30)},
		{At: at(40), Counted: ten(300)},
	} {
		line, news := c.Add(r)
		if !news {
			continue
		}
		if line.Schema != document.WatchSchema || (line.Rate == nil) != (line.TPM == nil) {
			t.Errorf("got %+v, want schema, rate and TPM", line)
		}
		text := line.Event + " " + line.Error
		if line.Rate != nil {
			text += fmt.Sprint(*line.Rate)
		}
		if line.Probed != nil {
			text += fmt.Sprint(" ", line.Probed.What, " ", line.Probed.Rate)
		}
		got = append(got, text)
	}
	want := []string{"begun ", "reading 600 new order 300", "away refused; by the server", "back ", "reading 1800"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s := c.Summary(at(40))
	if s.Elapsed != 40 || s.Measured != 20 || s.Intervals != 2 || *s.TPM != (document.Spread{Min: 600, Mean: 1200, Max: 1800}) || s.Probed.Mean != 300 || s.TimesAway != 1 || s.Away != 20 {
		t.Errorf("got %+v, want a summary that excludes the time away", s)
	}
	if text := c.Text(c.End(at(40))); !strings.HasSuffix(text, "ended: 1,200 TPM on average over 20 s, 300 new orders a minute\n") {
		t.Errorf("got %q", text)
	}
}

func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		database, workload string
		all                bool
		want               string
	}{
		{"postgresql", "tprocc", false, "in this database"},
		{"postgresql", "tproch", true, "in all databases"},
		{"mysql", "tprocc", false, "COMMIT and ROLLBACK statements of the whole server"},
		{"mariadb", "tproch", true, "number of statements on the whole server"},
	} {
		c, err := New(planOf(t, tt.database, tt.workload))
		if err != nil {
			t.Fatal(err)
		}
		c.AllDatabases = tt.all
		if got := c.Counts(); !strings.Contains(got, tt.want) || strings.Contains(got, "table") || !strings.HasSuffix(got, ".") {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
	if _, err := New(planOf(t, "sqlite", "tprocc")); job.ExitOf(err) != job.ExitUsage {
		t.Errorf("a database without a count: got %v, want a usage error", err)
	}
}
