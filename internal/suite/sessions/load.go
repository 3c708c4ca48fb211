package sessions

import (
	"fmt"
	"strings"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/suite"
)

// rowNumbers generates the rows next to last of everyType. Every third row has NULLs, and every
// third has text that needs escaping.
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
	s.table(t, everyType)
	session, other := s.connect(t), s.connect(t)
	load := func(first, last int) (int64, error) {
		return session.Load(t.Context(), everyType, &rowNumbers{first, last})
	}
	mustLoad := func(first, last int) {
		t.Helper()
		if n, err := load(first, last); err != nil || n != int64(last-first+1) {
			t.Fatalf("got %d rows, %v; want %d", n, err, last-first+1)
		}
	}
	mustLoad(1, 3000) // a load outside a transaction is committed at once
	s.wantValue(t, other, "types.count", 3000)
	mustLoad(1, 0) // no rows at all

	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	mustLoad(3001, 4000)
	in := row{ID: 4001, Words: "same transaction"}
	mustRun(t, s.prepare(t, session, "types.insert_words", &in, nil), 1)
	if !s.sql.Has(lacksReading) {
		s.wantValue(t, session, "types.count", 4001)
	}
	if err := session.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantValue(t, session, "types.count", 3000)

	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	mustLoad(3001, 3500)
	mustLoad(3501, 3600)
	if err := session.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantValue(t, other, "types.count", 3600)

	var out row
	read := s.prepare(t, session, "types.read", &in, &out)
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
	s.wantValue(t, session, "types.nulls", 1200)
	s.wantValue(t, session, "types.moments", 1200)
	s.wantValue(t, session, "types.days", 1200)
	s.wantValue(t, session, "types.day", 1200)

	if _, err := session.Load(t.Context(), schema.Table{Name: "sledge_test_nowhere", Columns: everyType.Columns}, &rowNumbers{1, 10}); err == nil {
		t.Error("loading a missing table succeeded")
	}
	mustRun(t, read, 1) // the session still works after a failed load
}

func (s *tester) testLoadRefused(t suite.T) {
	s.needs(t, lacksKeys)
	s.table(t, everyType)
	session := s.connect(t)
	if n, err := session.Load(t.Context(), everyType, &rowNumbers{1, 10}); err != nil || n != 10 {
		t.Fatalf("got %d rows, %v; want 10", n, err)
	}
	_, err := session.Load(t.Context(), everyType, &rowNumbers{10, 20}) // the first row exists already
	if class := s.d.Sessions.Classify(err); err == nil || class != meter.Constraint {
		t.Errorf("got %v, class %v; want class %v", err, class, meter.Constraint)
	}
	s.wantValue(t, session, "types.count", 10) // the session still works
}
