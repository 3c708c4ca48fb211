package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// The checks of a run: whether its counts agree, whether it stalled, whether the client had free
// capacity.

// longStall is the shortest stall that is reported, in seconds.
const longStall = 1

// countGrounds compares the counts of the virtual users with those of the server.
func countGrounds(r job.Result, sum meter.Summary) (list []Ground) {
	row := func(tone Tone, name, format string, args ...any) {
		list = append(list, Ground{tone, name, fmt.Sprintf(format, args...)})
	}
	for _, g := range evidence(r) {
		a := g.Agreement
		if a == nil {
			continue
		}
		what := inGroup(g) + fmt.Sprintf("the virtual users counted %s %ss%s, the server %s", count(a.Client), a.What, over(*a), count(a.Server))
		if a.Server < 0 {
			what = inGroup(g) + fmt.Sprintf("the virtual users counted %s %ss%s, and the database has %s fewer than before", count(a.Client), a.What, over(*a), count(-a.Server))
		}
		within := fmt.Sprintf("%s to %s expected", count(a.Low), count(a.High))
		switch {
		case a.None:
			row(Plain, "Counts", "%snot compared: the run had no %ss, which the database counts", inGroup(g), a.What)
		case a.Vague:
			row(Doubtful, "Counts", "%s: this says nothing, because anything from %s to %s would fit. Run for longer.", what, count(a.Low), count(a.High))
		case !a.Holds:
			row(Bad, "Counts", "%s: they disagree (%s%s). %s", what, within, bound(a.Off(), a.Limit, "makes the run invalid (max_failures)"), a.Suspicion())
		default:
			row(Good, "Counts", "%s: they agree (%s)%s", what, within, allowance(*a))
		}
	}
	if r.Agreement == nil && r.CounterAgreement == nil && r.Pool.Elsewhere() {
		row(Doubtful, "Counts", "not compared: the pool leads to several servers, and the one that the monitor is connected to counted neither all transactions nor its own alone")
	}
	if a := r.CounterAgreement; a != nil {
		what := fmt.Sprintf("the virtual users counted %s transactions of all kinds, the server %s", count(a.Client), count(a.Server))
		far := fmt.Sprintf("%s to %s expected%s", count(a.Low), count(a.High), bound(a.Off(), job.TrustedWithin, "is too much for TPM"))
		switch {
		case a.Trusted():
			row(Good, "Counts", "%s: they agree", what)
		case a.Vague:
			row(Doubtful, "TPM", "%s: this says nothing, because anything from %s to %s would fit. Run for longer.", what, count(a.Low), count(a.High))
		case a.Server < a.Client:
			row(Bad, "TPM", "%s: do not use TPM (%s). The server's statistics may be late.", what, far)
		default:
			row(Bad, "TPM", "%s: do not use TPM (%s). The server may have counted the work of others.", what, far)
		}
	}
	if r.Unprobed != "" {
		row(Doubtful, "Counts", "not compared, so that the figures are the virtual users' own: %s", r.Unprobed)
	}
	if r.Uncounted != "" && r.Uncounted != r.Unprobed {
		row(Doubtful, "TPM", "is the virtual users' own count, because the server's is not known: %s", r.Uncounted)
	}
	if c := r.ServerCount; c != nil {
		all := sum.All()
		row(Plain, "Counts", "the virtual users did %s transactions; the server counted %s by its own measure, from all clients: %s %s, %s", count(all.Done), count(c.Count), count(int64(c.Rate)), c.Unit, c.Is)
	}
	return list
}

// bound says by how much a count is off, and the limit. It returns "" without a limit, as in
// results of older releases.
func bound(off, limit float64, matters string) string {
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf("; it is %.2f %% off, and more than %g %% %s", off, limit, matters)
}

// over names the servers of the compared transactions, if not all transactions are compared.
func over(a job.Agreement) string {
	if a.Over == "" {
		return ""
	}
	return " over the connections to " + a.Over
}

// allowance explains why the server may count less than the client.
func allowance(a job.Agreement) string {
	if a.Allowance == "" {
		return ""
	}
	return "; this allows for what cannot be told apart: " + a.Allowance
}

