package database

import (
	"fmt"
	"strings"
	"testing"
)

func TestWaits_AreClassedByTheFirstRuleThatFits(t *testing.T) {
	waits := MustParseWaits("# a comment\nwrite Lock/extend\nlock Lock/*, BufferPin/*\n\nlog IO/Wal*\nlock Waiting for *lock\n")
	for wait, want := range map[string]WaitClass{
		"": WaitCPU, "Lock/extend": WaitWrite, "Lock/tuple": WaitLock, "bufferpin/x": WaitLock, "IO/WALSync": WaitLog, "IO/WalSync": WaitLog,
		"Waiting for table metadata lock": WaitLock, "IO/DataFileRead": WaitOther,
	} {
		if class, known := waits.Class(wait); class != want || known != (want != WaitOther) {
			t.Errorf("%q: got %s, %t, want %s", wait, class, known, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a class that does not exist was accepted")
		}
	}()
	MustParseWaits("nothing Lock/*")
}

func TestMask_LeavesOutValues(t *testing.T) {
	for _, tt := range []struct {
		escaped         bool
		statement, want string
	}{
		{false, "SELECT neword(1, 'private')", "SELECT neword(?, ?)"},
		{false, "UPDATE t1 SET a2 = $1 WHERE b = 4.5e-3 AND c = 'it''s private'", "UPDATE t1 SET a2 = ? WHERE b = ? AND c = ?"},
		{false, `SELECT 'C:\', 'private', E'it\'s private', "Name"`, `SELECT ?, ?, ?, "Name"`},
		{false, "SELECT $body$ private 'x' $body$", "SELECT ?"},
		{false, "SELECT 'private that is cut", "SELECT ?"},
		{true, `SELECT 'it\'s private', "private \" too", 0xFF, 'a''b' FROM t`, "SELECT ?, ?, ?, ? FROM t"},
		{true, "CALL NEWORD(1,2,'x', @a1)", "CALL NEWORD(?,?,?, @a1)"},
	} {
		if got := (Runs{EscapedTexts: tt.escaped}).Mask()(tt.statement); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.statement, got, tt.want)
		}
	}
}

// 3 waits for 2, which waits for 1; 5 and 6 wait for each other, and 7 for itself.
func TestLastBlocker_IsAtTheEndOfTheChain(t *testing.T) {
	blockers := map[string][]string{"3": {"2"}, "2": {"1"}, "4": {"3", "2"}, "5": {"6"}, "6": {"5"}, "7": {"7"}}
	for id, want := range map[string]string{"1": "", "2": "1", "3": "1", "4": "1", "5": "6", "6": "5", "7": ""} {
		if got := LastBlocker(id, blockers); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

func TestFirstBlocker_IsTheOneThatWaitsForNoOther(t *testing.T) {
	blockers := map[string][]string{
		"2": {"1"}, "3": {"2", "1"}, "4": {"3", "1", "2"}, // 1 holds a lock, the others queue
		"6": {"5"}, "5": {"1"}, // 5 holds one, and waits for another
		"7": {"8"}, "8": {"7"}, // a deadlock
	}
	for id, want := range map[string]string{"1": "", "2": "1", "3": "1", "4": "1", "6": "5", "5": "1", "7": "8"} {
		if got := FirstBlocker(id, blockers); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

// A sample of 1,000 sessions classifies each of them, five times a second.
func BenchmarkWaits_Class(b *testing.B) {
	var rules strings.Builder
	for i := range 60 {
		fmt.Fprintf(&rules, "lock wait/synch/kind%d/*\n", i)
	}
	waits := MustParseWaits(rules.String() + "network wait/io/socket/*\n")
	b.ReportAllocs()
	for b.Loop() {
		waits.Class("wait/io/socket/sql/client_connection")
	}
}
