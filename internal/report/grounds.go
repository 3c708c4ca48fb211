package report

import (
	"fmt"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// What the figures of a run are worth, as data: every view of a job says it in these words.

// Tone says how good something is.
type Tone string

// The tones.
const (
	Good     Tone = "good"
	Plain    Tone = "plain" // neither speaks for the figures nor against them
	Doubtful Tone = "doubtful"
	Bad      Tone = "bad"
)

// Ground is something that the figures of a run rest on.
type Ground struct {
	Tone Tone   `json:"tone"`
	Name string `json:"name,omitempty"` // "Counts"; missing where it goes on with the one before
	Text string `json:"text"`
}

// Worth says what the figures of a job are worth that did not end as it should, in a few
// words; "" where they count.
func Worth(j job.Job) string {
	if len(j.Result.Metrics) == 0 {
		return ""
	}
	if j.Result.Untidy != "" && j.Status != job.Invalid {
		return untidied[j.Status]
	}
	return worths[j.Status]
}

// worths says what the figures of a run are worth that did not end as it should.
var worths = map[job.Status]string{
	job.Invalid: "INVALID: do not use these figures",
	job.Missed:  "MISSED A THRESHOLD: the figures are valid",
	job.Partial: "PARTIAL: the run was stopped early",
	job.Failed:  "FAILED: do not use these figures",
	job.Killed:  "KILLED: do not use these figures",
}

// untidied says the same of a run that was measured in full, and after which the server did
// not do what it was to do.
var untidied = map[job.Status]string{
	job.Partial: "STOPPED AFTER THE RUN: the figures are whole",
	job.Failed:  "FAILED AFTER THE RUN: the figures are whole",
}

// Alarms say why the result of a job must not be used, or not without a second thought: a
// sentence each.
func Alarms(j job.Job) []string {
	var list []string
	if j.Status != job.Succeeded && j.Reason != "" {
		reason := strings.ReplaceAll(j.Reason, "\n", "; ")
		if len(j.Result.Metrics) == 0 { // nothing has said so yet
			reason = strings.ToUpper(string(j.Status)) + ": " + reason
		}
		list = append(list, reason)
	}
	list = append(list, Warnings(j.Result)...)
	if j.Dropped > 0 {
		list = append(list, fmt.Sprintf("INCOMPLETE: the repository could not take %s events; output, failures or seconds of this job are missing.", count(j.Dropped)))
	}
	return list
}

// Grounds say what the figures of a run rest on. What shakes them is among Alarms.
func Grounds(j job.Job, sum meter.Summary) (list []Ground) {
	row := func(tone Tone, name, format string, args ...any) {
		list = append(list, Ground{tone, name, fmt.Sprintf(format, args...)})
	}
	row(Plain, "Load", "%s", load(j))
	if c := j.Result.Contention; c != nil {
		mark := Plain
		if c.Sharing > 0 {
			mark = Doubtful
		}
		row(mark, "Contention", "%s", c.Expect)
	}
	if took := elapsed(j, sum); took > 0 && wasMeasured(j, sum) {
		since := ""
		if !j.Result.Started.IsZero() {
			since = ", from " + j.Result.Started.Format(timeLayout)
		}
		row(Plain, "Measured", "%s%s", Spell(took), since)
	}
	if f := j.Facts; f != nil {
		row(Plain, "Server", "%s", server(j))
		switch f.Pooling {
		case "":
		case "session":
			row(Doubtful, "Pooler", "a connection pooler in session mode forwards each request, which is in the response times")
		default:
			row(Doubtful, "Pooler", "a connection pooler in %s mode forwards each request and assigns connections, which is in the response times; the server may parse statements each time", f.Pooling)
		}
		if f.Unproven != "" {
			row(Doubtful, "Unproven", "%s", f.Unproven)
		}
	}
	r := j.Result
	name := "Figures"
	for _, remark := range r.Remarks {
		row(Doubtful, name, "%s", remark)
		name = ""
	}
	agree := r.Agreement != nil && r.Agreement.Holds && !r.Agreement.Vague && !r.Agreement.None
	if a := r.Agreement; agree {
		row(Good, "Counts", "agree: the virtual users counted %s %ss%s, the server %s (%s to %s expected)%s",
			count(a.Client), a.What, over(*a), count(a.Server), count(a.Low), count(a.High), allowance(*a))
	}
	if r.Unprobed != "" {
		row(Doubtful, "Counts", "not compared, so that the figures are the virtual users' own: %s", r.Unprobed)
	}
	if a := r.CounterAgreement; a != nil && a.Trusted() {
		if agree {
			row(Good, "", "and %s transactions of all kinds, the server %s", count(a.Client), count(a.Server))
		} else {
			row(Good, "Counts", "of all transactions agree: the virtual users counted %s, the server %s", count(a.Client), count(a.Server))
		}
	} else if r.Agreement == nil && r.Pool.Elsewhere() {
		row(Doubtful, "Counts", "not compared: the pool leads to several servers, and the one that the monitor is connected to counted neither all transactions nor its own alone")
	} else if a := r.Agreement; a != nil && a.None {
		row(Plain, "Counts", "not compared: there were no %ss to do, which are what is counted in the database", a.What)
	}
	if c := r.ServerCount; c != nil {
		all := sum.All()
		row(Plain, "Counts", "the virtual users did %s transactions; the server counted %s by a measure of its own, whoever made them: %s %s, %s", count(all.Done), count(c.Count), count(int64(c.Rate)), c.Unit, c.Is)
	}
	if idle := r.Idle; idle != nil {
		if idle.Idle == 0 {
			row(Good, "Users", "%s worked", sharers(r))
		} else {
			row(Bad, "Users", "%s of %s did no transaction", count(int64(idle.Idle)), sharers(r))
		}
	}
	if g := r.LongestGap; g != nil && g.Seconds < standstill {
		flow := "steady: never 0.25 s without a transaction that ended"
		if g.Seconds > 0 {
			flow = fmt.Sprintf("steady: the longest time in which no transaction ended was %.2f s, at %s", g.Seconds, clock(g.From))
		}
		mark := Good
		if r.Client != nil && len(r.Client.Pauses) > 0 {
			mark, flow = Plain, flow+"; this does not count the time in which this client did not run"
		}
		row(mark, "Flow", "%s", flow)
	}
	for i, o := range r.Outages {
		name := ""
		if i == 0 {
			name = "Outages"
		}
		row(Doubtful, name, "%s", outage(o))
	}
	if l := r.Ledger; l != nil {
		mark := Good
		if !l.Holds() {
			mark = Bad
		}
		row(mark, "Ledger", "%s", ledger(*l))
	}
	if list := r.Thresholds; len(list) > 0 {
		name := "Thresholds"
		for _, t := range list {
			mark := Good
			if !t.Passed {
				mark = Bad
			}
			row(mark, name, "%s", t.Text)
			name = ""
		}
	}
	if k := r.Keyed; k != nil {
		mark := Good
		if k.Reached < job.EnoughPace {
			mark = Doubtful
		}
		row(mark, "Pace", "%s", keyed(*k))
	}
	if p := r.Pace; p != nil {
		mark := Good
		if p.Behind > 0 || p.Share() < job.EnoughPace {
			mark = Doubtful
		}
		row(mark, "Pace", "%s", pace(*p))
		for _, k := range p.Kinds {
			row(Plain, "", "%s", kindPace(k))
		}
	}
	if d := r.Lateness; d != nil {
		row(Plain, "Pauses", "after a pause, transactions began late by %s", delay(*d))
	}
	if s := r.Sharing; s != nil {
		row(Plain, "Sharing", "%s for %s; transactions waited %s for one", connections(s.Connections), sharers(r), delay(s.Wait))
	}
	if c := r.Client; c != nil && c.HadRoom() {
		mark, who := Good, "had room: "
		if c.WithDatabase { // which may take what it can get
			mark, who = Plain, "with the database in it: "
		}
		if c.OtherJobs > 0 {
			mark, who = Doubtful, "together with "+otherJobs(c.OtherJobs)+" of this process: "
		}
		row(mark, "Client", "%s%.2f of %s used; %s", who, c.CoresUsed, cores(c.Cores), garbage(*c))
	}
	all := sum.All()
	if t := newTraffic(&all); t != nil {
		row(Plain, "Network", "%s", t)
	}
	if e := r.Explained; e != nil {
		mark := Plain
		if e.Why != "" {
			mark = Doubtful
		}
		row(mark, "Plans", "%s", explained(*e))
	}
	if s := r.ServerReport; s != nil {
		mark := Plain
		if s.Error != "" {
			mark = Doubtful
		}
		row(mark, "Report", "%s", serverReport(*s))
	}
	if len(r.Tidied) > 0 {
		mark, did := Plain, make([]string, len(r.Tidied))
		for i, t := range r.Tidied {
			did[i] = tidied(t)
			if t.Ended != job.Ends && t.Ended != job.LeftOut {
				mark = Doubtful
			}
		}
		row(mark, "Afterwards", "%s", strings.Join(did, "; "))
	}
	if f := j.Facts; f != nil && f.Durability != nil {
		if f.Durability.Holds {
			row(Good, "Durability", "commits survive a power failure: %s", f.Durability.Why)
		} else {
			row(Doubtful, "Durability", "a power failure may lose commits: %s", f.Durability.Why)
		}
	}
	return list
}

// wasMeasured reports whether a run came as far as its measured time. The result of one that did
// not, such as one that could not connect, has the time of the whole job.
func wasMeasured(j job.Job, sum meter.Summary) bool {
	return sum.Elapsed > 0 || len(j.Result.Metrics) > 0 || len(j.Result.Spans) > 0
}
