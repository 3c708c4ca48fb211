package top

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sledge/internal/database"
	"sledge/internal/job"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// ofSecond returns a reading of the second number n, with 5 samples.
func ofSecond(n int, shares ...job.ActivityShare) Reading {
	return Reading{At: noon.Add(time.Duration(n) * time.Second), Samples: 5, Shares: shares}
}

func TestHistory_KeepsFiveMinutes(t *testing.T) {
	var h History
	for n := range 400 {
		h.Add(ofSecond(n))
	}
	if h.Len() != 301 || h.At(0).At != noon.Add(99*time.Second) {
		t.Errorf("got %d readings from %s on, want 301 from 12:01:39 on", h.Len(), h.At(0).At)
	}
	if got := h.At(h.Find(noon.Add(150 * time.Second))).At; got != noon.Add(150*time.Second) {
		t.Errorf("got %s, want the reading of 12:02:30", got)
	}
	if got := h.Find(noon); got != 0 {
		t.Errorf("got %d for a time that is forgotten, want the oldest reading", got)
	}
	if got := len(h.Last(h.Len()-1, 30*time.Second)); got != 30 {
		t.Errorf("got %d readings in the last 30 s, want 30", got)
	}
	h.Add(Reading{At: noon}) // the clock went back
	for n := range 2 * mostReadings {
		h.Add(Reading{At: noon.Add(time.Duration(n) * time.Millisecond)})
	}
	if h.Len() > mostReadings {
		t.Errorf("got %d readings, want at most %d", h.Len(), mostReadings)
	}
}

// In two seconds with 5 samples each, a statement was sampled 10 times in lock and 2 times in cpu, another one 3 times,
// and a background process 5 times: 1.5 sessions of clients on average.
func TestShares_AreMeansOfSessions(t *testing.T) {
	update, query := "UPDATE t SET a = ?", "SELECT ?"
	readings := []Reading{
		ofSecond(1, job.ActivityShare{Sessions: 10, Class: "lock", Wait: "Lock/tuple", Statement: update}, job.ActivityShare{Sessions: 5, Class: "write", Wait: "IO/DataFileWrite", Background: "checkpointer"}),
		ofSecond(2, job.ActivityShare{Sessions: 2, Class: "cpu", Statement: update}, job.ActivityShare{Sessions: 3, Class: "cpu", Statement: query}),
		{At: noon, Gap: "connection refused"},
	}
	readings[1].Statements = &job.Statements{Seconds: 5, Top: []job.Statement{{Text: "update `t` set a = ?", Calls: 50, Seconds: 4}, {Text: "COMMIT", Calls: 500, Seconds: 0.1}}}
	waits := Waits(readings)
	if len(waits) != 3 || waits[0].Class != database.WaitLock || waits[0].Mean != 1 || waits[0].Share != 10./15 || waits[2].Background != "checkpointer" || waits[2].Share != 1 {
		t.Errorf("got %+v, want 1 session in lock, 2/3 of the clients', and the checkpointer last", waits)
	}
	statements := Statements(readings)
	if len(statements) != 3 {
		t.Fatalf("got %+v, want two sampled statements and COMMIT", statements)
	}
	if s := statements[0]; s.Text != update || s.Mean != 1.2 || s.Share != 0.8 || s.Class != database.WaitLock || s.CallsPerSecond == nil || *s.CallsPerSecond != 10 || *s.Milliseconds != 80 {
		t.Errorf("got %+v, want 1.2 sessions, mostly in lock, with 10 calls a second of 80 ms", s)
	}
	if s := statements[2]; s.Text != "COMMIT" || s.Mean != 0 || *s.CallsPerSecond != 100 {
		t.Errorf("got %+v, want COMMIT, which was not sampled", s)
	}
	classes, answered := Classes(readings)
	if !answered || !reflect.DeepEqual(classes, map[database.WaitClass]float64{"lock": 1, "cpu": 0.5}) {
		t.Errorf("got %v, want 1 in lock and 0.5 in cpu", classes)
	}
	if _, answered := Classes(readings[2:]); answered {
		t.Error("a gap has classes, and should have none")
	}
	if got := Waits(readings[2:]); got != nil {
		t.Errorf("got %v of a gap, want nothing", got)
	}
}