// flowGrounds reports the longest stall, idle users, lost connections, and transactions that had
// not ended when the time was up.
func flowGrounds(r job.Result) (list []Ground) {
	row := func(tone Tone, name, format string, args ...any) {
		list = append(list, Ground{tone, name, fmt.Sprintf(format, args...)})
	}
	if r.Pool != nil {
		for _, c := range r.Pool.Connections {
			if c.Lost != nil {
				row(Bad, "Pool", "%s", lost(c))
			}
		}
	}
	if idle := r.Idle; idle != nil {
		if idle.Idle == 0 {
			row(Good, "Users", "%s worked", sharers(r))
		} else {
			row(Bad, "Users", "%s of %s did no transaction; %s", count(int64(idle.Idle)), sharers(r), cmp.Or(idle.Why, "the client had no time for them: run it on a faster machine, or with fewer users"))
		}
	}
	for _, g := range evidence(r) {
		if g.LongestGap != nil {
			ground := longestGap(r, g)
			ground.Text = inGroup(g) + ground.Text
			list = append(list, ground)
		}
	}
	if r.Steadiness != nil {
		list = append(list, steadiness(*r.Steadiness))
	}
	for _, o := range r.Outages {
		row(Doubtful, "Outages", "%s", outage(o))
	}
	if n := len(r.Waiting); n > 0 {
		cut := 0
		for _, w := range r.Waiting {
			if w.CutOff {
				cut++
			}
		}
		text := "1 transaction had not ended when the time was up"
		if n > 1 {
			text = count(int64(n)) + " transactions had not ended when the time was up"
		}
		if cut > 0 {
			text += fmt.Sprintf(", and %s had to be aborted", count(int64(cut)))
		}
		row(Bad, "Unfinished", "%s: %s. Look in the server for the lock or the statement that it waited for.", text, r.Waiting[0])
	}
	return list
}

// longestGap reports the longest time in which no transaction ended.
func longestGap(r job.Result, of job.GroupResult) Ground {
	g := *of.LongestGap
	if g.Seconds < longStall {
		text := "steady: a transaction ended at least every 0.25 s"
		if g.Seconds > 0 {
			text = fmt.Sprintf("steady: the longest time in which no transaction ended was %.2f s, at %s", g.Seconds, clock(g.From))
		}
		if r.Client != nil && len(r.Client.Pauses) > 0 {
			return Ground{Plain, "Flow", text + "; this leaves out the time in which this client did not run"}
		}
		return Ground{Good, "Flow", text}
	}
	text := fmt.Sprintf("no transaction ended for %.1f s from %s", g.Seconds, clock(g.From))
	if of.Standstills > 1 {
		text += fmt.Sprintf(", the longest of %s stalls", count(int64(of.Standstills)))
	}
	switch {
	case len(r.Outages) > 0:
		text += ", because connections were lost. Look in the server's log for the reason."
	case of.Pace != nil:
		text += ". Response times include it, because they count from the scheduled start. Look for a checkpoint or a lock in the server's log."
	default:
		text += ". Percentiles hide it: read those with a c. Look for a checkpoint or a lock in the server's log."
	}
	return Ground{Bad, "Flow", text}
}

// clock formats seconds as minutes and seconds.
func clock(seconds float64) string {
	s := int(seconds)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// garbage reports the pauses of garbage collection.
func garbage(c job.ClientLoad) string {
	switch c.GCPauses {
	case 0:
		return "garbage collection did not pause it"
	case 1:
		return fmt.Sprintf("garbage collection paused it once, for %s ms", millis(1e9*c.GCLongestPauseSeconds))
	}
	return fmt.Sprintf("garbage collection paused it %s times, %s ms in all and %s ms at most",
		count(c.GCPauses), millis(1e9*c.GCPauseSeconds), millis(1e9*c.GCLongestPauseSeconds))
}

// clientGrounds reports the CPU use of the client, whether it limited the result, and when the
// client did not run.
func clientGrounds(c job.ClientLoad) (list []Ground) {
	used := fmt.Sprintf("%.2f of %s used", c.CoresUsed, cores(c.Cores))
	if len(c.Pauses) > 0 {
		list = append(list, Ground{Bad, "Client", clientPauses(c)})
	}
	list = append(list, heldUp(c)...)
	switch {
	case c.Bound() != nil:
		return append(list, Ground{Bad, "Client", clientBound(c)})
	case c.Throttled():
		return append(list, Ground{Bad, "Client", fmt.Sprintf("throttled by its control group for %.1f s of CPU time (%s), so response times may be its own. Raise its limit of %s.", c.ThrottledSeconds, used, cores(c.CgroupCores))})
	case c.NearLimit():
		return append(list, Ground{Bad, "Client", used + ", so response times may be its own. Run it on another machine, or set GOMAXPROCS higher."})
	case len(c.Pauses) > 0:
		return list
	case c.OtherJobs > 0:
		return append(list, Ground{Doubtful, "Client", used + " together with " + otherJobs(c.OtherJobs) + " of this process: run one at a time"})
	case c.WithDatabase: // an embedded database may use all cores
		return append(list, Ground{Plain, "Client", used + ", the database in it included; " + garbage(c) + untold(c)})
	}
	if c.Machine != nil && c.Machine.Disturbed() || !c.HadRoom() {
		return append(list, Ground{Plain, "Client", used + "; " + garbage(c) + untold(c)})
	}
	return append(list, Ground{Good, "Client", used + ", so it did not limit the result; " + garbage(c) + untold(c)})
}

// clientPauses reports when the client did not run.
func clientPauses(c job.ClientLoad) string {
	longest := slices.MaxFunc(c.Pauses, func(a, b job.ClientPause) int { return cmp.Compare(a.Seconds, b.Seconds) })
	line := fmt.Sprintf("it did not run for %.1f s from %s", longest.Seconds, clock(longest.From))
	if n := len(c.Pauses); n > 1 {
		line += fmt.Sprintf(", the longest of %s pauses of %.1f s in all", count(int64(n)), c.Paused())
	}
	line += ", which is in the rates and response times and is not the server's doing. "
	if longest.CPUSeconds >= longest.Seconds/2 {
		return line + "It was too busy to look at its clock: give it more cores, or fewer users."
	}
	return line + "It was stopped or suspended, or got no core: keep its machine free for it."
}

// machine reports who used the cores of the client's machine.
func machine(m job.MachineLoad) (Tone, string) {
	if m.Unknown != "" && !m.Disturbed() {
		return Plain, fmt.Sprintf("%.2f of %s used by all processes; %s", m.Busy, cores(float64(m.Cores)), m.Unknown)
	}
	server := ""
	if m.Server > 0 {
		server = fmt.Sprintf(", the server %.2f", m.Server)
	}
	text := fmt.Sprintf("others used %.2f of %s, the client %.2f%s", m.Others, cores(float64(m.Cores)), m.Client, server)
	if m.Steal >= 0.01 {
		text += fmt.Sprintf(", and the host took %.2f", m.Steal)
	}
	if !m.Disturbed() {
		return Good, text
	}
	var names []string
	for _, p := range m.Processes {
		names = append(names, fmt.Sprintf("%s %.2f", p.Name, p.Cores))
	}
	if len(names) > 0 {
		text += fmt.Sprintf(" (most: %s)", strings.Join(names, ", "))
	}
	return Doubtful, text + peak(m) + fmt.Sprintf("; threads of the client waited %.1f s for a core. Repeat it on a quiet machine", m.Waited)
}

// otherJobs formats a number of jobs.
func otherJobs(n int) string {
	if n == 1 {
		return "another job"
	}
	return count(int64(n)) + " other jobs"
}

// cores formats a number of cores, or a part of one.
func cores(n float64) string {
	if n == 1 {
		return "1 core"
	}
	return strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64) + " cores"
}

