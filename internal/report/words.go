package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// share formats a part of a whole in percent, with two significant digits.
func share(part, whole int64) string {
	return percent(Percent(float64(part), float64(whole)))
}

// percent formats percents, with two significant digits.
func percent(p float64) string {
	if p == 0 {
		return "0 %"
	}
	return strconv.FormatFloat(p, 'f', max(0, 1-int(math.Floor(math.Log10(p)))), 64) + " %"
}

// Figure formats the value of a headline figure, with its unit if it has one.
func Figure(m job.Metric) string {
	if m.Unit == "" {
		return number(m.Value)
	}
	digits := max(0, 3-int(math.Floor(math.Log10(max(m.Value, 1e-9))))) // four significant digits
	scale := math.Pow10(digits)
	return humanize.CommafWithDigits(math.Round(m.Value*scale)/scale, digits) + " " + m.Unit
}

// Short formats the value without its fraction, unless the fraction is a large part of it.
func Short(m job.Metric) string {
	if m.Unit == "" && (m.Value >= 10 || m.Value == math.Trunc(m.Value)) {
		return count(int64(m.Value))
	}
	return Figure(m)
}

// number formats a figure as a whole number, unless it is so small that its fraction matters.
func number(value float64) string {
	if value >= 100 {
		return count(int64(value))
	}
	return humanize.CommafWithDigits(value, 2)
}

// explained describes how the plans of the queries were read.
func explained(e job.Explained) string {
	took := Spell(time.Duration(e.Seconds * float64(time.Second)))
	if e.Seconds < 1 {
		took = seconds(e.Seconds) + " s"
	}
	text := fmt.Sprintf("%s of %s queries, taken in %s after the measured time", count(int64(e.Plans)), count(int64(e.Queries)), took)
	if e.Timed > 0 {
		text += fmt.Sprintf(", including a second execution of %s", count(int64(e.Timed)))
	}
	if e.Why != "" {
		text += "; " + strings.Join(strings.Fields(e.Why), " ")
	}
	return text
}

// serverReport describes the server's report, or says why there is none.
func serverReport(r job.ServerReport) string {
	if r.Error != "" {
		return fmt.Sprintf("no %s of the server: %s", r.Title, strings.Join(strings.Fields(r.Error), " "))
	}
	return fmt.Sprintf("%s of the server, %s lines, made beside the virtual users in %s, from the beginning of the measured time on", r.Title, count(int64(strings.Count(r.Text, "\n")+1)), Spell(time.Duration(r.Seconds*float64(time.Second))))
}

// outage describes when connections were lost, and how the rate recovered.
func outage(o job.Outage) string {
	line := "1 connection lost"
	if o.Lost > 1 {
		line = count(int64(o.Lost)) + " connections lost"
	}
	line += " from " + clock(o.From)
	if o.Silent > 0 {
		line += fmt.Sprintf("; nothing succeeded for %.1f s", o.Silent)
	}
	if o.RateBefore == 0 {
		return line + "; the rate before is not known"
	}
	line += fmt.Sprintf("; the rate before was %s/s", number(o.RateBefore))
	var back, never []string
	for _, b := range o.Back {
		if b.After == nil {
			never = append(never, fmt.Sprintf("%d %%", b.Percent))
		} else {
			back = append(back, fmt.Sprintf("at %d %% after %.1f s", b.Percent, *b.After))
		}
	}
	if len(back) > 0 {
		line += "; back " + strings.Join(back, ", ")
	}
	if len(never) > 0 {
		line += "; not back at " + strings.Join(never, " or ")
	}
	return line
}

// ledger summarizes the audit of the acknowledged commits.
func ledger(l job.Ledger) string {
	line := fmt.Sprintf("%s commits acknowledged, %s missing, %s twice", count(l.Acknowledged), count(l.Missing), count(l.Twice))
	if l.Unproven > 0 {
		line += fmt.Sprintf(", %s that may leave nothing to find", count(l.Unproven))
	}
	if l.InDoubt > 0 {
		line += fmt.Sprintf("; of %s in doubt %s committed", count(l.InDoubt), count(l.InDoubtFound))
	}
	return line
}

// tidied reports post-run maintenance of the server and its duration.
func tidied(t job.Tidied) string {
	took := Spell(time.Duration(t.Seconds * float64(time.Second)))
	switch {
	case t.Ended == job.LeftOut:
		return fmt.Sprintf("no %s: %s", t.Work, t.Why)
	case t.Ended == job.GivenUp:
		return fmt.Sprintf("%s given up after %s with %s of %s left", t.Work, took, count(t.Left), count(t.Had))
	case t.Ended == "" && t.Had > 0:
		return fmt.Sprintf("%s aborted after %s with %s of %s left", t.Work, took, count(t.Left), count(t.Had))
	case t.Ended == "":
		return fmt.Sprintf("%s aborted after %s", t.Work, took)
	case t.Had > 0:
		return fmt.Sprintf("%s of %s in %s", t.Work, count(t.Had), took)
	}
	return fmt.Sprintf("%s in %s", t.Work, took)
}

