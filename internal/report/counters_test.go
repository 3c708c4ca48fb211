package report

import (
	"bytes"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestCounters_AreShownInOneLineAndWhole(t *testing.T) {
	before := 1.2e9
	c := job.ServerCounters{Seconds: 60.04, Counters: []job.ServerCounter{
		{Source: "pg_stat_wal", Name: "wal_bytes", Means: "WAL written, by its position", Unit: "bytes", Value: 412e6, PerSecond: 6.862e6, PerTransaction: 1310, Summary: true},
		{Source: "pg_stat_wal", Name: "wal_sync", Means: "flushes of WAL", Value: 0, Summary: true},
		{Source: "pg_stat_io", Name: "reads", Means: "read operations", Value: 1234, PerSecond: 20.6, Parts: []job.CounterPart{{Of: "client backend", Value: 1200}, {Of: "checkpointer", Value: 34}}},
		{Source: "pg_catalog", Name: "pg_database_size", Means: "size of the database", Unit: "bytes", Value: 1.4e9, Before: &before, Summary: true},
	}, Missing: []job.MissingCounters{{Source: "pg_stat_slru", Why: "permission denied"}}}
	if got, want := countersOf(c), "412 MB WAL written (1.31 kB a transaction); size of the database 1.2 GB, 1.4 GB at the end; pg_stat_slru: not measured: permission denied"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := countersOf(job.ServerCounters{Seconds: 5}), "none grew in 5 s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	j := job.Job{Spec: job.Spec{Action: job.Run}, Result: job.Result{Beside: job.Beside{ServerCounters: &c}}}
	for _, width := range []int{80, 140} {
		var text bytes.Buffer
		if err := Text(&text, j, meter.Summary{}, View{Width: width, Whole: true, Server: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Counters of the server", "    wal_bytes", "412 MB", "checkpointer", "34", "(1.2 GB", "1 more did not grow.", "pg_stat_slru: not measured: permission denied"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("at %d columns, %q is missing in\n%s", width, want, text.String())
			}
		}
		for line := range strings.Lines(text.String()) {
			if len([]rune(strings.TrimRight(line, "\n"))) > width {
				t.Errorf("wider than %d columns: %s", width, line)
			}
		}
	}
}
