package metrics

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

const (
	longestText = 100   // of a label's value, in bytes
	mostSeries  = 5_000 // of samples of a run; further ones are left out

	// samplesLast is the time for which a sample counts as the current value. Then there is a gap.
	samplesLast = 5 * time.Second
)

// Run holds the metrics of a run. It is safe for concurrent use.
type Run struct {
	number string // the value of the label "run"
	now    func() time.Time

	mu      sync.Mutex
	job     job.Job
	version string // of Sledge
	server  string // version of the server
	target  string // the database under test, without its product: "tpcc on db1:5432"
	state   string
	begun   time.Time
	ended   time.Time // zero while the job runs

	phases  map[job.Phase]*phase
	users   map[int]job.UserState // by position
	first   int                   // position of the first virtual user that does transactions
	working int
	clients int
	rate    job.ServerRate
	tpm     *float64
	tpmAt   time.Time
	samples map[string]sample // by the name of the series and its labels
}

// phase holds the totals of a phase.
type phase struct {
	elapsed time.Duration
	kinds   []kind
}

// kind holds the totals of a kind of transaction in a phase.
type kind struct {
	meter.CodedTally  // without histograms
	response, service histogram
}

type sample struct {
	job.Sample
	at time.Time
}

func newRun(number int, j job.Job, version string, now func() time.Time) *Run {
	target := ""
	if j.Facts != nil {
		target = j.Facts.Target
	}
	return &Run{
		target: target,
		number: strconv.Itoa(number), now: now, job: j, version: version, state: "connecting", begun: j.Begun, first: 1,
		phases: map[job.Phase]*phase{}, users: map[int]job.UserState{}, samples: map[string]sample{},
	}
}

// end adds how the job ended. Its counts stay; what was sampled is over.
func (r *Run) end(j job.Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.job, r.state, r.ended = j, string(j.Status), r.now()
	r.tpm = nil
	clear(r.samples)
}

// add adds an event.
func (r *Run) add(e job.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case e.State != "":
		r.users[e.User] = e.State
	case e.Phase != nil:
		r.state = string(e.Phase.Name)
	case e.Facts != nil:
		r.server = e.Facts.Server
		if e.User == job.Monitor {
			r.first = job.FirstWorker
		}
	case e.Step != nil && e.Step.Name == job.StepUsers:
		r.working = e.Step.Users
	case e.Second != nil:
		r.second(e)
	case e.Headline != nil:
		r.job.Result = e.Headline.Brief()
	}
	for _, s := range e.Samples {
		key := s.Name + "\x00" + s.Called()
		if _, known := r.samples[key]; known || len(r.samples) < mostSeries {
			r.samples[key] = sample{s, e.At}
		}
	}
}

// second adds the measurements of a second. Damaged histograms are left out; the result reports them.
func (r *Run) second(e job.Event) {
	s := e.Second
	p := r.phases[s.Phase]
	if p == nil {
		p = &phase{kinds: make([]kind, len(s.Measured.Kinds))}
		r.phases[s.Phase] = p
	}
	p.elapsed += s.Measured.Elapsed
	r.clients = s.Sessions
	if r.tpm = r.rate.Add(*s); r.tpm != nil {
		r.tpmAt = e.At
	}
	for i := range min(len(p.kinds), len(s.Measured.Kinds)) {
		k, add := &p.kinds[i], &s.Measured.Kinds[i]
		k.Done += add.Done
		k.RolledBack += add.RolledBack
		k.Retried += add.Retried
		k.Traffic.Sent += add.Traffic.Sent
		k.Traffic.Received += add.Traffic.Received
		k.Traffic.RoundTrips += add.Traffic.RoundTrips
		for class, n := range add.Failed {
			if k.Failed == nil {
				k.Failed = map[string]int64{}
			}
			k.Failed[class] += n
		}
		if add.Done > 0 {
			_ = k.response.add(add.Response)
			_ = k.service.add(add.Service)
		}
	}
}

// point is a value of a metric with the values of its labels.
type point struct {
	of        *Metric
	labels    []string
	value     float64
	histogram *histogram // instead of the value; valid while the run is locked
}