// correction corrects the latencies of a run for the transactions that virtual users did not begin
// while they waited.
type correction struct {
	users   float64
	elapsed time.Duration
	waiting []job.Waiting

	anyLength bool            // transactions may take any time, so a long one is not a stall
	unstalled map[string]bool // groups whose transactions may take any time

	// paced: the run had a rate. Its transactions were scheduled whether or not earlier ones had
	// ended, so response times omit nothing.
	paced bool
}

// waited lists the minimum waits of the unfinished transactions of a kind, or of all kinds if kind
// is "".
func (c correction) waited(kind string) []time.Duration {
	var list []time.Duration
	for _, w := range c.waiting {
		if kind == "" || w.Kind == kind {
			list = append(list, time.Duration(w.Seconds*float64(time.Second)))
		}
	}
	return list
}

// longest returns the longest wait that waited lists, or 0.
func (c correction) longest(kind string) time.Duration {
	return slices.Max(append(c.waited(kind), 0))
}

// of corrects the response times of a kind, or of all kinds if kind is "". It also returns the
// expected interval: the mean time in which a virtual user ended one transaction of the kind, or 0
// with a rate.
func (c correction) of(kind string, t *meter.Tally) (*hdrhistogram.Histogram, time.Duration) {
	if c.paced {
		return meter.Corrected(t.Response, 0, c.waited(kind)), 0
	}
	interval := time.Duration(float64(c.elapsed) * c.users / float64(max(t.Ended(), 1)))
	return meter.Corrected(t.Response, interval, c.waited(kind)), interval
}

// correctionOf returns the correction for a job's figures.
func correctionOf(j job.Job, sum meter.Summary) correction {
	c := correction{
		users: Workers(j, job.Measure), elapsed: cmp.Or(sum.Elapsed, elapsed(j, sum)), waiting: j.Result.Waiting, paced: paced(j),
		unstalled: map[string]bool{},
	}
	for _, g := range j.Result.Groups {
		if g.LongestGap == nil {
			c.anyLength, c.unstalled[g.Name] = true, true
		}
	}
	return c
}

// paced reports whether a run had a rate, in all its groups. A killed run has no result, so its spec decides.
func paced(j job.Job) bool {
	for _, g := range j.Spec.Beside {
		if !rated(g.Options) {
			return false
		}
	}
	return j.Result.Pace != nil || rated(j.Spec.Options)
}

// rated reports whether options set a rate.
func rated(options option.Values) bool { return cmp.Or(options["rate"], "none") != "none" }

// Workers returns the mean number of virtual users, or of their asynchronous clients, that worked
// in a phase.
func Workers(j job.Job, phase job.Phase) float64 {
	if phase == job.RampUp && len(j.Result.Steps) > 0 {
		return float64(j.Result.Steps[0].Users)
	}
	var work, elapsed float64
	for _, s := range j.Result.Steps {
		work += float64(s.Users) * s.Elapsed
		elapsed += s.Elapsed
	}
	if elapsed == 0 {
		return float64(Users(j) * max(1, j.Result.Clients))
	}
	return work / elapsed
}