// kindPace describes the scheduled and the achieved rate of one kind of transaction.
func kindPace(k job.KindPace) string {
	text := fmt.Sprintf("%s: %s/s scheduled, %s/s ended; start lag %s",
		k.Kind, rate(k.Asked), rate(k.Ended), delay(k.StartLag))
	if k.Behind > 0 {
		text += fmt.Sprintf("; %s had not begun", count(k.Behind))
	}
	return text
}

// keyed compares a run with what keying and thinking times allow.
func keyed(k job.Keyed) string {
	text := fmt.Sprintf("%.1f %% of what keying and thinking times allow: %s of %s transactions a minute", k.Reached, rate(k.Measured), rate(k.Expected))
	if k.Each != "" {
		text += fmt.Sprintf(". %.4g sessions with at most %s each do at most %s %ss a minute", k.Sessions, k.Each, rate(k.Figure), Printable(k.What))
	}
	if k.Limit != "" {
		text += fmt.Sprintf(" (%s)", Printable(k.Limit))
	}
	if k.Reached < job.EnoughPace {
		text += ". The rest of the time went into response times: look for what slows the server"
	}
	return text
}

// pace compares a run with its rate.
func pace(p job.Pace) string {
	text := fmt.Sprintf("%.1f %% of the rate: %s/s scheduled, %s/s ended; start lag %s",
		p.Share(), rate(p.Asked), rate(p.Ended), delay(p.StartLag))
	if p.Behind > 0 {
		text += fmt.Sprintf("; %s scheduled transactions had not begun when the time was up", count(p.Behind))
	}
	if p.Earlier > 0 {
		text += fmt.Sprintf("; %s that were scheduled before the measured time ended in it, and are not counted", count(p.Earlier))
	}
	if p.Behind > 0 || p.Share() < job.EnoughPace {
		text += ". Ask for a lower rate, or for more virtual users if the server has room"
	}
	return text
}

// rate formats a rate, with a decimal below a thousand.
func rate(value float64) string {
	if value >= 1000 {
		return count(int64(math.Round(value)))
	}
	return strconv.FormatFloat(value, 'f', 1, 64)
}

// delay formats the waits of transactions.
func delay(d meter.Latency) string {
	return fmt.Sprintf("%s on average (p99 %s, max %s)", late(d.Mean), late(d.P99), late(d.Max))
}

// late formats a start lag.
func late(ms meter.Millis) string {
	if ms < 1e-3 {
		return "0 ms"
	}
	return millis(float64(ms)*1e6) + " ms"
}

// VirtualUsers formats a number of virtual users.
func VirtualUsers(n int) string {
	if n == 1 {
		return "1 virtual user"
	}
	return count(int64(n)) + " virtual users"
}

// sharers names the users that share connections.
func sharers(r job.Result) string {
	if r.Clients > 0 {
		return count(int64(r.Users*r.Clients)) + " asynchronous clients"
	}
	return VirtualUsers(r.Users)
}

func connections(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return count(int64(n)) + " connections"
}

// load describes the number of users and the amount of data.
func load(j job.Job) string {
	users := VirtualUsers(Users(j))
	if steps := j.Result.Steps; len(steps) > 1 {
		users = fmt.Sprintf("up to %s, in %d steps,", users, len(steps))
	}
	if n := j.Result.Clients; n > 0 {
		users += fmt.Sprintf(" with %s asynchronous clients each, %s in all,", count(int64(n)), count(int64(Users(j)*n)))
	}
	if groups := j.Spec.Groups(); groups != nil {
		users = groupLoad(groups) + ","
	}
	if f := j.Facts; f != nil && f.Size != "" {
		users += " on " + f.Size
	}
	return strings.TrimSuffix(users, ",")
}

// server names the server of a job, and the product that answered, if it answered.
func server(j job.Job) string {
	f := j.Facts
	if j.Origin != "" {
		return f.Server
	}
	if f.Server == "" {
		return f.Target
	}
	return fmt.Sprintf("%s, version %s", f.Target, strings.TrimSpace(f.Product+" "+f.Server))
}

func megabytesPerSecond(size int64, seconds float64) string {
	if seconds <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(size)/1e6/seconds)
}
