package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// The evidence for the figures of a run, as data: every view of a job uses these sentences.

// Tone says how good a piece of evidence is.
type Tone string

// The tones.
const (
	Good     Tone = "good"
	Plain    Tone = "plain" // neither for nor against the figures
	Doubtful Tone = "doubtful"
	Bad      Tone = "bad"
)

// Ground is a piece of evidence for or against the figures of a run.
type Ground struct {
	Tone Tone   `json:"tone"`
	Name string `json:"name,omitempty"` // "Counts"; missing if it continues the previous piece
	Text string `json:"text"`
}

// Worth returns the verdict on the figures of a job that did not succeed, in a few words; "" if
// they are valid.
func Worth(j job.Job) string {
	if len(j.Result.Metrics) == 0 {
		return ""
	}
	if j.Result.Untidy != "" && j.Status != job.Invalid {
		return untidied[j.Status]
	}
	if j.Result.Unrecorded != "" && j.Status == job.Succeeded {
		return "MEASURED, BUT NOT RECORDED: the figures are whole"
	}
	return worths[j.Status]
}

// worths are the verdicts on the figures of runs that did not succeed.
var worths = map[job.Status]string{
	job.Invalid: "INVALID: do not use these figures",
	job.Missed:  "MISSED A THRESHOLD: the figures are valid",
	job.Partial: "PARTIAL: the run was stopped early",
	job.Failed:  "FAILED: do not use these figures",
	job.Killed:  "KILLED: do not use these figures",
}

// untidied is the verdict on a run that was measured in full, and whose post-run maintenance was
// not completed.
var untidied = map[job.Status]string{
	job.Partial: "STOPPED AFTER THE RUN: the figures are whole",
	job.Failed:  "FAILED AFTER THE RUN: the figures are whole",
}

// NeedsAttention reports whether a reader must know the evidence before using the figures.
func (g Ground) NeedsAttention() bool { return g.Tone == Doubtful || g.Tone == Bad }

// line formats the evidence as one line for people.
func (g Ground) line() string {
	if g.Name == "" {
		return g.Text
	}
	return g.Name + ": " + g.Text
}

// Attention returns the evidence that a reader must know before using the figures: first evidence
// that forbids a figure, then evidence that casts doubt on it.
func Attention(list []Ground) []Ground {
	attention := slices.DeleteFunc(slices.Clone(list), func(g Ground) bool { return !g.NeedsAttention() })
	slices.SortStableFunc(attention, func(a, b Ground) int { return cmp.Compare(a.Tone, b.Tone) }) // "bad" is before "doubtful"
	return attention
}

// passed lists the checks that found nothing wrong, once each.
func passed(list []Ground) []string {
	var names []string
	wrong := func(name string) bool {
		return slices.ContainsFunc(list, func(g Ground) bool { return g.Name == name && g.NeedsAttention() })
	}
	for _, g := range list {
		if g.Tone == Good && g.Name != "" && !wrong(g.Name) {
			names = append(names, strings.ToLower(g.Name))
		}
	}
	return distinct(names)
}

// Alarms are the lines of the evidence that forbids a figure.
func Alarms(list []Ground) (lines []string) {
	for _, g := range list {
		if g.Tone == Bad {
			lines = append(lines, g.line())
		}
	}
	return lines
}

// verdict returns a word or two on how a job ended, and their tone.
func verdict(j job.Job, list []Ground) (Tone, string) {
	status := strings.ToUpper(string(j.Status))
	switch attention := Attention(list); {
	case j.Result.Untidy != "" && j.Status != job.Invalid && untidied[j.Status] != "":
		before, _, _ := strings.Cut(untidied[j.Status], ":")
		return Doubtful, before
	case j.Status == job.Running:
		return Doubtful, status
	case j.Result.Unrecorded != "" && j.Status == job.Succeeded:
		return Doubtful, "MEASURED, BUT NOT RECORDED"
	case j.Status == job.Missed:
		return Bad, "MISSED A THRESHOLD"
	case j.Status != job.Succeeded:
		return Bad, status
	case j.Origin != "": // recorded by another program, whose checks are unknown
		return Plain, "Imported"
	case len(attention) == 0:
		return Good, "Valid"
	case len(attention) == 1:
		return attention[0].Tone, "1 caveat"
	default:
		return attention[0].Tone, count(int64(len(attention))) + " caveats"
	}
}

