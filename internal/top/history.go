package top

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// Kept is for how long a History keeps readings.
const Kept = 5 * time.Minute

// mostReadings limits the readings of a History, if their times are wrong.
const mostReadings = 2 * int(Kept/time.Second)

// History has the readings of the last five minutes. The zero value is empty.
type History struct {
	readings []Reading // the oldest first
}

// Add adds the newest reading, and forgets those that are too old. It cuts a reading that is too long.
func (h *History) Add(r Reading) {
	r.bound()
	r.classes = r.byClass()
	h.readings = append(h.readings, r)
	old := max(0, len(h.readings)-mostReadings)
	for old < len(h.readings)-1 && r.At.Sub(h.readings[old].At) > Kept {
		old++
	}
	clear(h.readings[:old])
	h.readings = h.readings[old:]
}

// Len returns the number of readings.
func (h *History) Len() int { return len(h.readings) }

// At returns a reading; 0 is the oldest.
func (h *History) At(i int) Reading { return h.readings[i] }

// Last returns the readings of a time that ends with the reading i. The caller must not change them.
func (h *History) Last(i int, length time.Duration) []Reading {
	end := h.readings[i].At
	from := i
	for from > 0 && end.Sub(h.readings[from-1].At) < length {
		from--
	}
	return h.readings[from : i+1]
}

// Find returns the last reading that is not later than a time, or else the oldest.
func (h *History) Find(at time.Time) int {
	for i := len(h.readings) - 1; i > 0; i-- {
		if !h.readings[i].At.After(at) {
			return i
		}
	}
	return 0
}

// WaitShare is the part of the active sessions that waited for the same.
type WaitShare struct {
	Class      database.WaitClass
	Wait       string  // by the server's name; "" if they computed
	Background string  // the kind of a process of the server's own; "" for sessions of clients
	Mean       float64 // number of sessions
	Share      float64 // of the active sessions of clients, or of the background processes
}

// StatementShare is the part of the active sessions that executed the same statement.
type StatementShare struct {
	Text  string
	Mean  float64 // number of sessions; 0 if it was never sampled
	Share float64
	Class database.WaitClass // in which most of its time went; "" if it was never sampled

	// From the server's own statistics; nil if it has none of this statement.
	CallsPerSecond, Milliseconds *float64
}

// Waits sums up readings by class and wait, the greatest first.
func Waits(readings []Reading) []WaitShare {
	type key struct{ class, wait, background string }
	counts, totals := map[key]int64{}, map[bool]int64{}
	samples := 0
	for _, r := range readings {
		samples += r.Samples
		for _, s := range r.Shares {
			counts[key{s.Class, s.Wait, s.Background}] += s.Sessions
			totals[s.Background != ""] += s.Sessions
		}
		if r.Rest > 0 {
			counts[key{string(database.WaitOther), "not listed", ""}] += r.Rest
			totals[false] += r.Rest
		}
	}
	if samples == 0 {
		return nil
	}
	list := make([]WaitShare, 0, len(counts))
	for k, n := range counts {
		list = append(list, WaitShare{
			Class: database.WaitClass(k.class), Wait: k.wait, Background: k.background,
			Mean: float64(n) / float64(samples), Share: float64(n) / float64(totals[k.background != ""]),
		})
	}
	slices.SortFunc(list, func(a, b WaitShare) int {
		return cmp.Or(cmp.Compare(a.Background, b.Background), cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Wait, b.Wait))
	})
	return list
}

// Statements sums up readings by statement, the greatest first. The newest statistics of the server in
// them are added to the statements with the same text.
func Statements(readings []Reading) []StatementShare {
	classes := map[string]map[string]int64{}
	samples, total := 0, int64(0)
	var statistics *job.Statements
	for _, r := range readings {
		samples += r.Samples
		total += r.Rest
		for _, s := range r.Shares {
			if s.Background != "" {
				continue
			}
			total += s.Sessions
			if classes[s.Statement] == nil {
				classes[s.Statement] = map[string]int64{}
			}
			classes[s.Statement][s.Class] += s.Sessions
		}
		if r.Statements != nil {
			statistics = r.Statements
		}
	}
	if samples == 0 {
		return nil
	}
	list := make([]StatementShare, 0, len(classes))
	for text, counts := range classes {
		one := StatementShare{Text: text}
		var n, most int64
		for _, class := range slices.Sorted(maps.Keys(counts)) {
			n += counts[class]
			if counts[class] > most {
				most, one.Class = counts[class], database.WaitClass(class)
			}
		}
		one.Mean, one.Share = float64(n)/float64(samples), float64(n)/float64(total)
		list = append(list, one)
	}
	list = withStatistics(list, statistics)
	slices.SortFunc(list, func(a, b StatementShare) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(busy(b), busy(a)), cmp.Compare(a.Text, b.Text))
	})
	return list
}

// busy returns the milliseconds in a second that calls of a statement took, by the server's statistics.
func busy(s StatementShare) float64 {
	if s.CallsPerSecond == nil {
		return 0
	}
	return *s.CallsPerSecond * *s.Milliseconds
}

// withStatistics adds the server's statistics to the statements that have the same text, or else as
// statements that were never sampled.
func withStatistics(list []StatementShare, statistics *job.Statements) []StatementShare {
	if statistics == nil || statistics.Seconds <= 0 {
		return list
	}
	keys := make([]string, len(list))
	for i, s := range list {
		keys[i] = keyOf(s.Text)
	}
	for _, counted := range statistics.Top {
		if counted.Calls == 0 {
			continue
		}
		calls, each := float64(counted.Calls)/statistics.Seconds, 1000*counted.Seconds/float64(counted.Calls)
		key := keyOf(counted.Text)
		at := slices.IndexFunc(keys, func(other string) bool { return same(key, other) })
		if at < 0 {
			list, at = append(list, StatementShare{Text: counted.Text}), len(list)
		}
		list[at].CallsPerSecond, list[at].Milliseconds = &calls, &each
	}
	return list
}

// sampledLength is a length, without spaces, from which on the text of a sample may have been cut.
const sampledLength = 120

// same reports whether two keys are of the same statement. Either may be cut.
func same(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= sampledLength && strings.HasPrefix(b, a)
}

// keyOf returns a text in a form in which a sampled statement without its values and the same one in
// the server's statistics are equal.
func keyOf(text string) string {
	text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), "…"), ";")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '`' || r == '"':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// Classes returns the mean numbers of active sessions of clients by class in readings, and false if they
// are all gaps.
func Classes(readings []Reading) (map[database.WaitClass]float64, bool) {
	counts, samples := map[database.WaitClass]int64{}, 0
	for _, r := range readings {
		samples += r.Samples
		for class, n := range r.byClass() {
			counts[class] += n
		}
	}
	if samples == 0 {
		return nil, false
	}
	means := map[database.WaitClass]float64{}
	for class, n := range counts {
		if n > 0 {
			means[class] = float64(n) / float64(samples)
		}
	}
	return means, true
}

// byClass counts the sampled sessions of clients by class.
func (r Reading) byClass() map[database.WaitClass]int64 {
	if r.classes != nil {
		return r.classes
	}
	counts := map[database.WaitClass]int64{}
	for _, s := range r.Shares {
		if s.Background == "" {
			counts[database.WaitClass(s.Class)] += s.Sessions
		}
	}
	if r.Rest > 0 {
		counts[database.WaitOther] += r.Rest
	}
	return counts
}
