package report

import (
	"fmt"
	"math"
	"strings"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// The evidence behind the sentence on what limited a run, apart from the time of its transactions.

// flushCounters count log flushes and their time, by source. A server has one of them.
var flushCounters = []struct{ source, count, milliseconds, objects string }{
	{"pg_stat_wal", "wal_sync", "wal_sync_time", ""},  // PostgreSQL 14 to 17; the time with track_wal_io_timing
	{"pg_stat_io", "fsyncs", "fsync_time", ", wal, "}, // PostgreSQL 18; the same
	{"global_status", "Innodb_os_log_fsyncs", "", ""}, // MySQL and MariaDB
}

// Waits for flushes of the log, in lower case: of a session that flushes it, and of those that wait for that one.
const flushWait = "io/walsync"

var flushWaits = []string{flushWait, "lwlock/walwrite"}

// flush says how long a flush of the log takes; "" if that is not known. Without the server's own times it uses
// Little's law: the mean number of sessions that flush is the number of flushes in a second, times the time of one.
func flush(r job.Result) string {
	each := 0.0 // flushes in a second
	for _, f := range flushCounters {
		n, ms := grown(r.ServerCounters, f.source, f.count, f.objects), grown(r.ServerCounters, f.source, f.milliseconds, f.objects)
		if n > 0 && ms > 0 {
			return fmt.Sprintf("; a flush takes %s ms", millis(1e6*ms/n))
		}
		if n > 0 {
			each = n / r.ServerCounters.Seconds
		}
	}
	if sessions := flushing(r.Activity); each > 0 && sessions >= job.FewSamples {
		return fmt.Sprintf("; a flush takes about %s ms", millis(1e9*float64(sessions)/float64(r.Activity.Samples)/each))
	}
	return diskTime(r, "flushes", "flush")
}

// flushing returns the number of sampled sessions that flushed the log.
func flushing(a *job.Activity) (n int64) {
	for _, s := range a.Shares {
		if strings.EqualFold(s.Wait, flushWait) {
			n += s.Sessions
		}
	}
	return n
}

// grown returns the growth of a counter, over the objects whose names contain a text if that is not "".
func grown(c *job.ServerCounters, source, name, objects string) (sum float64) {
	for _, one := range c.Of(source) {
		if one.Name != name {
			continue
		}
		if objects == "" {
			return one.Value
		}
		for _, part := range one.Parts {
			if strings.Contains(part.Of, objects) {
				sum += part.Value
			}
		}
	}
	return sum
}

// diskTime says how long a disk of the server's machine takes for a request: the one with the longest response time.
func diskTime(r job.Result, requests, request string) string {
	u := r.Resources.Use("disk", "response time of "+requests)
	if u == nil || u.Values.Mean == 0 {
		return ""
	}
	return fmt.Sprintf("; disk %s takes %s ms for a %s", Printable(u.Of), millis(1e6*u.Values.Mean), request)
}

// heldBy says what held the locks for which most sessions waited, and from when to when; "" if that is not known.
func heldBy(r job.Result) string {
	if r.Blocked == nil {
		return ""
	}
	return "; " + waited(*r.Blocked, r.Activity)
}

// waited says which transactions waited for what, and from when to when.
func waited(b job.Blocked, a *job.Activity) string {
	who := "sessions"
	if b.Transaction != "" {
		who = Printable(b.Transaction)
	}
	return fmt.Sprintf("%s waited for %s%s %s", who, Printable(b.Blocker), newestStatement(a, b.Blocker), span(b.From, b.Until))
}

// newestStatement names the statement that the session of another program, "session 7 (psql)", had executed in most
// samples; "" if it is not known.
func newestStatement(a *job.Activity, blocker string) string {
	const longest = 80
	if a == nil {
		return ""
	}
	statements := map[string]int64{}
	for _, s := range a.Shares {
		if s.Program != "" && s.Statement != "" && s.Class != "lock" && strings.HasSuffix(blocker, "("+s.Program+")") {
			statements[s.Statement] += s.Sessions
		}
	}
	if len(statements) == 0 {
		return ""
	}
	return ", whose newest statement was " + Printable(terminal.Cut(greatest(statements)[0], longest)) + ","
}

// meanwhile says when a run was slowest, and which work of the server's own went on; "" if there is nothing to say.
func meanwhile(r job.Result) string {
	text, named := "", ""
	if s := r.Slowest; s != nil {
		text = fmt.Sprintf("; slowest %s, with %.0f %% fewer transactions", span(s.From, s.Until), -s.Change)
		switch {
		case s.Blocked != nil && s.Class == "lock":
			text += ", when " + waited(*s.Blocked, r.Activity)
		case s.Background != "":
			text, named = text+", during a "+Printable(s.Background), s.Background
		case s.Class != "":
			text += ", when more sessions were " + stateWord(s.Class)
		}
		if s.Others > 0 {
			text += fmt.Sprintf(" (one of %d slow times)", s.Others+1)
		}
	}
	return text + ownWork(r.Background, named)
}

// stateWord says what sessions of a class do.
func stateWord(class string) string {
	words := map[string]string{"cpu": "computing", "network": "waiting for their client", "throttle": "paused on purpose"}
	if word, known := words[class]; known {
		return word
	}
	return partWord(class)
}

// ownWork names the checkpoint, or other work of the server's own, that slowed a run most. Other work than checkpoints
// is named only if it slowed the run noticeably.
func ownWork(list []job.BackgroundWork, named string) string {
	const noticeable = -10 // percent
	var found *job.BackgroundWork
	for i, work := range list {
		change := 0.0
		if work.Change != nil {
			change = *work.Change
		}
		if work.Work == named || work.Work != "checkpoint" && change > noticeable {
			continue
		}
		if found == nil || found.Change != nil && change < *found.Change {
			found = &list[i]
		}
	}
	if found == nil {
		return ""
	}
	text := fmt.Sprintf("; a %s ran %s", Printable(found.Work), span(found.From, found.Until))
	switch c := found.Change; {
	case c == nil:
	case *c < 0:
		text += fmt.Sprintf(", with %.0f %% fewer transactions than in other seconds", -*c)
	default:
		text += fmt.Sprintf(", with %.0f %% more transactions than in other seconds", *c)
	}
	return text
}

// span names a time of a run: "from second 3 to 5".
func span(from, until float64) string {
	return fmt.Sprintf("from second %.0f to %.0f", math.Floor(from), math.Ceil(until))
}

// serverCPU returns the cores of the server's machine and how many of them were in use; 0 cores if that is not known.
func serverCPU(r job.Result) (cores, busy float64) {
	if m := serverMachine(r); m != nil {
		return float64(m.Cores), m.Busy
	}
	if u := r.Resources.Use("CPU", "in use"); u != nil && r.Resources.Cores > 0 {
		cores = float64(r.Resources.Cores)
		return cores, cores * u.Values.Mean / 100
	}
	return 0, 0
}

// others names the programs besides the server and the client that used the cores of their machine; "" if they used
// few, or if it is not known.
func others(r job.Result) string {
	m := serverMachine(r)
	if m == nil || !m.Disturbed() || m.Others == 0 {
		return ""
	}
	var names []string
	for _, p := range m.Processes {
		names = append(names, fmt.Sprintf("%s %.2f", Printable(p.Name), p.Cores))
	}
	text := fmt.Sprintf("other programs used %.2f", m.Others)
	if len(names) > 0 {
		text += " (most: " + strings.Join(names, ", ") + ")"
	}
	return text + peak(*m)
}

// peak says when other processes used clearly more than on average, or returns "".
func peak(m job.MachineLoad) string {
	const clearly = 1.25
	p := m.Peak
	if p == nil || p.Others < clearly*m.Others {
		return ""
	}
	text := fmt.Sprintf(", most from second %.0f to %.0f: %.2f", p.From, p.From+p.Seconds, p.Others)
	if p.Name != "" {
		text += fmt.Sprintf(", %s %.2f", Printable(p.Name), p.Cores)
	}
	return text
}