// reason returns why a job did not succeed, or has not ended.
func reason(j job.Job) (Ground, bool) {
	if j.Status == job.Running {
		return Ground{Doubtful, "Running", fmt.Sprintf("since %s, in process %d: this shows what was recorded until now", j.Begun.UTC().Format(timeLayout), j.PID)}, true
	}
	if j.Status == job.Succeeded || j.Status == job.Missed || j.Reason == "" { // thresholds name the missed condition themselves
		return Ground{}, false
	}
	why := strings.TrimPrefix(strings.ReplaceAll(j.Reason, "\n", "; "), job.NotValid)
	g := Ground{Tone: Bad, Name: strings.ToUpper(string(j.Status[:1])) + string(j.Status[1:]), Text: why}
	switch {
	case j.Result.Untidy != "" && j.Status != job.Invalid:
		g = Ground{Tone: Doubtful, Name: "Afterwards", Text: "the figures are whole, but " + why}
	case j.Status == job.Partial:
	case len(j.Result.Metrics) > 0:
		g.Text = notToUse + why
	}
	return g, true
}

// notToUse begins the reason why figures must not be used.
const notToUse = "do not use these figures: "

// reasonOnce states the reason of an invalid run first and only once: it moves the check that made
// the run invalid, which has more details, to the front in place of the general reason.
func reasonOnce(j job.Job, list []Ground) []Ground {
	by := slices.IndexFunc(list, func(g Ground) bool { return g.Tone == Bad && g.Name == j.Result.InvalidBy })
	if j.Status != job.Invalid || j.Result.InvalidBy == "" || by < 0 {
		return list
	}
	list[0] = list[by] // list[0] came from reason
	if len(j.Result.Metrics) > 0 {
		list[0].Text = notToUse + list[0].Text
	}
	return slices.Delete(list, by, by+1)
}

// paceGrounds reports how well a run or one of its groups kept its rate or its pauses.
func paceGrounds(g job.GroupResult) (list []Ground) {
	if k := g.Keyed; k != nil {
		mark := Good
		if k.Reached < job.EnoughPace {
			mark = Doubtful
		}
		list = append(list, Ground{mark, "Pace", inGroup(g) + keyed(*k)})
	}
	if p := g.Pace; p != nil {
		mark := Good
		if p.Behind > 0 || p.Share() < job.EnoughPace {
			mark = Doubtful
		}
		list = append(list, Ground{mark, "Pace", inGroup(g) + pace(*p)})
		for _, k := range p.Kinds {
			list = append(list, Ground{Plain, "", kindPace(k)})
		}
	}
	if d := g.StartLag; d != nil {
		list = append(list, Ground{Plain, "Pauses", inGroup(g) + "after a pause, transactions began late by " + delay(*d)})
	}
	return list
}

