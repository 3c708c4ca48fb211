package screen

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sledge/internal/database"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/terminal"
	"sledge/internal/top"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

const (
	update1 = "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?"
	select1 = "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?"
)

// session returns a session of a client.
func session(id int, class database.WaitClass, wait, statement string, seconds float64) top.Session {
	return top.Session{
		ID: fmt.Sprint(id), User: "tpcc", Program: "sledge", Database: "tpcc", Client: "10.0.0.7", State: "active", Class: class, Wait: wait, Statement: statement, Seconds: &seconds,
	}
}

// reading returns what a server does in the second number n: two sessions compute, one reads, and from the second 200 on, six
// wait for a row that an idle session holds. In the seconds 100 to 104 the server does not answer.
func reading(n int) top.Reading {
	r := top.Reading{
		At: noon.Add(time.Duration(n) * time.Second), Samples: 5, CPUs: 4,
		Server:    top.Server{Title: "PostgreSQL", Version: "15.18 (Debian 15.18-1)", Target: "tpcc on db1:5432", Host: "db1"},
		Connected: &top.Connected{Now: 61, Most: 100},
		Host: []job.Sample{
			{Series: job.Series{Name: "CPU", Unit: "%", Labels: map[string]string{"machine": "client", "mode": "user"}}, Value: 31.4},
			{Series: job.Series{Name: "CPU", Unit: "%", Labels: map[string]string{"machine": "client", "mode": "system"}}, Value: 11.2},
			{Series: job.Series{Name: "CPU", Unit: "%", Labels: map[string]string{"machine": "client", "mode": "waiting for disks"}}, Value: 20},
			{Series: job.Series{Name: "disk response time", Unit: "ms", Labels: map[string]string{"machine": "client", "disk": "nvme0n1", "kind": "flushes"}}, Value: 2.13},
			{Series: job.Series{Name: "context switches", Unit: "a second", Labels: map[string]string{"machine": "client"}}, Value: 48210},
		},
		Shares: []job.ActivityShare{
			{Sessions: 10, Class: "cpu", Statement: select1},
			{Sessions: int64(4 + n%3), Class: "read", Wait: "IO/DataFileRead", Statement: select1},
			{Sessions: 3, Class: "write", Wait: "IO/DataFileWrite", Background: "checkpointer"},
		},
		Sessions: []top.Session{
			session(4101, database.WaitCPU, "", select1, 0.004), session(4102, database.WaitCPU, "", select1, 0.002),
			session(4103, database.WaitRead, "IO/DataFileRead", select1, 0.013),
			{ID: "88", Background: true, Program: "checkpointer", Class: database.WaitWrite, Wait: "IO/DataFileWrite"},
		},
		Missing: map[top.Part]string{top.PartStatements: "the extension pg_stat_statements is not in this database"},
	}
	if n%5 == 0 && n > 150 {
		r.Missing = nil
		r.Statements = &job.Statements{Seconds: 5, Top: []job.Statement{{Text: select1, Calls: 6120, Seconds: 14.9}, {Text: "COMMIT", Calls: 6100, Seconds: 0.2}}}
	}
	if n >= 200 {
		waits := float64(n - 200)
		r.Shares = append(r.Shares, job.ActivityShare{Sessions: 30, Class: "lock", Wait: "Lock/transactionid", Statement: update1}, job.ActivityShare{Sessions: 5, Class: "network", Wait: "Client/ClientRead", Statement: update1})
		holder := session(4200, database.WaitNetwork, "Client/ClientRead", update1, waits+1)
		holder.State, holder.User, holder.Program = "idle in transaction", "anna", "psql"
		r.Sessions = append(r.Sessions, holder)
		for i := range 6 {
			r.Sessions = append(r.Sessions, session(4201+i, database.WaitLock, "Lock/transactionid", update1, waits))
			r.Locks = append(r.Locks, top.Lock{Waiter: fmt.Sprint(4201 + i), Holder: fmt.Sprint(4200 + i/2), Object: "transactionid", Seconds: &waits})
		}
	}
	if n >= 100 && n < 105 {
		return top.Reading{At: r.At, Server: r.Server, Gap: "dial tcp 10.0.0.1:5432: connection refused", CPUs: 4, Host: r.Host}
	}
	return r
}

// screenOf returns a screen that has seen some seconds.
func screenOf(look terminal.Look, seconds int) *Screen {
	s := New(look, time.UTC, &top.History{})
	for n := range seconds {
		s.Add(reading(n))
	}
	return s
}

