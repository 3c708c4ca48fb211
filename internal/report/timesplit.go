package report

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// partRank says which parts of response times a narrow terminal leaves out first.
var partRank = map[string]int{job.PartStartLag: 2, job.PartClient: 2, "memory": 1, "parallel": 1, "commit": 1, "throttle": 1, "other": 1}

// timeSplit writes a table of where the time of transactions went.
func timeSplit(b *page, a *job.Activity) {
	if a == nil || a.Joined == nil {
		return
	}
	if why := a.Joined.Undivided; why != "" {
		b.title("Where the time goes", "")
		b.say(b.Look.Faint, "  Not known: %s.", Printable(why))
		return
	}
	if len(a.Transactions) == 0 {
		return
	}
	t := terminal.Table{Columns: []terminal.Column{{Head: "  transaction", Left: true}, {Head: "response"}}}
	var noticeable []int // the parts that are at least a hundredth of some response time; all kinds have the same
	for i, p := range a.Transactions[0].Parts {
		if slices.ContainsFunc(a.Transactions, func(kind job.TimeSplit) bool { return 100*kind.Parts[i].Milliseconds >= kind.Response }) {
			noticeable = append(noticeable, i)
			t.Columns = append(t.Columns, terminal.Column{Head: p.Name, Rank: partRank[p.Name]})
		}
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "samples", Rank: 3})
	var few []string
	for _, kind := range a.Transactions {
		cells := []string{"  " + Printable(kind.Kind), millis(1e6 * kind.Response)}
		for _, i := range noticeable {
			p := kind.Parts[i]
			switch {
			case p.Milliseconds == 0:
				cells = append(cells, "-")
			case p.Error == nil:
				cells = append(cells, millis(1e6*p.Milliseconds))
			default:
				cells = append(cells, fmt.Sprintf("%s ±%.2g", millis(1e6*p.Milliseconds), *p.Error))
			}
		}
		t.Row(append(cells, count(kind.Samples))...)
		if kind.Samples < job.FewSamples {
			few = append(few, Printable(kind.Kind))
		}
	}
	b.title("Where the time goes (ms)", "the mean response time and its parts, with the standard error of those that are sampled")
	b.lay(t)
	if len(few) > 0 {
		b.say(b.Look.Faint, "  Fewer than %d samples say little: %s.", job.FewSamples, strings.Join(few, ", "))
	}
	b.say(b.Look.Faint, "  %s", joined(*a.Joined))
}

// joined says for how many sampled sessions the transaction is known.
func joined(j job.Joined) string {
	own := float64(max(1, j.Certain+j.Likely+j.None))
	text := fmt.Sprintf("%s of the users' sampled sessions: %.1f %% surely in the transaction that was in flight, %.1f %% by the time",
		count(j.Certain+j.Likely+j.None), 100*float64(j.Certain)/own, 100*float64(j.Likely)/own)
	if j.None > 0 {
		text += fmt.Sprintf(", %.1f %% in none", 100*float64(j.None)/own)
	}
	if j.Foreign > 0 {
		text += fmt.Sprintf("; %s of other programs", count(j.Foreign))
	}
	return text + "."
}
