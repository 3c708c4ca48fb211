package host

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
)

// quiet is a second in which the server was the limit: the loop waited for it most of the time.
func quiet(change func(*second)) second {
	s := second{use: CoreUse{Loops: 1}, cpu: 0.4, cores: 2, busy: 0.5, waited: 0.05, lag: -1, delay: 1}
	change(&s)
	return s
}

func TestRules_AccuseOnlyTheClientsOwnLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*second)
		want   string // rules that hold
	}{
		{"a run that waits for its server", func(*second) {}, ""},
		{"a loop that is always busy", func(s *second) { s.cpu, s.busy = 0.97, 0.97 }, "event loops"},
		{"one of two loops that is always busy", func(s *second) { s.use.Loops, s.cpu, s.cores, s.busy = 2, 1.1, 4, 0.52 }, ""},
		{"a loop that seldom gets a core", func(s *second) { s.cpu, s.busy, s.waited = 0.3, 0.95, 0.65 }, "waits for cores"},
		{"all cores, by goroutines", func(s *second) { s.use.Loops, s.cpu, s.cores = 0, 0.95, 1 }, "cores"},
		{"taskset to one core for a loop and other threads", func(s *second) { s.cpu, s.cores, s.busy, s.waited = 0.99, 1, 0.96, 0.3 }, "event loops, cores, waits for cores"},
		{"a full machine on which the server works", func(s *second) { s.cpu, s.busy, s.waited = 0.3, 0.5, 0.3 }, "waits for cores"},
		{"a quota that Sledge used up", func(s *second) { s.group, s.cores, s.cpu, s.throttled = 0.5, 0.5, 0.4, 0.3 }, "throttling"},
		{"a quota that its server in the same group used up", func(s *second) { s.group, s.cores, s.cpu, s.throttled = 1, 1, 0.2, 0.3 }, ""},
		{"a client that collects garbage", func(s *second) { s.use.Loops, s.cpu, s.cores, s.collecting, s.paused = 0, 1, 1, 0.3, 0.06 }, "cores, garbage collection, collector pauses"},
		{"late users", func(s *second) { s.lag = 12 }, "start lag"},
		{"goroutines that wait for threads", func(s *second) { s.use.Loops, s.delay = 0, 14 }, "scheduling delay"},
		{"other goroutines than users that wait", func(s *second) { s.delay = 14 }, ""},
		{"a system that reports no waits", func(s *second) { s.waited, s.delay = -1, -1 }, ""},
	} {
		var held []string
		for _, r := range rules {
			if value, known := r.figure(quiet(tt.change)); known && value >= r.Limit {
				held = append(held, r.Rule)
			}
		}
		if got := strings.Join(held, ", "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestRules_HaveSources(t *testing.T) {
	for _, r := range rules {
		if r.Rule == "" || r.Figure == "" || r.Unit == "" || r.Limit <= 0 || len(r.source) < 20 {
			t.Errorf("%+v: a rule needs a name, a figure with its unit and limit, and a source", r)
		}
	}
}

// Each letter is a second: b is busy, any other is quiet.
func TestWatchedRule_FindsStretches(t *testing.T) {
	const none = -1
	for _, tt := range []struct {
		course    string
		from      float64 // none if the rule is not found
		held      int
		when      string
		announced int // the second after which it is announced, or none
	}{
		{"....", none, 0, "", none},
		{"bb..bb..bb", 0, 6, "in 6 seconds from second 0 to 10", 8},
		{"bb...bb...bb", none, 0, "", none},
		{"...bbbbbbb", 3, 7, "from second 3", 7},
		{"..bbb........", 2, 3, "in 3 seconds from second 2 to 5", none},
		{"bbb....bbbb..", 0, 7, "in 7 seconds from second 0 to 11", none},
		{"bbbbbbbbbbb", 0, 11, "from second 0", 4},
	} {
		w := watchedRule{rule: rules[0]}
		announced := none
		for i, c := range tt.course {
			s := quiet(func(s *second) {
				if c == 'b' {
					s.cpu, s.busy = 0.97, 0.97
				}
			})
			if w.add(s, float64(i), float64(i+1)) {
				announced = i
			}
		}
		w.end()
		if found := w.all.seconds > 0; found != (tt.from != none) || announced != tt.announced {
			t.Errorf("%s: found is %t, announced after %d, want after %d", tt.course, found, announced, tt.announced)
			continue
		} else if !found {
			continue
		}
		l := w.limit(w.all)
		if l.From != tt.from || l.Seconds != tt.held || l.When(float64(len(tt.course))) != tt.when || l.Value < 96 || l.Value > 98 {
			t.Errorf("%s: got %+v %s, want from %g for %d s, %s", tt.course, l, l.When(float64(len(tt.course))), tt.from, tt.held, tt.when)
		}
	}
}

func TestSeconds_CompareCounters(t *testing.T) {
	s := newSeconds(CoreUse{Loops: 2}, Users{})
	s.group = 0
	s.before = counters{at: s.before.at}
	now := counters{
		Users: Users{Idle: 3 * time.Second, StartLag: 40 * time.Millisecond, Started: 20}, at: s.before.at.Add(2 * time.Second),
		cpu: 1, waited: 0.5, throttled: 0.4, collect: 0.2, paused: 0.1,
	}
	s.knowsWaited = true
	got := s.second(now, 2)
	for name, pair := range map[string][2]float64{
		"CPU": {got.cpu, 0.5}, "busy": {got.busy, 0.25}, "waited": {got.waited, 0.25}, "throttled": {got.throttled, 0.2},
		"collecting": {got.collecting, 0.1}, "paused": {got.paused, 0.05}, "start lag": {got.lag, 2},
	} {
		if diff := pair[0] - pair[1]; diff < -1e-9 || diff > 1e-9 {
			t.Errorf("%s: got %g, want %g", name, pair[0], pair[1])
		}
	}
}

func TestLoad_DoesNotJudgeAnEmbeddedDatabase(t *testing.T) {
	l := StartLoad(CoreUse{All: true}, Users{})
	if found := l.Second(Users{}); found != nil {
		t.Errorf("got %v, want none", found)
	}
	if used := l.End(); used.Judged != 0 || !strings.Contains(used.Untold, "in its process") {
		t.Errorf("got %+v, want the reason why it cannot be told", used)
	}
}

func TestLoad_JudgesSeconds(t *testing.T) {
	l := StartLoad(CoreUse{Loops: 1}, Users{})
	l.seconds.before.at = l.seconds.before.at.Add(-time.Second) // a second ago
	l.Second(Users{Idle: time.Second})
	used := l.End()
	if used.Judged != 1 || slices.ContainsFunc(used.Limits, func(l job.ClientLimit) bool { return l.Bound }) {
		t.Errorf("got %d judged seconds and %+v, want 1 without a limit", used.Judged, used.Limits)
	}
}