// golden compares text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got+"\n" != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// fits checks that a screen has its size.
func fits(t *testing.T, text string, width, height int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if len(lines) > height {
		t.Errorf("got %d lines, want at most %d", len(lines), height)
	}
	for _, line := range lines {
		if terminal.Width(line) > width {
			t.Errorf("got a line of %d columns, want at most %d: %q", terminal.Width(line), width, line)
		}
	}
}

func TestScreen_ShowsEachTable(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		s := screenOf(terminal.Look{}, 261)
		for key, name := range map[string]string{"1": "sessions", "2": "statements", "3": "waits", "4": "blockers", "5": "host", "?": "help"} {
			s.Press(key, key)
			s.views[blockersTab].selected = 1
			text := s.Text(size[0], size[1])
			fits(t, text, size[0], size[1])
			golden(t, fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1]), text)
			if key == "?" {
				s.Press("esc", "")
			}
		}
	}
	golden(t, "once.txt", strings.TrimSuffix(screenOf(terminal.Look{}, 261).Whole(100, 5), "\n"))
}

func TestScreen_FitsAnySize(t *testing.T) {
	s := screenOf(terminal.Look{}, 250)
	hostile := reading(250)
	for i := range hostile.Sessions {
		hostile.Sessions[i].Statement = "数据库\x1b[31m\u202e" + strings.Repeat("שלום é ", 1<<16)
		hostile.Sessions[i].User, hostile.Sessions[i].Program = strings.Repeat("数", 100), "\r\n\t"
	}
	hostile.Server.Target = strings.Repeat("x", 1000)
	s.Add(hostile)
	for _, size := range [][2]int{{1, 1}, {7, 3}, {20, 5}, {40, 10}, {60, 12}, {79, 23}, {81, 25}, {132, 43}, {500, 200}} {
		for key := range "12345" {
			s.Press(fmt.Sprint(key+1), "")
			text := s.Text(size[0], size[1])
			fits(t, text, size[0], size[1])
			if strings.ContainsAny(text, "\x1b\r\t\u202e") {
				t.Errorf("got %q, which would disturb a terminal", text)
			}
		}
	}
}

// rows returns the lines of the table that contain a text.
func rows(s *Screen, text string) (found []string) {
	for _, line := range strings.Split(s.Text(120, 40), "\n") {
		if strings.Contains(line, text) && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, ">")) {
			found = append(found, line)
		}
	}
	return found
}

func TestSessions_AreSortedAndFiltered(t *testing.T) {
	s := screenOf(terminal.Look{}, 231)
	all := rows(s, " tpcc ")
	if len(all) != 10 || !strings.Contains(all[0], "4200") || !strings.Contains(all[len(all)-1], "4102") {
		t.Errorf("got %q, want the session that takes longest first", all)
	}
	s.Press("S", "S")
	if all := rows(s, " tpcc "); !strings.Contains(all[0], "4102") {
		t.Errorf("got %q, want the reversed order", all)
	}
	s.Press("s", "s") // by the ID
	if all := rows(s, "42"); !strings.Contains(all[0], "4200") || !strings.Contains(all[6], "4206") {
		t.Errorf("got %q, want the order of IDs", all)
	}
	for _, key := range strings.Split("/ P S Q L enter", " ") {
		s.Press(key, key)
	}
	if text := s.Text(120, 40); !strings.Contains(text, "filter: PSQL") || len(rows(s, " psql ")) != 1 || strings.Contains(text, "4201") {
		t.Errorf("got\n%s\nwant only the session of psql", text)
	}
	for _, key := range strings.Split("/ x backspace backspace backspace backspace backspace n o n e enter", " ") {
		s.Press(key, key)
	}
	if text := s.Text(120, 40); !strings.Contains(text, "no row contains none") {
		t.Errorf("got\n%s\nwant no row", text)
	}
	s.Press("/", "/")
	s.Press("esc", "")
	if got := len(rows(s, " tpcc ")); got != 10 {
		t.Errorf("got %d sessions without the filter, want 10", got)
	}
	if s.Press("b", "b"); len(rows(s, "checkpointer")) != 1 {
		t.Error("got no background process after b")
	}
}

