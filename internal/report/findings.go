package report

import (
	"fmt"
	"slices"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// findings writes one line for each rule, then the first rows that break each broken rule.
func findings(b *page, list []job.Finding) {
	b.gap("Rules")
	looks := map[string]func(string) string{ok: b.Look.Good, broken: b.Look.Bad, excused: b.Look.Doubtful, unknown: b.Look.Doubtful}
	t := terminal.Table{Bare: true, Columns: []terminal.Column{
		{Head: "verdict", Left: true}, {Head: "rule", Left: true}, {Head: "meaning", Left: true, Wrapped: true},
	}}
	for _, f := range list {
		verdict, remark := judge(f)
		meaning := f.Title
		if f.Source != "" {
			meaning += " (" + f.Source + ")"
		}
		if remark != "" {
			meaning += ": " + remark
		}
		t.Row(looks[verdict](verdict), Printable(f.Rule), Printable(meaning))
	}
	b.lay(t)
	for _, f := range list {
		if verdict, _ := judge(f); verdict == broken && len(f.Rows) > 0 {
			b.title("The first rows that break "+Printable(f.Rule), "")
			b.table(terminal.Table{Columns: terminal.Heads(f.Columns...), Rows: f.Rows})
		}
	}
	b.say(plain, "\n%s.", verdicts(list))
}

// verdicts counts the rules by verdict.
func verdicts(list []job.Finding) string {
	if allHold(list) {
		return fmt.Sprintf("all %d rules hold", len(list))
	}
	tally := map[string]int{}
	for _, f := range list {
		verdict, _ := judge(f)
		tally[verdict]++
	}
	return fmt.Sprintf("%d rules: %d OK, %d broken, %d excused, %d unknown", len(list), tally[ok], tally[broken], tally[excused], tally[unknown])
}

func allHold(list []job.Finding) bool {
	return !slices.ContainsFunc(list, func(f job.Finding) bool { verdict, _ := judge(f); return verdict != ok })
}

// The outcomes of a rule.
const (
	ok      = "OK"
	broken  = "BROKEN"
	excused = "EXCUSED"
	unknown = "UNKNOWN"
)

func judge(f job.Finding) (verdict, remark string) {
	switch {
	case f.Error != "":
		return unknown, f.Error
	case f.Holds:
		return ok, ""
	case f.Excuse != "":
		return excused, f.Excuse
	}
	return broken, f.Cause
}
