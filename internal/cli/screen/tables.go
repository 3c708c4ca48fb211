package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/top"
)

// table draws the current table of the reading i on at most height lines, and returns the details of the
// selected row.
func (s *Screen) table(i, width, height int) (lines []string, detail string) {
	r := s.history.At(i)
	if r.Samples == 0 && (s.tab == sessionsTab || s.tab == blockersTab) {
		return []string{s.Look.Doubtful("! " + notMeasured)}[:min(1, max(0, height))], ""
	}
	switch s.tab {
	case statementsTab:
		return draw(s, statementSheet(top.Statements(s.history.Last(i, window)), r, s), width, height)
	case waitsTab:
		return draw(s, waitSheet(top.Waits(s.history.Last(i, window)), r, s), width, height)
	case blockersTab:
		return draw(s, s.blockerSheet(r), width, height)
	case hostTab:
		return draw(s, s.hostSheet(r), width, height)
	}
	return draw(s, s.sessionSheet(r), width, height)
}

// sessions returns the sessions of a reading that the table shows.
func (s *Screen) sessions(r top.Reading) []top.Session {
	background := s.views[sessionsTab].background
	return slices.DeleteFunc(slices.Clone(r.Sessions), func(one top.Session) bool { return one.Idle || one.Background && !background })
}

func (s *Screen) sessionSheet(r top.Reading) sheet[top.Session] {
	text := func(head string, width, rank int, of func(top.Session) string) field[top.Session] {
		return field[top.Session]{head: head, width: width, rank: rank, text: of, compare: func(a, b top.Session) int { return cmp.Compare(of(a), of(b)) }}
	}
	since := field[top.Session]{
		head: "for", width: 6, right: true, text: func(one top.Session) string { return lasting(one.Seconds) },
		compare: func(a, b top.Session) int { return cmp.Compare(secondsOf(b.Seconds), secondsOf(a.Seconds)) },
	}
	class := text("class", 8, 0, func(one top.Session) string { return string(one.Class) })
	class.look = func(one top.Session, text string) string { return s.tinted(one.Class, text) }
	missing := r.Missing[top.PartSessions]
	if r.Unlisted > 0 {
		missing = fmt.Sprintf("%s more sessions are not listed. %s", humanize.Comma(int64(r.Unlisted)), missing)
	}
	return sheet[top.Session]{
		rows: s.sessions(r), missing: missing, empty: "no active sessions",
		fields: []field[top.Session]{
			since,
			text("session", 8, 0, func(one top.Session) string { return one.ID }),
			text("user", 10, 2, func(one top.Session) string { return one.User }),
			text("program", 14, 3, func(one top.Session) string { return one.Program }),
			text("database", 10, 5, func(one top.Session) string { return one.Database }),
			text("client", 15, 6, func(one top.Session) string { return one.Client }),
			text("state", 10, 4, func(one top.Session) string { return one.State }),
			class,
			text("wait", 18, 1, func(one top.Session) string { return one.Wait }),
			text("statement", 0, 0, func(one top.Session) string { return one.Statement }),
		},
		detail: detailOf,
	}
}

// detailOf describes a session.
func detailOf(one top.Session) string {
	parts := []string{"session " + one.ID}
	for _, part := range []string{one.User, one.Program, one.Database, one.Client, one.State, one.Wait} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ") + ": " + cmp.Or(one.Statement, "no statement is shown to this user")
}

// secondsOf returns the seconds, or -1 if they are unknown.
func secondsOf(seconds *float64) float64 {
	if seconds == nil {
		return -1
	}
	return *seconds
}

