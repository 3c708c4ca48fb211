package results

import (
	"testing"
)

func TestPlace_ShortensTarget(t *testing.T) {
	for target, want := range map[string][2]string{
		"PostgreSQL tpcc on db1:5432": {"db1:5432/tpcc", "db1:5432"},
		"SQLite /data/tpcc.sqlite":    {"SQLite /data/tpcc.sqlite", "SQLite /data/tpcc.sqlite"},
	} {
		if got := place(target); got != want[0] || shortPlace(got) != want[1] {
			t.Errorf("%s: got %s and %s, want %v", target, got, shortPlace(got), want)
		}
	}
}