// points passes the current values to yield. The order is stable.
func (r *Run) points(yield func(point)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value := func(m *Metric, value float64, labels ...string) {
		for i := range labels {
			labels[i] = text(labels[i])
		}
		yield(point{of: m, value: value, labels: labels})
	}
	value(jobInfo, 1, string(r.job.ID), r.job.Spec.Database, r.job.Spec.Workloads(), r.version, r.server)
	value(jobState, 1, r.state)
	for _, name := range slices.Sorted(maps.Keys(r.phases)) {
		p := r.phases[name]
		value(elapsed, p.elapsed.Seconds(), string(name))
		for i := range p.kinds {
			r.kind(&p.kinds[i], text(r.kindName(i)), string(name), value, yield)
		}
	}
	r.levels(value)
	r.ends(value)
	r.sampled(value)
}

// kindName returns the name of a kind of transaction.
func (r *Run) kindName(i int) string {
	if i < len(r.job.Kinds) {
		return r.job.Kinds[i]
	}
	return strconv.Itoa(i)
}

func (r *Run) kind(k *kind, name, phase string, value func(m *Metric, value float64, labels ...string), yield func(point)) {
	value(transactions, float64(k.Done), name, phase, "done", "")
	value(transactions, float64(k.RolledBack), name, phase, "rolled back", "")
	for _, class := range slices.Sorted(maps.Keys(k.Failed)) {
		value(transactions, float64(k.Failed[class]), name, phase, "failed", class)
	}
	value(retries, float64(k.Retried), name, phase)
	if t := k.Traffic; t != (meter.Traffic{}) {
		value(traffic, float64(t.Sent), name, phase, "sent")
		value(traffic, float64(t.Received), name, phase, "received")
		value(roundTrips, float64(t.RoundTrips), name, phase)
	}
	yield(point{of: response, labels: []string{name, phase}, histogram: &k.response})
	yield(point{of: service, labels: []string{name, phase}, histogram: &k.service})
}

// levels passes on values that change both ways.
func (r *Run) levels(value func(m *Metric, value float64, labels ...string)) {
	counts := map[job.UserState]int{}
	known := 0
	for position, state := range r.users {
		if position >= r.first {
			counts[state]++
			known++
		}
	}
	value(users, float64(max(0, r.job.Spec.AllUsers()-known)), "waiting")
	for _, state := range []job.UserState{job.UserRunning, job.UserSucceeded, job.UserFailed} {
		value(users, float64(counts[state]), string(state))
	}
	if r.working > 0 {
		value(working, float64(r.working))
	}
	if r.clients > 0 {
		value(clients, float64(r.clients))
	}
	if r.tpm != nil && r.now().Sub(r.tpmAt) < samplesLast {
		value(serverRate, *r.tpm)
	}
}

// ends passes on what is known at the end of a run.
func (r *Run) ends(value func(m *Metric, value float64, labels ...string)) {
	lag := r.job.Result.StartLag
	if pace := r.job.Result.Pace; pace != nil {
		lag = &pace.StartLag
	}
	if lag != nil {
		for _, q := range []struct {
			name string
			ms   meter.Millis
		}{{"0.5", lag.P50}, {"0.95", lag.P95}, {"0.99", lag.P99}, {"1", lag.Max}} {
			if !q.ms.IsZero() {
				value(startLag, float64(q.ms)/1000, q.name)
			}
		}
	}
	for _, m := range r.job.Result.Metrics {
		value(result, m.Value, m.Name)
	}
}

// sampled passes on the last values of series.
func (r *Run) sampled(value func(m *Metric, value float64, labels ...string)) {
	now := r.now()
	for _, key := range slices.Sorted(maps.Keys(r.samples)) {
		s := r.samples[key]
		if now.Sub(s.at) >= samplesLast {
			continue
		}
		m := bySeries(s.Name)
		if m == nil || !hasLabels(s.Labels, m.Labels) {
			value(otherSamples, s.Value, s.Name, s.Unit, s.Called())
			continue
		}
		labels := make([]string, len(m.Labels))
		for i, name := range m.Labels {
			labels[i] = s.Labels[name]
		}
		value(m, m.Factor*s.Value, labels...)
	}
}

// hasLabels reports whether the labels have exactly these names.
func hasLabels(labels map[string]string, names []string) bool {
	return len(labels) == len(names) && !slices.ContainsFunc(names, func(name string) bool { _, has := labels[name]; return !has })
}

// text returns a label's value in one line of valid UTF-8 and of limited length.
func text(value string) string {
	return job.Cut(strings.Join(strings.Fields(strings.ToValidUTF8(value, "�")), " "), longestText)
}