func statementSheet(rows []top.StatementShare, r top.Reading, s *Screen) sheet[top.StatementShare] {
	number := func(head string, width int, text func(top.StatementShare) string, value func(top.StatementShare) float64) field[top.StatementShare] {
		return field[top.StatementShare]{head: head, width: width, right: true, text: text, compare: func(a, b top.StatementShare) int { return cmp.Compare(value(b), value(a)) }}
	}
	sampled := func(one top.StatementShare, text string) string {
		if one.Class == "" {
			return "-"
		}
		return text
	}
	counted := func(value *float64) string {
		if value == nil {
			return "-"
		}
		return figure(*value)
	}
	missing := r.Missing[top.PartStatements]
	if missing != "" {
		missing = "calls are not measured: " + missing
	}
	return sheet[top.StatementShare]{
		rows: rows, missing: missing, empty: "no statement was sampled in the last 30 seconds",
		fields: []field[top.StatementShare]{
			number("share", 6, func(one top.StatementShare) string { return sampled(one, percent(one.Share)) }, func(one top.StatementShare) float64 { return one.Share }),
			number("active", 7, func(one top.StatementShare) string { return sampled(one, fmt.Sprintf("%.2f", one.Mean)) }, func(one top.StatementShare) float64 { return one.Mean }),
			{
				head: "mostly", width: 8, text: func(one top.StatementShare) string { return string(one.Class) },
				look: func(one top.StatementShare, text string) string { return s.tinted(one.Class, text) },
			},
			number("calls/s", 9, func(one top.StatementShare) string { return counted(one.CallsPerSecond) }, func(one top.StatementShare) float64 { return secondsOf(one.CallsPerSecond) }),
			number("ms/call", 8, func(one top.StatementShare) string { return counted(one.Milliseconds) }, func(one top.StatementShare) float64 { return secondsOf(one.Milliseconds) }),
			{head: "statement", text: func(one top.StatementShare) string { return cmp.Or(one.Text, "(hidden, or none)") }},
		},
		detail: func(one top.StatementShare) string { return cmp.Or(one.Text, "(hidden, or none)") },
	}
}

