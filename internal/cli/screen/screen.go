// Package screen draws what a server does, for sledge top: a screen that follows readings, and the keys that
// change what it shows. It does not know where readings come from.
package screen

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"sledge/internal/database"
	"sledge/internal/terminal"
	"sledge/internal/top"
)

// Screen is what a terminal shows. Its methods must be called from one goroutine.
type Screen struct {
	Look     terminal.Look
	Location *time.Location // of the times on the screen

	// StartRecording begins a recording when the user presses r. Recorder is the current one, or nil.
	StartRecording func() (*top.Recorder, error)
	Recorder       *top.Recorder
	RecordFailed   error // why a recording is incomplete

	// Replay is the recording that is shown; nil if the server is.
	Replay *top.Recording
	next   int // reading of the recording

	history       *top.History
	width, height int

	at     time.Time // the shown second; zero follows the newest
	tab    tab
	views  [tabs]view
	filter string
	typing bool // the filter is being typed
	help   bool
	note   string // an answer to the last key
	whole  bool   // no row is marked as selected
}

// New returns a screen that shows the newest of the readings.
func New(look terminal.Look, location *time.Location, history *top.History) *Screen {
	return &Screen{Look: look, Location: location, history: history}
}

// window is the time over which statements and waits are summed up.
const window = 30 * time.Second

// Add adds the newest reading, and records it.
func (s *Screen) Add(r top.Reading) {
	s.history.Add(r)
	if s.Recorder == nil {
		return
	}
	if err := s.Recorder.Add(r); err != nil {
		s.endRecording(fmt.Errorf("the recording %s is incomplete: %w", s.Recorder.Path, err))
		s.note = s.RecordFailed.Error()
	}
}

// endRecording closes the recording, if there is one.
func (s *Screen) endRecording(failed error) {
	if s.Recorder != nil {
		s.RecordFailed = cmp.Or(s.RecordFailed, failed, s.Recorder.Close())
		s.Recorder = nil
	}
}

// Close ends the recording, and returns why it is incomplete.
func (s *Screen) Close() error {
	s.endRecording(nil)
	return s.RecordFailed
}

// shown returns the number of the shown reading; the history is not empty.
func (s *Screen) shown() int {
	if s.at.IsZero() {
		return s.history.Len() - 1
	}
	return s.history.Find(s.at)
}

// Text draws the screen. No line is wider than the width, and there are at most as many as the height.
func (s *Screen) Text(width, height int) string {
	var lines []string
	switch {
	case width <= 0 || height <= 0:
		return ""
	case s.help:
		lines = s.helpLines()
	case s.history.Len() == 0:
		lines = []string{"Waiting for the first second ..."}
	default:
		lines = s.lines(width, height)
	}
	lines = lines[:min(len(lines), height)]
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
		if terminal.Width(line) > width { // plain text can be cut anywhere
			lines[i] = strings.TrimRight(terminal.Fitted(terminal.Plain(line), width, false), " ")
		}
	}
	return strings.Join(lines, "\n")
}

// The lines around the table: the head, the state, the legend, the tabs, two of details, and the keys.
const around = 7

// lines draws the screen of a reading.
func (s *Screen) lines(width, height int) []string {
	i := s.shown()
	r := s.history.At(i)
	lines := []string{s.head(r, width), s.state(r, i)}
	const fewestRows = 4
	if room := height - around - fewestRows; room >= 2 {
		lines = append(lines, s.strip(i, width, min(room, max(4, height/6)))...)
	}
	lines = append(lines, s.legend(i, width), s.tabLine(r, width))
	below := 2
	if height < around+fewestRows {
		below = 0
	}
	rows, detail := s.table(i, width, height-len(lines)-below-1)
	lines = append(lines, rows...)
	if below > 0 {
		for len(lines) < height-below-1 {
			lines = append(lines, "")
		}
		if r.Samples == 0 {
			detail = "no samples: " + r.Gap
		}
		folded := strings.Split(terminal.Fold(detail, width), "\n")
		for k := range below {
			line := ""
			if k < len(folded) {
				line = s.Look.Faint(folded[k])
			}
			lines = append(lines, line)
		}
	}
	return append(lines, s.keys())
}

