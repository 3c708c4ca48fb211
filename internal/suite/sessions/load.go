package sessions

import (
	"fmt"
	"strings"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/suite"
)

// rowNumbers makes the rows first..last of everyType: every third has NULLs, and
// every third words that need escaping.
type rowNumbers struct{ next, last int }

// AppendRow implements schema.RowSource.
func (n *rowNumbers) AppendRow(buf []byte) ([]byte, bool) {
	if n.next > n.last {
		return buf, false
	}
	id := n.next
	n.next++
	switch id % 3 {
	case 0:
		return fmt.Appendf(buf, "%d\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n", id), true
	case 1:
		return fmt.Appendf(buf, "%d\t%d\t%d\t%d.25\tab\t%s\t2026-02-28 23:59:58\t2026-02-28\n", id, id%100, id*1_000_000_007, id, escape(awkward)), true
	default:
		return fmt.Appendf(buf, "%d\t%d\t%d\t-0.01\tcd\t%s\t1999-12-31 00:00:00\t1999-12-31\n", id, -id%100, -id, strings.Repeat("y", id%200)), true
	}
}

func escape(s string) string {
	return strings.NewReplacer("\\", "\\\\", "\t", "\\t", "\n", "\\n").Replace(s)
}

func (s *tester) testLoad(t suite.T) {
	table := s.table(t, "sledge_test_load", everyType)
	session, other := s.connect(t), s.connect(t)
	load := func(first, last int) (int64, error) {
		return session.Load(t.Context(), table, &rowNumbers{first, last})
	}
	mustLoad := func(first, last int) {
		t.Helper()
		if n, err := load(first, last); err != nil || n != int64(last-first+1) {
			t.Fatalf("got %d rows, %v; want %d", n, err, last-first+1)
		}
	}
	const count = "SELECT COUNT(*) FROM sledge_test_load"

	mustLoad(1, 3000) // outside a transaction it is kept at once
	wantValue(t, other, count, "3000")
	mustLoad(1, 0) // no rows at all

	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	mustLoad(3001, 4000)
	mustExec(t, session, "UPDATE sledge_test_load SET words = 'same transaction' WHERE id = 1")
	wantValue(t, session, count, "4000")
	if err := session.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantValue(t, session, count, "3000")

	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	mustLoad(3001, 3500)
	mustLoad(3501, 3600)
	if err := session.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantValue(t, other, count, "3600")

	var in, out row
	read := s.prepare(t, session, "read", "SELECT id, small, large, amount, code, words FROM sledge_test_load WHERE id = :id", &in, &out)
	for _, want := range []row{
		{ID: 3},
		{1, 1, 1_000_000_007, 1.25, "ab", awkward},
		{3598, 98, 3598 * 1_000_000_007, 3598.25, "ab", awkward},
		{2, -2, -2, -0.01, "cd", "yy"},
		{2000, 0, -2000, -0.01, "cd", ""},
	} {
		in.ID = want.ID
		mustRun(t, read, 1)
		if out != want {
			t.Errorf("got %+v, want %+v", out, want)
		}
	}
	wantValue(t, session, "SELECT COUNT(*) FROM sledge_test_load WHERE small IS NULL AND words IS NULL AND moment IS NULL", "1200")
	wantValue(t, session, "SELECT COUNT(*) FROM sledge_test_load WHERE moment > '2026-02-28 23:59:57' AND moment < '2026-02-28 23:59:59'", "1200")
	wantValue(t, session, "SELECT COUNT(*) FROM sledge_test_load WHERE day >= '2026-02-28' AND day < '2026-03-01'", "1200")
	wantValue(t, session, "SELECT COUNT(*) FROM sledge_test_load WHERE day = '1999-12-31'", "1200")

	_, err := load(3600, 3610) // the first is there already
	if class := s.d.Classify(err); err == nil || class != meter.Constraint {
		t.Errorf("a duplicate key: got %v, class %v; want class %v", err, class, meter.Constraint)
	}
	if _, err := session.Load(t.Context(), schema.Table{Name: "sledge_test_nowhere", Columns: everyType}, &rowNumbers{1, 10}); err == nil {
		t.Error("loading a table that is not there succeeded")
	}
	mustRun(t, read, 1) // the session goes on after a load that failed
}