// Grounds returns the evidence for and against the figures of a job.
func Grounds(j job.Job, sum meter.Summary) (list []Ground) {
	row := func(tone Tone, name, format string, args ...any) {
		list = append(list, Ground{tone, name, fmt.Sprintf(format, args...)})
	}
	if g, any := reason(j); any {
		list = append(list, g)
	}
	if why := j.Result.Unrecorded; why != "" {
		row(Bad, "Not recorded", "the figures are whole, but not all of this job is in the repository: %s", why)
	} else if j.Dropped > 0 {
		row(Bad, "Incomplete", "the repository could not take %s events: output, failures or seconds of this job are missing", count(j.Dropped))
	}
	if c := j.Result.Ceiling; c != nil {
		list = append(list, ceilingGrounds(*c)...)
	}
	if j.Spec.Action != job.Run {
		return list
	}
	r := j.Result
	for _, f := range r.LastFailures {
		row(Doubtful, "Failures", "%s", failureClass(f))
	}
	row(Plain, "Load", "%s", load(j))
	if text := kindOfTest(r.Traits); text != "" {
		row(Plain, "Kind of test", "%s", text)
	}
	for _, g := range evidence(r) {
		if c := g.Contention; c != nil {
			mark := Plain
			if c.Sharing > 0 {
				mark = Doubtful
			}
			row(mark, "Contention", "%s%s", inGroup(g), c.Expect)
		}
	}
	if took := elapsed(j, sum); took > 0 && wasMeasured(j, sum) {
		since := ""
		if !r.Started.IsZero() {
			since = ", from " + r.Started.UTC().Format(timeLayout)
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
			row(Doubtful, "Pooler", "a connection pooler in %s mode forwards each request and assigns connections, which is in the response times; the server may parse statements each time; the run holds no claim, so a build or deletion beside it was not refused", f.Pooling)
		}
		if f.Unproven != "" {
			row(Doubtful, "Unproven", "%s", f.Unproven)
		}
	}
	for _, remark := range r.Remarks {
		row(Doubtful, "Figures", "%s", remark)
	}
	list = append(list, countGrounds(r, sum)...)
	list = append(list, flowGrounds(r)...)
	if l := r.Ledger; l != nil {
		mark := Good
		if !l.Holds() {
			mark = Bad
		}
		row(mark, "Ledger", "%s", ledger(*l))
		for _, example := range l.Examples {
			row(mark, "", "%s", example)
		}
	}
	if list := r.Thresholds; len(list) > 0 {
		for _, t := range list {
			mark := Good
			if !t.Passed {
				mark = Bad
			}
			row(mark, "Thresholds", "%s", t.Text)
		}
	}
	for _, g := range evidence(r) {
		list = append(list, paceGrounds(g)...)
	}
	if s := r.Sharing; s != nil {
		row(Plain, "Sharing", "%s for %s; transactions waited %s for one", connections(s.Connections), sharers(r), delay(s.Wait))
	}
	if c := r.Client; c != nil {
		list = append(list, clientGrounds(*c)...)
	}
	if c := r.ClientCeiling; c != nil {
		list = append(list, ceilingReached(*c))
	}
	if c := r.Client; c != nil && c.Machine != nil {
		mark, text := machine(*c.Machine)
		row(mark, "Machine", "%s", text)
	}
	if d := r.Disturbances; d != nil {
		if len(d.Words) == 0 {
			row(Good, "Server state", "no old transaction, maintenance or mass of old row versions")
		} else {
			row(Doubtful, "Server state", "%s. Compare only with runs in the same state", strings.Join(d.Words, "; "))
		}
	}
	if text := bottleneck(r); text != "" {
		row(Plain, "Limit", "%s", text)
	}
	if a := r.Activity; a != nil {
		row(Plain, "Sessions", "%s", activity(*a))
	} else if f := j.Facts; f != nil && f.Unsampled != "" && j.Spec.Action == job.Run {
		row(Plain, "Sessions", "not measured: %s", f.Unsampled)
	}
	if c := r.ServerCounters; c != nil {
		row(Plain, "Counters", "%s", countersOf(*c))
	}
	if s := r.Statements; s != nil {
		row(Plain, "Statements", "%s", statementsOf(*s))
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
	if d := r.Doctor; d != nil {
		row(Plain, "Doctor", "%s", doctorOf(*d))
	}
	for _, a := range r.Agents {
		if a.AheadSeconds == nil {
			continue
		}
		if said := ClockDifference(*a.AheadSeconds, *a.WithinSeconds); said != "" {
			row(Plain, "Machine "+a.Name, "%s; its samples are placed by this difference", said)
		}
	}
	for _, u := range r.Unobserved {
		row(Doubtful, "Observer", "%s: %s", u.Observer, u.Error)
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
			row(Doubtful, "Durability", "a power failure may lose commits (%s): do not compare with durable runs", f.Durability.Why)
		}
	}
	return reasonOnce(j, list)
}

// failureClass says how many transactions failed with a class of error, why the last one did, and
// what to do.
func failureClass(f job.LastFailure) string {
	way, known := failureWays[f.Class]
	if !known {
		way = "The server's log may say more."
	}
	return fmt.Sprintf("%s × %s, the last in %s: %s. %s", count(f.Failed), f.Class, f.Kind, strings.TrimRight(f.Message, "."), way)
}

// failureWays say what to do about failures of a class; classes without an entry have no better advice
// than the server's own message.
var failureWays = map[string]string{
	meter.Deadlock.String():      "Fewer virtual users, or more data, make deadlocks rare.",
	meter.Serialization.String(): "Fewer virtual users, more data, or a lower isolation level make conflicts rare.",
	meter.LockTimeout.String():   "Look in the server for the session that holds the lock, or raise the server's limit.",
	meter.Busy.String():          "Close other programs that write to the database, or ask for fewer virtual users.",
	meter.Constraint.String():    "Check the schema with sledge check, and build it again if a rule is broken.",
	meter.Permission.String():    "Grant the user the right that is missing.",
	meter.Resource.String():      "Give the server more of it, or ask for fewer virtual users.",
	meter.Connection.String():    "Look in the server's log for the reason; with --reconnect a run goes on after a loss.",
	meter.Skipped.String():       "The users were too busy to start them in time: add users, or lower the rate.",
	meter.OverLimit.String():     "Raise option query_limit if it should be allowed to take longer.",
}

// wasMeasured reports whether a run reached its measured time. If it did not, for example
// because it could not connect, its result has the time of the whole job.
func wasMeasured(j job.Job, sum meter.Summary) bool {
	return sum.Elapsed > 0 || len(j.Result.Metrics) > 0 || len(j.Result.Spans) > 0
}