// figure formats a number in a few columns.
func figure(x float64) string {
	switch {
	case x >= 100:
		return humanize.Comma(int64(x + 0.5))
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

func waitSheet(rows []top.WaitShare, r top.Reading, s *Screen) sheet[top.WaitShare] {
	return sheet[top.WaitShare]{
		rows: rows, missing: r.Missing[top.PartLocks], empty: "no active sessions in the last 30 seconds",
		fields: []field[top.WaitShare]{
			{head: "share", width: 6, right: true, text: func(one top.WaitShare) string { return percent(one.Share) }},
			{head: "active", width: 7, right: true, text: func(one top.WaitShare) string { return fmt.Sprintf("%.2f", one.Mean) }, compare: func(a, b top.WaitShare) int {
				return cmp.Or(cmp.Compare(min(1, len(a.Background)), min(1, len(b.Background))), cmp.Compare(b.Mean, a.Mean))
			}},
			{
				head: "class", width: 8, text: func(one top.WaitShare) string { return string(one.Class) }, compare: func(a, b top.WaitShare) int { return cmp.Compare(a.Class, b.Class) },
				look: func(one top.WaitShare, text string) string { return s.tinted(one.Class, text) },
			},
			{head: "of", width: 24, rank: 1, text: func(one top.WaitShare) string { return cmp.Or(one.Background, "clients") }, compare: func(a, b top.WaitShare) int { return cmp.Compare(a.Background, b.Background) }},
			{head: "wait", text: waitOf},
		},
		detail: func(one top.WaitShare) string {
			return fmt.Sprintf("%s of %s: %s", one.Class, cmp.Or(one.Background, "clients"), waitOf(one))
		},
	}
}

func waitOf(one top.WaitShare) string {
	if one.Wait == "" && one.Class == database.WaitCPU {
		return "no wait: they compute"
	}
	return cmp.Or(one.Wait, "-")
}

// branch is a row of the tree of blockers.
type branch struct {
	*top.Node
	tree string // the ID, after lines that lead to it
}

func (s *Screen) blockerSheet(r top.Reading) sheet[branch] {
	missing := r.Missing[top.PartLocks]
	return sheet[branch]{
		rows: branches(nil, r.Blockers(), ""), missing: missing, empty: "no session waits for another one",
		fields: []field[branch]{
			{head: "session", width: 16, text: func(b branch) string { return b.tree }},
			{head: "blocks", width: 6, right: true, text: func(b branch) string {
				if b.Blocked == 0 {
					return ""
				}
				return humanize.Comma(int64(b.Blocked))
			}},
			{head: "waits", width: 6, right: true, text: func(b branch) string {
				if b.Lock == nil {
					return ""
				}
				return lasting(b.Lock.Seconds)
			}},
			{head: "user", width: 10, rank: 2, text: func(b branch) string { return b.User }},
			{head: "program", width: 14, rank: 3, text: func(b branch) string { return b.Program }},
			{head: "state", width: 19, rank: 4, text: func(b branch) string { return b.State }},
			{head: "waits for", width: 22, rank: 1, text: func(b branch) string {
				if b.Lock == nil {
					return ""
				}
				return b.Lock.Object
			}, look: func(_ branch, text string) string { return s.tinted(database.WaitLock, text) }},
			{head: "statement", text: statementOf},
		},
		detail: func(b branch) string {
			text := detailOf(b.Session)
			if !b.Known {
				text = "session " + b.ID + ": " + statementOf(b)
			}
			if b.Lock != nil {
				text = fmt.Sprintf("waits for session %s, %s; ", b.Lock.Holder, cmp.Or(b.Lock.Object, "an unknown lock")) + text
			}
			if b.Others > 0 {
				text = fmt.Sprintf("queues behind %d more; ", b.Others) + text
			}
			return text
		},
	}
}

// statementOf returns the statement of a session in the tree, or the reason why it is missing.
func statementOf(b branch) string {
	switch {
	case b.Deadlock:
		return "DEADLOCK with session " + b.Lock.Holder + ": " + b.Statement
	case !b.Known && b.ID == "0":
		return "a prepared transaction"
	case !b.Known:
		return "ended, or hidden from this user"
	}
	return b.Statement
}

// deepest is the depth from which on branches are not indented further.
const deepest = 4

// branches lists the nodes of trees, each before those below it.
func branches(list []branch, nodes []*top.Node, lines string) []branch {
	for i, n := range nodes {
		tree, below := n.ID, ""
		if lines != "" {
			tree = lines[:len(lines)-2] + "└ " + n.ID
			if i < len(nodes)-1 {
				tree = lines[:len(lines)-2] + "├ " + n.ID
			}
			below = lines
		}
		list = append(list, branch{n, tree})
		if len(below) < 2*deepest {
			below += "  "
		}
		list = branches(list, n.Waiters, below)
	}
	return list
}

func (s *Screen) hostSheet(r top.Reading) sheet[job.Sample] {
	missing := r.Missing[top.PartHost]
	if missing != "" {
		missing = notMeasured + ": " + missing
	}
	called := func(one job.Sample) string {
		labels := map[string]string{}
		for name, value := range one.Labels {
			if name != "machine" {
				labels[name] = value
			}
		}
		if len(labels) == 0 {
			return ""
		}
		return job.Series{Name: one.Name, Labels: labels}.Called()
	}
	return sheet[job.Sample]{
		rows: r.Host, missing: missing, empty: "the first figures come in a second",
		fields: []field[job.Sample]{
			{head: "figure", width: 28, text: func(one job.Sample) string { return one.Name }},
			{head: "value", width: 12, right: true, text: func(one job.Sample) string { return figure(one.Value) }},
			{head: "unit", width: 12, text: func(one job.Sample) string { return one.Unit }},
			{head: "of", text: called},
		},
		detail: func(one job.Sample) string {
			return fmt.Sprintf("%s of %s: %s %s %s", one.Name, r.Server.Host, figure(one.Value), one.Unit, called(one))
		},
	}
}