func TestScreen_PausesAndGoesBack(t *testing.T) {
	s := screenOf(terminal.Look{}, 231)
	shows := func(clock, words string) {
		t.Helper()
		if text := s.Text(120, 40); !strings.Contains(text, clock) || !strings.Contains(text, words) {
			t.Errorf("got\n%s\nwant %s and %q", text, clock, words)
		}
	}
	shows("12:03:50", "[1 Sessions 10]")
	s.Press("space", " ")
	s.Add(reading(231))
	shows("12:03:50", "paused, 1 s back of 231 s")
	s.Press("left", "")
	shows("12:03:49", "paused, 2 s back")
	s.Press("[", "[")
	shows("12:03:19", "[1 Sessions 3]") // before the lock
	for range 10 {
		s.Press("[", "[")
	}
	shows("12:00:00", "paused, 231 s back")
	for n := 232; n < 400; n++ {
		s.Add(reading(n))
	}
	shows("12:01:39", "paused, 300 s back") // it has been forgotten
	s.Press("right", "")
	shows("12:01:40", "no samples: dial tcp 10.0.0.1:5432: connection refused")
	if text := s.Text(120, 40); strings.Contains(text, "no active sessions") || !strings.Contains(text, "! not measured") {
		t.Errorf("got\n%s\nwant that nothing was measured", text)
	}
	for range 11 {
		s.Press("]", "]")
	}
	shows("12:06:39", "[1 Sessions 10]")
	if !s.at.IsZero() {
		t.Error("beyond the newest second, the screen should follow the server")
	}
	s.Press("left", "")
	s.Press("space", " ")
	if !s.at.IsZero() {
		t.Error("space should go on with the newest second")
	}
	s.Press("<", "<")
	shows("12:06:39", "only recordings have more")
}

func TestSelection_StaysOnTheTable(t *testing.T) {
	s := screenOf(terminal.Look{}, 231)
	for _, test := range []struct{ key, want string }{
		{"down", "4201"}, {"end", "4102"}, {"down", "4102"}, {"up", "4101"}, {"home", "4200"}, {"up", "4200"}, {"pgdown", "4102"}, {"pgup", "4200"},
	} {
		s.Press(test.key, "")
		_ = s.Text(120, 40)
		selected := ""
		for line := range strings.SplitSeq(s.Text(120, 40), "\n") {
			if strings.HasPrefix(line, ">") {
				selected = line
			}
		}
		if !strings.Contains(selected, test.want) {
			t.Errorf("%s: got %q, want session %s", test.key, selected, test.want)
		}
	}
}

