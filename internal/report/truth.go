package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// What a reader must know to trust the figures of a run, or not to.

// remarks says, a sentence each, which connections of a pool were lost, whether the two
// counts agree, how long no transaction ended, what the ledger lacks, what had not ended when
// the time was up, and what Sledge itself needed.
func remarks(r job.Result) []string {
	var lines []string
	if r.Pool != nil {
		for _, c := range r.Pool.Connections {
			if c.Lost != nil {
				lines = append(lines, lost(c))
			}
		}
	}
	if r.Agreement != nil {
		lines = append(lines, agreement(*r.Agreement))
	}
	if r.CounterAgreement != nil {
		lines = append(lines, counterAgreement(*r.CounterAgreement))
	}
	if r.LongestGap != nil {
		lines = append(lines, longestGap(r))
	}
	if p := r.Pace; p != nil && p.Share() < job.EnoughPace {
		lines = append(lines, fmt.Sprintf("ONLY %.1f %% OF THE RATE WAS REACHED: of %.1f transactions a second %.1f were due and done. The server cannot do more, or there are too few virtual users.", p.Share(), p.Asked, p.Asked*p.Share()/100))
	}
	if k := r.Keyed; k != nil && k.Reached < job.EnoughPace {
		lines = append(lines, fmt.Sprintf("ONLY %.1f %% OF WHAT KEYING AND THINKING TIMES ALLOW WAS REACHED: %.1f of %.1f transactions a minute. Response times, or a ramp-up shorter than a minute, took the rest.", k.Reached, k.Measured, k.Expected))
	}
	if r.Uncounted != "" && r.Uncounted != r.Unprobed { // which Grounds tell of
		lines = append(lines, "TPM is the virtual users' own count. The server's is not known: "+Printable(r.Uncounted)+".")
	}
	if l := r.Ledger; l != nil {
		for _, example := range l.Examples {
			lines = append(lines, "LEDGER: "+Printable(example)+".")
		}
	}
	lines = append(lines, waiting(r.Waiting)...)
	if c := r.Client; c != nil {
		if len(c.Pauses) > 0 {
			lines = append(lines, clientPauses(*c))
		}
		if len(c.Pauses) == 0 || c.NearLimit() || c.Throttled() {
			lines = append(lines, client(*c))
		}
	}
	return lines
}

// Warnings are the remarks on a run without those that say that all is well.
func Warnings(r job.Result) []string {
	if r.Agreement != nil && r.Agreement.Holds {
		r.Agreement = nil
	}
	if r.CounterAgreement != nil && r.CounterAgreement.Trusted() {
		r.CounterAgreement = nil
	}
	if r.LongestGap != nil && r.LongestGap.Seconds < standstill {
		r.LongestGap = nil
	}
	if r.Client != nil && r.Client.HadRoom() {
		r.Client = nil
	}
	return remarks(r)
}

// standstill is how many seconds a gap has to last to be called one.
const standstill = 1

// agreement compares two counts in a sentence.
func agreement(a job.Agreement) string {
	if a.None {
		return fmt.Sprintf("There were no %s transactions to do, so the count in the database says nothing of the virtual users' count.", Printable(a.What))
	}
	expected := fmt.Sprintf("%s to %s expected", count(a.Low), count(a.High))
	verdict := "they agree (" + expected + ")."
	switch {
	case a.Vague:
		verdict = fmt.Sprintf("this says nothing, because anything from %s to %s would fit. Run for longer.", count(a.Low), count(a.High))
	case !a.Holds:
		verdict = "THEY DISAGREE (" + expected + bound(a.Off(), a.Limit, "makes the run invalid (max_failures)") + "). " + a.Suspicion()
	}
	line := fmt.Sprintf("The virtual users counted %s %s transactions%s and the server %s: %s",
		count(a.Client), Printable(a.What), Printable(over(a)), count(a.Server), verdict)
	return line + allowance(a)
}

// over says where the transactions went that are compared, if those are not all.
func over(a job.Agreement) string {
	if a.Over == "" {
		return ""
	}
	return " over the connections to " + a.Over
}

// allowance says why the server may count less than the client.
func allowance(a job.Agreement) string {
	if a.Allowance == "" {
		return ""
	}
	return " This allows for what cannot be told apart: " + Printable(a.Allowance) + "."
}

// counterAgreement says whether the server's count of all transactions, which TPM is
// computed from, is what the virtual users ended.
func counterAgreement(a job.Agreement) string {
	counts := fmt.Sprintf("the server counted %s transactions in all and the virtual users %s", count(a.Server), count(a.Client))
	switch {
	case a.Trusted():
		return "TPM agrees too: " + counts + "."
	case a.Vague:
		return fmt.Sprintf("TPM cannot be checked: %s, and anything from %s to %s would fit. Run for longer.", counts, count(a.Low), count(a.High))
	}
	why := "The server may have counted the work of others."
	if a.Server < a.Client {
		why = "The server's statistics may be late."
	}
	return fmt.Sprintf("TPM CANNOT BE TRUSTED: %s (%s to %s expected%s). %s",
		counts, count(a.Low), count(a.High), bound(a.Off(), job.TrustedWithin, "is too much for TPM"), why)
}

// bound says by how much a count is out of bounds, and from where on that matters. Results of
// older releases know no limit.
func bound(off, limit float64, matters string) string {
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf("; it is %.2f %% off, and more than %g %% %s", off, limit, matters)
}

