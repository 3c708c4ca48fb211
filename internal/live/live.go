// Package live turns the events of a running job into a view for people: figures, a bounded number
// of points for charts, and virtual users with their last lines. One view serves all viewers of a
// job, and does not delay the job.
package live

import (
	"math"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Job is a watched job and its state.
type Job struct {
	job.Job

	// Finite means that the job ends when its work is done. Its transactions are few, and each is
	// shown.
	Finite bool

	// Working is the number of virtual users that work at first, in a run in which it changes; 0
	// otherwise.
	Working int

	// CountDelay is the mean time after which the server counts a transaction.
	CountDelay time.Duration
	// Score returns the headline figures of a measured part. It may return none.
	Score func(meter.CodedSummary) []job.Metric

	// Say returns the lines of virtual users for an event. It gets all events, in order.
	Say func(job.Event) []Line
}

// Line is a line of a virtual user, or of the job itself if User is 0.
type Line struct {
	User int
	Text string
}

// View is the state of a job. It takes each event of the job in order, and belongs to one goroutine
// at a time.
type View struct {
	course
	at       time.Time // of the newest event
	latest   latest
	part     part  // measurements of the phase so far
	groups   []int // the number of the group of each kind of transaction
	sessions int
	steps    Steps
	spans    spans
	failures failures
	said     []string // lines of the job and its monitor, the newest last
	request  job.Request
	metrics  []job.Metric
	pushed   int // number of events so far
}

// phases are the phases of a run.
type phases struct {
	begin time.Time // start of the axis of time: when the first second began
	now   *Phase    // the last of list; nil before the first phase
	list  []Phase   // the newest phases, in order
}

// latest holds the measurements of the last second.
type latest struct {
	now    *Now
	server job.ServerRate
	coded  meter.CodedSummary // the second of now, with histograms; cleared after they have been read
}

// spans are the transactions of a finite run.
type spans struct {
	ended    []job.Span
	inFlight map[int]job.Span // by virtual user
}

// failures are the failed transactions.
type failures struct {
	newest  []Failure
	byClass map[string]int64 // since the job began
}

// Limits of the lists.
const (
	keptFailures = 50
	keptSaid     = 5

	// longestText limits texts that are sent repeatedly, in bytes, because error messages may be
	// very long.
	longestText = 1000
)

// Phase returns the phase that the run is in; nil before the first.
func (v *View) Phase() *Phase { return v.phases.now }

// Working returns the number of virtual users of the newest load step; 0 if the number does not
// change.
func (v *View) Working() int { return v.working }

// Sessions returns the number of asynchronous clients that have logged in; 0 if the run has no such
// clients.
func (v *View) Sessions() int { return v.sessions }

// New returns the view of a job without any event.
func New(j Job) *View {
	return &View{
		course: newCourse(j, MostPoints), failures: failures{byClass: map[string]int64{}}, spans: spans{inFlight: map[int]job.Span{}},
		groups: j.Spec.GroupsOf(j.Kinds),
	}
}

// Phase is a phase of a run.
type Phase struct {
	Name   job.Phase `json:"name"`
	Stage  string    `json:"stage,omitempty"` // the stage of a run that ends when its work is done
	Begun  time.Time `json:"begun"`
	From   float64   `json:"from_seconds"` // on the axis of time
	Length float64   `json:"length_seconds,omitempty" doc:"Its planned length; missing if it ends when its work is done."`
	Passed float64   `json:"passed_seconds"`
}

// Now holds the measurements of the last second.
type Now struct {
	Metrics   []job.Metric   `json:"metrics,omitempty"`
	Rate      float64        `json:"per_minute"` // transactions done, or rolled back as the workload asks, by the virtual users' count
	ServerTPM *float64       `json:"server_tpm,omitempty" doc:"The server's newest rate, which is late by server_delay_seconds: that of the part can be compared."`
	Response  *meter.Latency `json:"response,omitempty"` // missing if nothing was done
	Service   *meter.Latency `json:"service,omitempty"`
	Stalled   int            `json:"stalled_seconds,omitempty" doc:"Time since the last transaction ended."`
}

// latencyOf returns a short summary of latencies, or nil if no transaction was done.
func latencyOf(d meter.Distribution, done int64) *meter.Latency {
	if done == 0 {
		return nil
	}
	l := meter.NewShortLatency(d)
	return &l
}

// Part holds the measurements of a phase so far.
type Part struct {
	Phase     job.Phase    `json:"phase"`
	Seconds   float64      `json:"seconds"`
	Metrics   []job.Metric `json:"metrics,omitempty"`
	ServerTPM *float64     `json:"server_tpm,omitempty" doc:"The mean of the server's rates. Unlike the rate of the last second it can be compared with per_minute if the server counts late."`
	Totals

	Groups []GroupPart `json:"groups,omitempty" doc:"The same of each group, of a run that has several."`
}

// Totals sums up the transactions of a phase so far.
type Totals struct {
	Rate       float64        `json:"per_minute"`
	Done       int64          `json:"done"`
	RolledBack int64          `json:"rolled_back"`
	Retried    int64          `json:"retries"`
	Failed     int64          `json:"failed"`
	Response   *meter.Latency `json:"response,omitempty"`
}

// GroupPart sums up the transactions of a group in a phase so far.
type GroupPart struct {
	Name string `json:"name"`
	Totals
}

func totalsOf(t meter.CodedTally, response meter.Distribution, elapsed time.Duration) Totals {
	sum := Totals{Rate: rateOf(t, elapsed), Done: t.Done, RolledBack: t.RolledBack, Retried: t.Retried, Response: latencyOf(response, t.Done)}
	for _, n := range t.Failed {
		sum.Failed += n
	}
	return sum
}

// part holds the measurements of a phase so far.
type part struct {
	phase  job.Phase
	counts meter.CodedSummary // by kind, without histograms
	sum    *meter.Interval    // of all kinds
	groups *meter.Interval    // of each group; nil in a run without groups
	server serverMean
}

// add adds a second. It resets the part when a phase begins. groups has the number of each kind's
// group; many is the number of groups.
func (p *part) add(s *job.Second, groups []int, many int) error {
	if p.sum == nil || p.phase != s.Phase {
		*p = part{phase: s.Phase, counts: countsOf(s.Measured), sum: meter.NewInterval(1)}
		if many > 0 {
			p.groups = meter.NewInterval(many)
		}
	} else {
		p.counts = countsOf(p.counts, s.Measured)
	}
	p.server.add(s.ServerTPM)
	for i := range min(len(groups), len(s.Measured.Kinds)) {
		if many == 0 {
			break
		}
		one := make([]meter.CodedTally, many)
		one[groups[i]] = s.Measured.Kinds[i]
		if err := p.groups.Add(meter.CodedSummary{Kinds: one}); err != nil {
			return err
		}
	}
	return together(p.sum, s.Measured.Kinds)
}

// Part returns the measurements of the last second's phase; nil if there are none yet. An error
// means that they cannot be read.
func (v *View) Part() *Part {
	elapsed := v.part.counts.Elapsed
	if elapsed <= 0 {
		return nil
	}
	p := &Part{
		Phase: v.part.phase, Seconds: math.Round(elapsed.Seconds()*1000) / 1000,
		Totals: totalsOf(allOf(v.part.counts), v.part.sum.Response(0), elapsed), ServerTPM: v.part.server.mean(),
	}
	for n, g := range v.job.Spec.Groups() {
		var own meter.CodedSummary
		for i, k := range v.part.counts.Kinds {
			if i < len(v.groups) && v.groups[i] == n {
				own.Kinds = append(own.Kinds, k)
			}
		}
		p.Groups = append(p.Groups, GroupPart{g.Name, totalsOf(allOf(own), v.part.groups.Response(n), elapsed)})
	}
	if v.job.Score != nil {
		p.Metrics = v.job.Score(v.part.counts)
	}
	return p
}

// Now returns the measurements of the last second; nil if there are none yet. An error means that
// they cannot be read.
func (v *View) Now() (*Now, error) { return v.latest.read() }

// read returns the figures. It reads the histograms on the first call after a second.
func (l *latest) read() (*Now, error) {
	if l.now == nil || l.coded.Kinds == nil {
		return l.now, nil
	}
	var responses, services []meter.CodedHistogram
	for _, t := range l.coded.Kinds {
		responses, services = append(responses, t.Response), append(services, t.Service)
	}
	response, err := meter.Together(responses...)
	if err != nil {
		return nil, err
	}
	service, err := meter.Together(services...)
	if err != nil {
		return nil, err
	}
	now, done := *l.now, allOf(l.coded).Done
	now.Response, now.Service = latencyOf(response, done), latencyOf(service, done)
	l.now, l.coded = &now, meter.CodedSummary{}
	return l.now, nil
}

// Failure is an example of a failed transaction.
type Failure struct {
	At   time.Time `json:"at"`
	User int       `json:"user,omitempty"`
	job.Failure
}

// Add adds an event to the view. An error means that its measurements cannot be read.
func (v *View) Add(e job.Event) error {
	v.pushed++
	if e.At.After(v.at) {
		v.at = e.At
	}
	v.say(e)
	if err := v.add(e); err != nil {
		return err
	}
	switch {
	case e.Second != nil:
		return v.second(e.Second)
	case e.Progress != nil:
		v.steps.Add(*e.Progress, e.At)
	case e.Span != nil:
		v.spans.add(*e.Span)
	case e.Failure != nil:
		v.failures.add(Failure{e.At, e.User, *e.Failure})
	case e.Request != "":
		v.request = e.Request
	case e.Headline != nil:
		v.metrics = e.Headline.Metrics
	case e.Facts != nil:
		v.job.Facts = e.Facts
	}
	return nil
}

// say records the lines of an event.
func (v *View) say(e job.Event) {
	if v.job.Say == nil {
		return
	}
	for _, line := range v.job.Say(e) {
		if line.User == 0 && e.Trouble != nil {
			v.users.say(e.User, line.Text)
		}
		v.users.say(line.User, line.Text)
		if line.User <= job.Monitor {
			v.said = append(v.said, job.Cut(line.Text, longestText))
			v.said = v.said[max(0, len(v.said)-keptSaid):]
		}
	}
}

// add adds an example.
func (f *failures) add(one Failure) {
	one.Message = job.Cut(one.Message, longestText)
	f.newest = append(f.newest, one)
	f.newest = f.newest[max(0, len(f.newest)-keptFailures):]
}

// add begins a phase of a run.
func (l *phases) add(e job.Event) {
	p := Phase{Name: e.Phase.Name, Stage: e.Phase.Stage, Begun: e.At.UTC(), Length: e.Phase.Length.Seconds()}
	if !l.begin.IsZero() {
		p.From = e.At.Sub(l.begin).Seconds()
	}
	l.list = append(l.list, p)
	l.list = l.list[max(0, len(l.list)-MostPoints):]
	l.now = &l.list[len(l.list)-1]
}

// second adds the measurements of a second to the figures.
func (v *View) second(s *job.Second) error {
	v.sessions = s.Sessions
	if v.job.Finite {
		return nil
	}
	if err := v.part.add(s, v.groups, len(v.job.Spec.Groups())); err != nil {
		return err
	}
	all := allOf(s.Measured)
	for class, n := range all.Failed {
		v.failures.byClass[class] += n
	}
	now := &Now{Rate: rateOf(all, s.Measured.Elapsed), ServerTPM: v.latest.server.Add(*s)}
	if v.job.Score != nil {
		now.Metrics = v.job.Score(s.Measured)
	}
	if last := v.latest.now; last != nil && now.Rate == 0 {
		now.Stalled = last.Stalled + int(math.Round(s.Measured.Elapsed.Seconds()))
	}
	v.latest.now, v.latest.coded = now, s.Measured
	return nil
}

// reach records the progress of a phase after a second that ended at a time.
func (l *phases) reach(at time.Time, s *job.Second) {
	if l.begin.IsZero() {
		l.begin = at.Add(-s.Measured.Elapsed)
	}
	if l.now == nil || l.now.Name != s.Phase { // the events begin in the middle of the job
		l.add(job.Event{At: at.Add(-s.Passed()), Phase: &job.PhaseSpan{Name: s.Phase}})
	}
	l.now.Passed = s.Offset
}

// add adds the beginning or the end of a transaction.
func (l *spans) add(s job.Span) {
	if s.Outcome == "" {
		l.inFlight[s.User] = s
		return
	}
	delete(l.inFlight, s.User)
	l.ended = append(l.ended, s)
}