func TestBlockers_AreATree(t *testing.T) {
	s := screenOf(terminal.Look{}, 231)
	s.Press("4", "4")
	var tree []string
	for _, line := range rows(s, "42") {
		tree = append(tree, strings.TrimRight(string([]rune(line)[1:17]), " "))
	}
	want := "4200|├ 4201|  ├ 4203|  └ 4204|└ 4202|  ├ 4205|  └ 4206"
	if got := strings.Join(tree, "|"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRecording_ReplaysToTheSameScreen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	live := New(terminal.Look{}, time.UTC, &top.History{})
	live.StartRecording = func() (*top.Recorder, error) { return top.NewRecorder(path) }
	live.Press("r", "r")
	var screens []string
	for n := range 400 {
		live.Add(reading(n))
		screens = append(screens, live.Whole(120, 50))
	}
	if text := live.Text(120, 40); !strings.Contains(text, "recording to "+path) {
		t.Errorf("got\n%s\nwant the name of the recording", text)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	recording, err := top.OpenRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	replayed := New(terminal.Look{}, time.UTC, &top.History{})
	replayed.Replay = recording
	same := func(n int) {
		t.Helper()
		withoutState := func(text string) string {
			lines := strings.Split(text, "\n")
			return strings.Join(append(lines[:1:1], lines[2:]...), "\n")
		}
		if got, want := withoutState(replayed.Whole(120, 50)), withoutState(screens[n]); got != want {
			t.Fatalf("second %d: got\n%s\nwant\n%s", n, got, want)
		}
	}
	if err := replayed.Seek(0); err != nil {
		t.Fatal(err)
	}
	same(0)
	for n := 1; n < 400; n++ {
		replayed.Advance()
		same(n)
	}
	replayed.Advance()
	if text := replayed.Text(120, 40); !strings.Contains(text, "end of the recording") {
		t.Errorf("got\n%s\nwant the end", text)
	}
	replayed.Press("<", "<")
	same(339)
	for range 9 {
		replayed.Press("<", "<")
	}
	same(0)
	replayed.Press(">", ">")
	same(60)
	replayed.Press("space", " ")
	replayed.Advance()
	same(60)
	if replayed.Press("r", "r"); replayed.Recorder != nil || !strings.Contains(replayed.Text(120, 40), "this is a recording already") {
		t.Error("a replayed recording is recorded")
	}
}

func TestRecording_ThatFailsIsReported(t *testing.T) {
	s := screenOf(terminal.Look{}, 1)
	recorder, err := top.NewRecorder(filepath.Join(t.TempDir(), "a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s.Recorder = recorder
	recorder.Close() // the next write fails
	s.Add(reading(1))
	if text := s.Text(200, 40); s.Recorder != nil || !strings.Contains(text, "is incomplete") {
		t.Errorf("got\n%s\nwant the reason why the recording is incomplete", text)
	}
	if s.Close() == nil {
		t.Error("got no error at the end")
	}
}

// many returns a reading with 1,000 active sessions that change from second to second.
func many(n int) top.Reading {
	r := reading(n)
	r.At = noon.Add(time.Duration(n) * time.Second)
	r.Samples, r.Gap, r.Sessions, r.Shares = 5, "", nil, nil
	for i := range 1000 {
		r.Sessions = append(r.Sessions, session(10000+i, database.WaitClasses[(i+n)%8], "Lock/transactionid", fmt.Sprintf("UPDATE t%d SET a = ?", i%100), float64((i*7+n)%100)))
	}
	for i := range 200 {
		r.Shares = append(r.Shares, job.ActivityShare{Sessions: 25, Class: string(database.WaitClasses[i%8]), Wait: fmt.Sprintf("wait %d", i%20), Statement: fmt.Sprintf("UPDATE t%d SET a = ?", i%100)})
	}
	return r
}

// counting counts the bytes that are written to a terminal.
type counting struct {
	mu sync.Mutex
	n  int
}

func (c *counting) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += len(text)
	return len(text), nil
}

func (c *counting) written() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// A terminal at 9,600 baud shows 960 bytes a second. When only the clock, the durations and the newest column change, a
// second takes fewer.
func TestProgram_WritesOnlyDifferences(t *testing.T) {
	var out counting
	s := screenOf(terminal.Look{}, 290)
	p := &Program{tea.NewProgram(model{s}, tea.WithInput(nil), tea.WithOutput(&out), tea.WithEnvironment([]string{"TERM=vt100"}), tea.WithoutSignalHandler(), tea.WithWindowSize(80, 24), tea.WithFPS(100))}
	ended := make(chan error)
	go func() { ended <- p.Run() }()
	// settled waits until nothing more is written.
	settled := func() int {
		before := -1
		for n := out.written(); n != before; n = out.written() {
			before = n
			time.Sleep(100 * time.Millisecond)
		}
		return before
	}
	begun := settled()
	const seconds = 10
	for n := range seconds {
		p.Add(reading(290 + n))
		_ = settled()
	}
	each := (settled() - begun) / seconds
	p.Quit()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes for the first screen, %d bytes for each second after it", begun, each)
	if begun < 500 || each < 10 || each > 960 {
		t.Errorf("got %d bytes at first and %d for each second, want at most 960 for a second", begun, each)
	}
}

// BenchmarkThousandSessions measures the processor time of a second: adding a reading with 1,000 sessions, drawing and
// writing it. Once a second this must stay below 2 % of a core: 20 ms.
func BenchmarkThousandSessions(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			look := terminal.LookOf(io.Discard, true, []string{"TERM=xterm-256color", "CLICOLOR_FORCE=1"})
			s := New(look, time.UTC, &top.History{})
			for n := range 300 {
				s.Add(many(n))
			}
			var list []top.Reading
			for n := range 20 {
				list = append(list, many(300+n))
			}
			n := 0
			for b.Loop() {
				r := list[n%len(list)]
				r.At = noon.Add(time.Duration(300+n) * time.Second)
				n++
				s.Add(r)
				if s.Text(size[0], size[1]) == "" {
					b.Fatal("nothing was drawn")
				}
			}
		})
	}
}

// It measures drawing with bubbletea, and asserts nothing about time.
func TestProgram_DrawsAThousandSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	var out bytes.Buffer
	s := New(terminal.LookOf(io.Discard, true, []string{"TERM=xterm-256color", "CLICOLOR_FORCE=1"}), time.UTC, &top.History{})
	for n := range 300 {
		s.Add(many(n))
	}
	p := &Program{tea.NewProgram(model{s}, tea.WithInput(nil), tea.WithOutput(&out), tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler(), tea.WithWindowSize(200, 60), tea.WithFPS(framesPerSecond))}
	ended := make(chan error)
	go func() { ended <- p.Run() }()
	p.Add(many(300))
	const seconds = 3
	before := host.CPUSeconds()
	for n := range seconds {
		time.Sleep(time.Second)
		p.Add(many(301 + n))
	}
	used := host.CPUSeconds() - before
	p.Quit()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f %% of a core with 1,000 sessions at 200x60, readings included", 100*used/seconds)
	if !strings.Contains(out.String(), "10999") && !strings.Contains(out.String(), "tpcc") {
		t.Error("got no session")
	}
}