// longestGap says for how long no transaction ended.
func longestGap(r job.Result) string {
	g := *r.LongestGap
	switch {
	case g.Seconds == 0:
		return "Transactions ended all the time: there was no gap of 0.25 s."
	case g.Seconds < standstill:
		return fmt.Sprintf("The longest time in which no transaction ended was %.2f s, from %s.", g.Seconds, clock(g.From))
	}
	line := fmt.Sprintf("NO TRANSACTION ENDED for %.1f s from %s", g.Seconds, clock(g.From))
	if r.Standstills > 1 {
		line += fmt.Sprintf(", the longest of %s standstills of a second or more", count(int64(r.Standstills)))
	}
	switch {
	case len(r.Outages) > 0:
		return line + ", as connections were lost."
	case r.Pace != nil:
		return line + ". Response times show it, since they count from when a transaction was due."
	}
	return line + ". Ordinary percentiles hide this; p99.9c shows it."
}

// clock spells seconds as minutes and seconds.
func clock(seconds float64) string {
	s := int(seconds)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// waiting says how many transactions had not ended when the time was up, and names the
// longest.
func waiting(list []job.Waiting) []string {
	if len(list) == 0 {
		return nil
	}
	cut := 0
	for _, w := range list {
		if w.CutOff {
			cut++
		}
	}
	line := "1 TRANSACTION HAD NOT ENDED when the time was up"
	if len(list) > 1 {
		line = fmt.Sprintf("%s TRANSACTIONS HAD NOT ENDED when the time was up", count(int64(len(list))))
	}
	if cut > 0 {
		line += fmt.Sprintf(", and %s had to be cut off", count(int64(cut)))
	}
	return []string{line + ": " + Printable(list[0].String()) + "."}
}

// garbage says how garbage collection held up the client.
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

// clientPauses says when the client did not run.
func clientPauses(c job.ClientLoad) string {
	longest := slices.MaxFunc(c.Pauses, func(a, b job.ClientPause) int { return cmp.Compare(a.Seconds, b.Seconds) })
	line := fmt.Sprintf("THIS CLIENT DID NOT RUN for %.1f s from %s", longest.Seconds, clock(longest.From))
	if n := len(c.Pauses); n > 1 {
		line += fmt.Sprintf(", the longest of %s pauses of %.1f s in all", count(int64(n)), c.Paused())
	}
	line += ". That is in the rates and response times, and is not the server's doing. "
	if longest.CPUSeconds >= longest.Seconds/2 {
		return line + "It was too busy to look at its clock: give it more cores, or fewer users."
	}
	return line + "It was stopped or suspended, or got no core: keep its machine free for it."
}

// client says what Sledge itself used of its machine, and whether that was too much.
func client(c job.ClientLoad) string {
	who := "The client"
	if c.WithDatabase {
		who = "The client and the database in it"
	}
	line := fmt.Sprintf("%s used %.2f of %s; %s.", who, c.CoresUsed, cores(c.Cores), garbage(c))
	switch {
	case c.Throttled():
		return fmt.Sprintf("THE CLIENT WAS THROTTLED by its control group for %.1f s of CPU time, so the latencies may be its own. %s Raise its limit of %s.", c.ThrottledSeconds, line, cores(c.CgroupCores))
	case !c.NearLimit():
		return line
	}
	return "THE CLIENT WAS NEAR ITS LIMIT, so the latencies may be its own. " + line + " Give it more: set GOMAXPROCS, or run it on a machine of its own."
}

// otherJobs spells a number of them.
func otherJobs(n int) string {
	if n == 1 {
		return "another job"
	}
	return count(int64(n)) + " other jobs"
}

// cores spells a number of cores, or a part of one.
func cores(n float64) string {
	if n == 1 {
		return "1 core"
	}
	return strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64) + " cores"
}

// correction knows what is needed to correct the latencies of a run for what virtual
// users did not begin while they waited.
type correction struct {
	users   float64
	elapsed time.Duration
	waiting []job.Waiting

	// paced says that the run had a rate: its transactions were due whether or not earlier
	// ones had ended, so that nothing is left out of their response times.
	paced bool
}

// waited lists how long transactions of a kind had waited at least that never ended in
// the time of the run; of all kinds, where kind is "".
func (c correction) waited(kind string) []time.Duration {
	var list []time.Duration
	for _, w := range c.waiting {
		if kind == "" || w.Kind == kind {
			list = append(list, time.Duration(w.Seconds*float64(time.Second)))
		}
	}
	return list
}

// longest returns the longest wait of those.
func (c correction) longest(kind string) time.Duration {
	return slices.Max(append(c.waited(kind), 0))
}

// of corrects the response times of a kind, or of all kinds, named "". The expected
// interval is the time in which a virtual user ended one transaction of the kind, and 0
// at a rate.
func (c correction) of(kind string, t *meter.Tally) (*hdrhistogram.Histogram, time.Duration) {
	if c.paced {
		return meter.Corrected(t.Response, 0, c.waited(kind)), 0
	}
	interval := time.Duration(float64(c.elapsed) * c.users / float64(max(t.Ended(), 1)))
	return meter.Corrected(t.Response, interval, c.waited(kind)), interval
}

// correctionOf returns the correction for a job's figures.
func correctionOf(j job.Job, sum meter.Summary) correction {
	return correction{
		users: Workers(j, job.Measure), elapsed: cmp.Or(sum.Elapsed, elapsed(j, sum)), waiting: j.Result.Waiting, paced: paced(j),
	}
}

// paced reports whether a run had a rate. One that was killed has no result, but it was
// asked for one.
func paced(j job.Job) bool {
	return j.Result.Pace != nil || cmp.Or(j.Spec.Options["rate"], "none") != "none"
}

// Workers returns how many virtual users, or asynchronous clients of theirs, worked in a
// phase, on average over its time.
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
