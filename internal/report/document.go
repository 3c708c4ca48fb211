package report

import (
	"math"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// Schema names the format of Document. It changes when a program that reads one format could
// misread the other; new members alone do not change it.
const Schema = "sledge-job-3"

// Document is a job for programs: its settings, its result and the figures from its histograms. The
// names of numbers contain their units; times are in UTC. The kinds of transaction are in the
// workload's order.
type Document struct {
	Schema string `json:"schema"` // Schema, or ExportSchema for an exported job

	ID       job.ID            `json:"id,omitempty"` // the ID of a recorded job
	Action   job.Action        `json:"action"`
	Database string            `json:"database"`
	Workload string            `json:"workload"`
	Options  map[string]string `json:"options,omitempty"` // options that differ from the defaults, without secrets
	Seed     uint64            `json:"seed"`
	Profile  int               `json:"profile,omitempty"` // number of the performance profile that the run belongs to
	Labels   map[string]string `json:"labels,omitempty"`
	Note     string            `json:"note,omitempty"`
	Origin   string            `json:"origin,omitempty"` // the program that recorded the job, if it was not Sledge

	Begun time.Time  `json:"begun,omitzero"`
	Ended time.Time  `json:"ended,omitzero"`
	Facts *job.Facts `json:"facts,omitempty"`

	// UnrecordedEvents counts the events that the repository could not record. Output, failures or
	// seconds may be missing; the counts in this document are complete.
	UnrecordedEvents int64 `json:"unrecorded_events,omitempty"`

	// Result is the state or the result of the job. The caller fills in its headline line. Users of
	// a killed job is the requested number.
	job.Result

	Worth   string   `json:"worth,omitempty"`   // the verdict on the metrics of a job that did not succeed: "INVALID: do not use these figures"
	Grounds []Ground `json:"grounds,omitempty"` // the evidence for the figures; the tones "doubtful" and "bad" need attention
	Alarms  []string `json:"alarms,omitempty"`  // evidence with the tone "bad", one line each

	Transactions []Transaction `json:"transactions,omitempty"`
	All          *Transaction  `json:"all,omitempty"`    // all kinds together
	Steps        []LoadStep    `json:"steps,omitempty"`  // of a step load
	Groups       []Group       `json:"groups,omitempty"` // of a run with several groups, which prefix the names of kinds and figures: orders.payment
}

// Transaction holds the outcomes of one kind of transaction: each was done, rolled back as the
// workload requires, or failed.
type Transaction struct {
	Kind         string           `json:"kind"`
	Done         int64            `json:"done"`
	SharePercent float64          `json:"share_percent"` // share of all done transactions
	RolledBack   int64            `json:"rolled_back"`
	Retries      int64            `json:"retries"` // tries beyond the first, whatever the outcome
	Failed       int64            `json:"failed"`
	FailedBy     map[string]int64 `json:"failed_by_class,omitempty"`
	Traffic      *Traffic         `json:"traffic,omitempty"` // over the network; missing without network traffic

	// Response is the time from the scheduled start of a transaction to its completion,
	// retries included; Service is the time of the last attempt. Both cover only transactions
	// that were done, and are missing if no transaction was done.
	Response *meter.Latency `json:"response,omitempty"`
	Service  *meter.Latency `json:"service,omitempty"`

	// TimePercent is the share of the virtual users' time spent in the last tries of done
	// transactions. Only Timing sets it.
	TimePercent float64 `json:"time_percent,omitempty"`

	// Corrected is Response corrected for coordinated omission, as HdrHistogram does it: as if each
	// virtual user had begun a transaction of the kind every ExpectedInterval, even while its last
	// one was still running. In a run with a rate, Response omits nothing, so Corrected only adds
	// the unfinished transactions, and ExpectedInterval is 0.
	Corrected        *meter.Latency `json:"response_corrected,omitempty"`
	ExpectedInterval float64        `json:"expected_interval_ms,omitempty"`
}

// NewDocument makes the document of a job from its measurements.
func NewDocument(j job.Job, sum meter.Summary) Document {
	r := j.Result.Brief()
	r.Status, r.Reason, r.Users = j.Status, j.Reason, Users(j)
	r.Started, r.Elapsed, r.Steps, r.Groups, r.Kinds = r.Started.UTC(), elapsed(j, sum).Seconds(), nil, nil, nil
	d := Document{
		Schema: Schema,
		ID:     j.ID, Action: j.Spec.Action, Database: j.Spec.Database, Workload: j.Spec.Workloads(),
		Options: j.Spec.Options, Seed: j.Spec.Seed, Profile: j.Profile, Labels: j.Spec.Labels, Note: j.Spec.Note, Origin: j.Origin,
		Begun: j.Begun.UTC(), Ended: j.Ended.UTC(), Facts: j.Facts, UnrecordedEvents: j.Dropped,
		Result: r, Worth: Worth(j), Steps: newLoadSteps(j.Result.Steps, j.Kinds),
	}
	utc := j
	utc.Result.Started = r.Started
	d.Grounds = Grounds(utc, sum)
	d.Alarms = Alarms(d.Grounds)
	all := sum.All()
	c := correctionOf(j, sum)
	d.Groups = newGroups(j, sum, all.Done, c)
	if len(sum.Kinds) == 0 {
		return d
	}
	for i := range sum.Kinds {
		name, of := KindName(j.Kinds, i), c
		for _, g := range j.Spec.Groups() {
			if _, is := g.Own(name); is {
				of = c.in(g)
			}
		}
		d.Transactions = append(d.Transactions, newTransaction(name, &sum.Kinds[i], all.Done).corrected(of, name, &sum.Kinds[i]))
	}
	whole := newTransaction("all", &all, all.Done).corrected(c, "", &all)
	d.All = &whole
	return d
}

// Users returns the number of virtual users that worked. A killed job has no result, so it returns
// the requested number.
func Users(j job.Job) int {
	if j.Result.Users > 0 {
		return j.Result.Users
	}
	return j.Spec.AllUsers()
}

// elapsed returns the measured time. For a killed job it comes from the seconds.
func elapsed(j job.Job, sum meter.Summary) time.Duration {
	if j.Result.Elapsed > 0 {
		return time.Duration(math.Round(j.Result.Elapsed * float64(time.Second)))
	}
	return sum.Elapsed
}

// KindName returns the name of kind i.
func KindName(kinds []string, i int) string {
	if i < len(kinds) {
		return kinds[i]
	}
	return "unnamed"
}

func newTransaction(kind string, t *meter.Tally, allDone int64) Transaction {
	n := countedTransaction(kind, t, allDone)
	if t.Done > 0 {
		response, service := meter.NewLatency(t.Response), meter.NewLatency(t.Service)
		n.Response, n.Service = &response, &service
	}
	return n
}

// Timing returns the times of the transactions of each kind and of all kinds together. workers is
// the number of virtual users, or of their asynchronous clients, that did them.
func Timing(kinds []string, sum meter.Summary, workers float64) (list []Transaction, whole *Transaction) {
	list = []Transaction{}
	if len(sum.Kinds) == 0 {
		return list, nil
	}
	all := sum.All()
	timed := func(name string, t *meter.Tally) Transaction {
		n := newTransaction(name, t, all.Done)
		if n.Service != nil { // not Response: with a rate, it includes waiting for a free user
			took := float64(n.Service.Mean) * float64(time.Millisecond) * float64(t.Done)
			n.TimePercent = math.Round(1000*Percent(took, float64(sum.Elapsed)*workers)) / 1000
		}
		return n
	}
	for i := range sum.Kinds {
		list = append(list, timed(KindName(kinds, i), &sum.Kinds[i]))
	}
	one := timed("all", &all)
	return list, &one
}

// countedTransaction is a Transaction without its latencies.
func countedTransaction(kind string, t *meter.Tally, allDone int64) Transaction {
	n := Transaction{
		Kind: kind, Done: t.Done, SharePercent: Percent(float64(t.Done), float64(allDone)),
		RolledBack: t.RolledBack, Retries: t.Retried, Failed: t.Failures(), Traffic: newTraffic(t),
	}
	for _, class := range meter.Classes() {
		if failed := t.Failed[class]; failed > 0 {
			if n.FailedBy == nil {
				n.FailedBy = map[string]int64{}
			}
			n.FailedBy[class.String()] = failed
		}
	}
	return n
}

// Tally returns the counts of a transaction, with its histograms as CodedHistogram has them.
func (n Transaction) Tally(response, service []byte) meter.CodedTally {
	t := meter.CodedTally{
		Done: n.Done, RolledBack: n.RolledBack, Retried: n.Retries, Failed: n.FailedBy, Response: response, Service: service,
	}
	if n.Traffic != nil {
		t.Traffic = meter.Traffic{Sent: n.Traffic.Sent, Received: n.Traffic.Received, RoundTrips: n.Traffic.RoundTrips}
	}
	return t
}

// corrected adds the corrected response times.
func (n Transaction) corrected(c correction, kind string, t *meter.Tally) Transaction {
	if t.Done == 0 {
		return n
	}
	h, interval := c.of(kind, t)
	latency := meter.NewLatency(h)
	n.Corrected, n.ExpectedInterval = &latency, math.Round(float64(interval))/1e6
	return n
}

// ResponseOf returns the response times of all kinds of done transactions together. It returns nil
// if no transaction was done.
func ResponseOf(sum meter.Summary) *meter.Latency {
	all := sum.All()
	if all.Done == 0 {
		return nil
	}
	l := meter.NewLatency(all.Response)
	return &l
}