// Whole draws the newest reading with all tables, at most most rows of each, in any height.
func (s *Screen) Whole(width, most int) string {
	i := s.shown()
	r := s.history.At(i)
	lines := []string{s.head(r, width), s.state(r, i), s.legend(i, width)}
	kept := s.tab
	s.whole = true
	for t := range tabs {
		s.tab = t
		rows, _ := s.table(i, width, most+1)
		lines = append(lines, "", s.Look.Strong(t.String()))
		for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
			rows = rows[:len(rows)-1]
		}
		lines = append(lines, rows...)
	}
	s.tab, s.whole = kept, false
	var b strings.Builder
	for _, line := range lines {
		if terminal.Width(line) > width {
			line = terminal.Fitted(terminal.Plain(line), width, false)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// head says which server it is, and how busy it and its machine are.
func (s *Screen) head(r top.Reading, width int) string {
	clock := r.At.In(s.Location).Format("15:04:05")
	version, _, _ := strings.Cut(r.Server.Version, " ")
	version, _, _ = strings.Cut(version, "-")
	server := r.Server.Title + " " + version
	active := "active " + notMeasured
	if n, measured := r.Active(""); measured {
		active = "active " + s.Look.Figure(amount(n))
	}
	cpu := "CPU " + notMeasured
	if used, measured := r.CPU(); measured {
		cpu = fmt.Sprintf("CPU %.0f %%", used)
		if r.CPUs > 0 {
			cpu += fmt.Sprintf(" of %d", r.CPUs)
		}
	}
	parts := []string{s.Look.Strong(server), r.Server.Target, s.Look.Strong(clock), active, cpu}
	line := strings.Join(parts, "  ")
	if more := terminal.Width(line) - width; more > 0 { // the target is what can be shortened
		parts[1] = strings.TrimRight(terminal.Fitted(r.Server.Target, max(1, terminal.Width(r.Server.Target)-more), false), " ")
		line = strings.Join(parts, "  ")
	}
	return line
}

const notMeasured = "not measured"

// state says whether the screen follows the server, and what is wrong.
func (s *Screen) state(r top.Reading, i int) string {
	var parts []string
	behind := s.history.At(s.history.Len() - 1).At.Sub(r.At)
	switch {
	case s.typing:
		return "Filter: " + s.filter + "_   Enter keeps it, Esc removes it"
	case s.note != "":
		return s.Look.Doubtful(s.note)
	case !s.at.IsZero():
		parts = append(parts, s.Look.Doubtful(fmt.Sprintf("paused, %.0f s back of %.0f s; space goes on", behind.Seconds(), s.history.At(s.history.Len()-1).At.Sub(s.history.At(0).At).Seconds())))
	case s.Replay != nil && s.next >= s.Replay.Len():
		parts = append(parts, s.Look.Doubtful("end of the recording; < goes back a minute"))
	case s.Replay != nil:
		parts = append(parts, fmt.Sprintf("recorded %s; < and > go a minute", r.At.In(s.Location).Format("2006-01-02")))
	}
	switch {
	case r.Samples == 0:
		parts = append(parts, s.Look.Bad("no samples: "+r.Gap)) // in full below the table
	case r.Missed > 0:
		parts = append(parts, s.Look.Doubtful(fmt.Sprintf("%d of %d samples missed", r.Missed, r.Samples+r.Missed)))
	}
	if c := r.Connected; c != nil && c.Most > 0 {
		parts = append(parts, fmt.Sprintf("%s of at most %s sessions", humanize.Comma(c.Now), humanize.Comma(c.Most)))
	} else if c != nil {
		parts = append(parts, english.Plural(int(c.Now), "session", ""))
	}
	if s.filter != "" {
		parts = append(parts, "filter: "+s.filter)
	}
	if s.Recorder != nil {
		parts = append(parts, s.Look.Figure("recording")+" to "+s.Recorder.Path)
	}
	return strings.Join(parts, "   ")
}

// keys lists the most important keys.
func (s *Screen) keys() string {
	return s.Look.Faint("1-5 table  s sort  / filter  space pause  ←→ back  r record  ? help  q quit")
}

func (s *Screen) helpLines() []string {
	lines := []string{s.Look.Strong("Keys of sledge top"), ""}
	for _, k := range [][2]string{
		{"1 to 5, Tab", "another table"},
		{"↑ ↓ PgUp PgDn Home End", "another row; the lines below the table show all of it"},
		{"s, S", "sort by the next column; reverse the order"},
		{"/, Esc", "show only rows that contain a text; show all"},
		{"b", "show background processes as sessions, or hide them"},
		{"space", "pause; go on with the newest second"},
		{"← →, [ ]", "a second, or half a minute, back and forth"},
		{"< >", "a minute back and forth in a recording"},
		{"r", "begin a recording in a new file of this folder; end it"},
		{"Ctrl-L, Ctrl-Z", "draw all again; suspend"},
		{"q, Ctrl-C", "quit"},
	} {
		lines = append(lines, fmt.Sprintf("  %-24s%s", k[0], k[1]))
	}
	return append(lines, "",
		"Statements and waits are means of the last 30 seconds. A letter of the chart",
		"is a class of waits, as in the line below it; ? is time without an answer.",
		"Values in statements are shown as ?, unless top was started with --show-values.",
		"", s.Look.Faint("Any key returns."))
}

// tab is a table of the screen.
type tab int

// The tables.
const (
	sessionsTab tab = iota
	statementsTab
	waitsTab
	blockersTab
	hostTab
	tabs
)

// String returns the title of a table.
func (t tab) String() string { return tabTitles[t] }

var tabTitles = [tabs]string{"Sessions", "Statements", "Waits", "Blockers", "Host"}

// tabLine names the tables, and the shown one.
func (s *Screen) tabLine(r top.Reading, width int) string {
	var parts []string
	for t := range tabs {
		title := fmt.Sprintf("%d %s", t+1, t)
		switch {
		case t == blockersTab && len(r.Locks) > 0:
			title += fmt.Sprintf(" %d", len(r.Blockers()))
		case t == sessionsTab && r.Samples > 0:
			title += fmt.Sprintf(" %s", humanize.Comma(int64(len(s.sessions(r))+r.Unlisted)))
		}
		if t == s.tab {
			parts = append(parts, s.Look.Strong("["+title+"]"))
		} else {
			parts = append(parts, s.Look.Faint(" "+title+" "))
		}
	}
	return strings.Join(parts, " ")
}

// Press changes the screen as a key asks for, and reports whether to quit. Keys have bubbletea's names;
// text is what the key types.
func (s *Screen) Press(key, text string) (quit bool) {
	s.note = ""
	switch {
	case key == "ctrl+c":
		return true
	case s.help:
		s.help = false
		return key == "q"
	case s.typing:
		s.typeFilter(key, text)
		return false
	}
	v := &s.views[s.tab]
	switch key {
	case "q":
		return true
	case "?", "h", "f1":
		s.help = true
	case "1", "2", "3", "4", "5":
		s.tab = tab(key[0] - '1')
	case "tab":
		s.tab = (s.tab + 1) % tabs
	case "shift+tab":
		s.tab = (s.tab + tabs - 1) % tabs
	case "up", "k":
		v.selected--
	case "down", "j":
		v.selected++
	case "pgup":
		v.selected -= max(1, v.page-1)
	case "pgdown":
		v.selected += max(1, v.page-1)
	case "home":
		v.selected = 0
	case "end":
		v.selected = 1 << 30 // the drawing limits it
	case "s":
		v.sort, v.reversed = v.sort+1, false
	case "S":
		v.reversed = !v.reversed
	case "b":
		s.views[sessionsTab].background = !s.views[sessionsTab].background
	case "/":
		s.typing = true
	case "esc":
		s.filter = ""
	case "space":
		if s.at.IsZero() {
			s.goTo(0)
		} else {
			s.at = time.Time{}
		}
	case "left":
		s.goTo(-1)
	case "right":
		s.goTo(1)
	case "[", "shift+left":
		s.goTo(-30)
	case "]", "shift+right":
		s.goTo(30)
	case "<":
		s.jump(-time.Minute)
	case ">":
		s.jump(time.Minute)
	case "r":
		s.toggleRecording()
	}
	v.selected = max(0, v.selected)
	return false
}

// longestFilter limits the filter, in bytes.
const longestFilter = 100

func (s *Screen) typeFilter(key, text string) {
	switch key {
	case "enter":
		s.typing = false
	case "esc":
		s.typing, s.filter = false, ""
	case "backspace":
		if runes := []rune(s.filter); len(runes) > 0 {
			s.filter = string(runes[:len(runes)-1])
		}
	case "ctrl+u":
		s.filter = ""
	default:
		if text != "" && !strings.ContainsFunc(text, unicode.IsControl) && len(s.filter)+len(text) <= longestFilter {
			s.filter = top.Safe(s.filter + text)
		}
	}
}

// goTo pauses at a second that is some readings later than the shown one.
func (s *Screen) goTo(later int) {
	if s.history.Len() == 0 {
		return
	}
	i := s.shown() + later
	if later > 0 && i >= s.history.Len() {
		s.at = time.Time{} // beyond the newest second, the screen follows it again
		return
	}
	s.at = s.history.At(max(0, i)).At
}

// jump goes to another time of a recording.
func (s *Screen) jump(distance time.Duration) {
	if s.Replay == nil {
		s.note = "only recordings have more than the last five minutes: ← and → go back and forth in these"
		return
	}
	i, err := s.Replay.Near(max(0, s.next-1), distance)
	if err == nil {
		err = s.Seek(i)
	}
	if err != nil {
		s.note = err.Error()
	}
}

// Seek shows the reading i of the recording.
func (s *Screen) Seek(i int) error {
	history, err := s.Replay.HistoryUntil(i)
	if err != nil {
		return err
	}
	s.history, s.next, s.at = history, i+1, time.Time{}
	return nil
}

// Advance shows the next reading of the recording, unless the screen is paused or the recording ends.
func (s *Screen) Advance() {
	if !s.at.IsZero() || s.next >= s.Replay.Len() {
		return
	}
	r, err := s.Replay.Read(s.next)
	s.next++
	if err != nil {
		s.note = err.Error()
		return
	}
	s.history.Add(r)
}

func (s *Screen) toggleRecording() {
	switch {
	case s.Recorder != nil:
		path := s.Recorder.Path
		s.endRecording(nil)
		s.note = "recorded to " + path
	case s.StartRecording == nil:
		s.note = "this is a recording already"
	default:
		recorder, err := s.StartRecording()
		if err != nil {
			s.note = "cannot record: " + err.Error()
			return
		}
		s.Recorder = recorder
	}
}

// classOf returns the letter of a class in the chart, and its name with this letter in upper case.
func classOf(class database.WaitClass) (letter, name string) {
	if at, known := letters[class]; known {
		name = string(class)
		letter = strings.ToUpper(name[at : at+1])
		return letter, name[:at] + letter + name[at+1:]
	}
	return "O", string(class)
}

// letters are the positions of the letters of classes in their names.
var letters = map[database.WaitClass]int{
	database.WaitCPU: 0, database.WaitLock: 0, database.WaitLog: 2, database.WaitCommit: 2, database.WaitRead: 0, database.WaitWrite: 0, database.WaitLatch: 1,
	database.WaitMemory: 5, database.WaitNetwork: 0, database.WaitParallel: 0, database.WaitThrottle: 0, database.WaitIdle: 0, database.WaitOther: 0,
}

// amount formats a mean number of sessions.
func amount(n float64) string {
	switch {
	case n >= 100:
		return humanize.Comma(int64(n + 0.5))
	case n > 0 && n < 0.05:
		return "<0.1"
	}
	return fmt.Sprintf("%.1f", n)
}

// lasting formats seconds in at most six columns.
func lasting(seconds *float64) string {
	if seconds == nil {
		return "-"
	}
	d := time.Duration(*seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 100*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