// tree writes trees of blockers: each session with those that wait for it in brackets.
func tree(nodes []*Node) string {
	var list []string
	for _, n := range nodes {
		text := n.ID
		if !n.Known {
			text += "?"
		}
		if n.Deadlock {
			text += "!"
		}
		if n.Others > 0 {
			text += fmt.Sprintf("+%d", n.Others)
		}
		if len(n.Waiters) > 0 {
			text += "(" + tree(n.Waiters) + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func TestBlockers_AreTrees(t *testing.T) {
	for _, test := range []struct{ locks, want string }{
		{"", ""},
		{"2>1", "1(2)"},
		{"2>1 3>1 4>3 6>5", "1(2 3(4)) 5(6)"},
		{"6>5 2>1 3>1", "1(2 3) 5(6)"},                        // who blocks most is first
		{"3>1 3>2 2>1", "1(2 3+1)"},                           // 3 is in the queue behind 2: both wait for 1
		{"10>9 9>2", "2(9(10))"},                              // numbers, not texts
		{"2>99", "99?(2)"},                                    // the server does not show the holder
		{"2>1 1>2", "1!(2)"},                                  // a deadlock of two
		{"1>2 2>3 3>1 4>1", "1!(3(2) 4)"},                     // of three, with one that waits for them
		{"5>4 4>3 3>4", "3!(4(5))"},                           // one that waits for a deadlock
		{"2>1 2>1 2>2", "1(2)"},                               // twice, and for itself
		{"2>0", "0?(2)"},                                      // a prepared transaction
		{"2>1 3>1 3>2 4>1 4>2 4>3 5>1", "1(2 3+1 4+2 5)"},     // as MySQL lists a queue
		{"8>7 7>8 2>1 3>2", "1(2(3)) 7!(8)"},                  // a tree beside a deadlock
		{"1>2 2>1 3>4 4>3", "1!(2) 3!(4)"},                    // two deadlocks
		{"walwriter>1 1>walwriter", "1!(walwriter)"},          // IDs that are not numbers
		{"2>1 1>3 3>1 4>2", "1!(2(4) 3)"},                     // below a deadlock
		{"1>2 2>3 3>4 4>5 5>6 6>7", "7?(6(5(4(3(2(1))))))"},   // a chain
		{"2>1 3>2 4>3 2>98 3>98 4>98", "98?(3+1 4+1) 1(2+1)"}, // two that do not wait
	} {
		var r Reading
		seen := map[string]bool{}
		for l := range strings.FieldsSeq(test.locks) {
			waiter, holder, _ := strings.Cut(l, ">")
			r.Locks = append(r.Locks, Lock{Waiter: waiter, Holder: holder})
			for _, id := range []string{waiter, holder} {
				if !seen[id] && id != "99" && id != "98" && id != "0" && id != "7" || id == "7" && strings.Contains(test.locks, "8>7") {
					r.Sessions = append(r.Sessions, Session{ID: id})
				}
				seen[id] = true
			}
		}
		if got := tree(r.Blockers()); got != test.want {
			t.Errorf("%s: got %s, want %s", test.locks, got, test.want)
		}
	}
}

func TestBlockers_CountAllBelow(t *testing.T) {
	var r Reading
	for n := 2; n <= 1000; n++ { // a queue as MySQL lists it, up to the limit
		for before := 1; before < n && len(r.Locks) < mostLocks; before++ {
			r.Locks = append(r.Locks, Lock{Waiter: fmt.Sprint(n), Holder: fmt.Sprint(before)})
		}
	}
	roots := r.Blockers()
	if len(roots) != 1 || roots[0].ID != "1" || roots[0].Blocked != 63 {
		t.Errorf("got %s with %d below, want session 1 with 63", tree(roots)[:20], roots[0].Blocked)
	}
}

func TestReading_IsBoundAndSafe(t *testing.T) {
	hostile := "a\x1b[2J\x00\tb\u202ec\u0301\xff" + strings.Repeat("数", 1<<20)
	r := Reading{At: noon, Samples: -1, Server: Server{Title: hostile}, Gap: hostile, Missing: map[Part]string{PartHost: hostile}, Host: []job.Sample{{Series: job.Series{Name: hostile, Labels: map[string]string{"disk": hostile}}}}}
	for n := range 5000 {
		r.Sessions = append(r.Sessions, Session{ID: fmt.Sprint(n), Statement: hostile[:64]})
		r.Shares = append(r.Shares, job.ActivityShare{Sessions: 1, Class: "cpu", Background: hostile[:64], Statement: hostile[:64]})
		r.Locks = append(r.Locks, Lock{Waiter: hostile[:64], Holder: "1"})
	}
	var h History
	h.Add(r)
	got := h.At(0)
	if len(got.Sessions) != mostSessions || got.Unlisted != 4000 || len(got.Shares) != mostShares || got.Rest != 4700 || len(got.Locks) != mostLocks || got.Samples != 0 {
		t.Errorf("got %d sessions and %d more, %d shares and %d more, %d locks, %d samples", len(got.Sessions), got.Unlisted, len(got.Shares), got.Rest, len(got.Locks), got.Samples)
	}
	for _, text := range []string{got.Server.Title, got.Gap, got.Missing[PartHost], got.Host[0].Name, got.Host[0].Labels["disk"], got.Sessions[0].Statement, got.Shares[0].Background, got.Shares[0].Statement, got.Locks[0].Waiter} {
		if len(text) > longestText || !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\x00\t\n\u202e\u0301") || !strings.HasPrefix(text, "a�[2J� b�c") {
			t.Errorf("got %.60q with %d bytes", text, len(text))
		}
	}
}

func TestRecording_HasTheReadings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	recorder, err := NewRecorder(path)
	if err != nil {
		t.Fatal(err)
	}
	seconds := 1.5
	var want []Reading
	for n := range 700 {
		r := ofSecond(n, job.ActivityShare{Sessions: int64(n), Class: "cpu", Statement: "SELECT <?>"})
		r.Server = Server{Title: "PostgreSQL", Version: "15.18", Target: "tpcc on db1"}
		r.Sessions = []Session{{ID: "1", Class: database.WaitLock, Seconds: &seconds}}
		r.Locks = []Lock{{Waiter: "1", Holder: "2", Seconds: &seconds}}
		want = append(want, r)
		if err := recorder.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := NewRecorder(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v for a file that exists, want os.ErrExist", err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"at":"2026-11`); err != nil { // the process was killed
		t.Fatal(err)
	}
	file.Close()
	r, err := OpenRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Len() != len(want) {
		t.Fatalf("got %d readings, want %d", r.Len(), len(want))
	}
	for i := range want {
		if got, err := r.Read(i); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Fatalf("reading %d: got %+v, %v, want %+v", i, got, err, want[i])
		}
	}
	h, err := r.HistoryUntil(500)
	if err != nil || h.Len() != 301 || h.At(300).At != want[500].At {
		t.Errorf("got %d readings, %v, want 301 that end with number 500", h.Len(), err)
	}
	for _, test := range []struct {
		from int
		by   time.Duration
		want int
	}{{100, time.Minute, 160}, {100, -time.Minute, 40}, {10, -time.Minute, 0}, {690, time.Minute, 699}} {
		if got, err := r.Near(test.from, test.by); err != nil || got != test.want {
			t.Errorf("%s from %d: got %d, %v, want %d", test.by, test.from, got, err, test.want)
		}
	}
}

func TestOpenRecording_RefusesOtherFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "not a recording",
		"hello\n":                              "not a recording",
		"{}\n{}\n":                             "not a recording",
		`{"schema":"sledge-top-9"}` + "\n{}\n": "sledge-top-9",
		`{"schema":"sledge-top-1"}` + "\n":     "no reading",
		`{"schema":"sledge-top-1"}` + "\n" + strings.Repeat("x", longestLine+1<<17): "more than 16 MiB",
	} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := OpenRecording(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, %v, want an error with %q", text, r, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(`{"schema":"sledge-top-1"}`+"\n{}\nbroken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(1); err == nil || !strings.Contains(err.Error(), "line 3 ") {
		t.Errorf("got %v, want an error that names line 3", err)
	}
}
