package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/workload"
)

// VerificationSchema names the format of Verification, as Schema does for Manifest.
const VerificationSchema = "sledge-verification-1"

// Verification says whether the numbers of a bundle follow from its data.
type Verification struct {
	Schema string    `json:"schema"` // always VerificationSchema
	File   string    `json:"file"`
	Holds  bool      `json:"holds"` // no member was changed, no number is wrong, and the signature, if there is one, is valid
	Made   time.Time `json:"made"`
	MadeBy string    `json:"made_by"` // the version of Sledge

	Changed []Fault       `json:"changed,omitempty"` // members that are not what the checksums say
	Signed  *SignedBy     `json:"signed,omitempty"`  // missing if the bundle is not signed
	Runs    []VerifiedRun `json:"jobs"`
}

// SignedBy is the signature of a bundle.
type SignedBy struct {
	Key         string `json:"key"`         // its kind: "ssh-ed25519"
	Fingerprint string `json:"fingerprint"` // of the key
	Holds       bool   `json:"holds"`
	Why         string `json:"why,omitempty"` // why it does not hold

	// Name is the name under which the keys given by the user list the key. It is missing if no keys were
	// given, or if they do not list it.
	Name string `json:"name,omitempty"`
}

// VerifiedRun says which numbers of a job were recomputed.
type VerifiedRun struct {
	ID       job.ID       `json:"id"`
	Begun    time.Time    `json:"begun"`
	Database string       `json:"database"`
	Workload string       `json:"workload"`
	Action   job.Action   `json:"action"`
	Metrics  []job.Metric `json:"metrics,omitempty"`

	Recomputed int     `json:"recomputed"` // numbers that follow from histograms, counts and seconds
	Measured   int     `json:"measured"`   // numbers that nothing else in the bundle decides: only the checksums protect them
	Wrong      []Fault `json:"wrong,omitempty"`
}

// mostFaults is the number of faults of a job that are listed.
const mostFaults = 50

// Verify recomputes the numbers of a bundle. resolver knows the workloads, whose rules give the
// headline figures; version is that of this program.
func (b *Bundle) Verify(resolver settings.Resolver, version string) Verification {
	v := Verification{Schema: VerificationSchema, File: b.Path, Made: b.Made, MadeBy: b.MadeBy, Changed: b.Changed, Holds: len(b.Changed) == 0}
	if s := b.Signature; s != nil {
		v.Signed = &SignedBy{Key: s.Key, Fingerprint: s.Fingerprint, Holds: s.Holds, Why: s.Why}
		v.Holds = v.Holds && s.Holds
	}
	for i := range b.Runs {
		r := &b.Runs[i]
		c := checker{run: r, where: recordName(r.Job.ID), texts: b.MadeBy == version}
		c.document()
		c.seconds()
		c.metrics(resolver)
		j := r.Job
		one := VerifiedRun{
			ID: j.ID, Begun: j.Begun.UTC(), Database: j.Spec.Database, Workload: j.Spec.Workloads(), Action: j.Spec.Action,
			Metrics: r.record.Metrics, Recomputed: c.recomputed, Measured: c.stated - c.derived, Wrong: c.faults,
		}
		v.Holds = v.Holds && len(one.Wrong) == 0
		v.Runs = append(v.Runs, one)
	}
	return v
}

// checker verifies the record of a job.
type checker struct {
	run   *Run
	where string // the member
	texts bool   // sentences are compared, because the same version wrote them

	recomputed int // numbers compared with what follows from the data
	stated     int // numbers of the document, without those that it repeats
	derived    int // of them, those that were recomputed
	faults     []Fault
}

func (c *checker) wrong(path, why, stated, actual string) {
	if len(c.faults) < mostFaults {
		c.faults = append(c.faults, Fault{Where: c.where + ": " + path, Why: why, Stated: stated, Actual: actual})
	}
}

// recomputedMembers are the members of a document that follow from histograms and counts.
var recomputedMembers = []string{"transactions", "all", "groups", "grounds", "alarms", "worth", "steps"}

// document compares the document with that of the job in the manifest and the histograms.
func (c *checker) document() {
	again := report.NewDocument(c.run.Job, c.run.Summary)
	again.Schema, again.Line = report.ExportSchema, c.run.record.Line
	actual, err := tree(again)
	if err != nil {
		c.wrong("", err.Error(), "", "")
		return
	}
	var stated map[string]any
	if err := decode(c.run.text, &stated); err != nil {
		c.wrong("", err.Error(), "", "")
		return
	}
	for name, value := range stated {
		isDerived := slices.Contains(recomputedMembers, name)
		other, has := actual[name]
		if !has && !isDerived {
			continue // belongs to an export, and not to a document
		}
		delete(actual, name)
		before := c.recomputed
		c.compare(name, value, other, isDerived)
		c.stated += numbers(value)
		c.derived += c.recomputed - before
	}
	for name, value := range actual {
		c.compare(name, nil, value, slices.Contains(recomputedMembers, name))
	}
}

// compare compares a value of the document with the recomputed one.
func (c *checker) compare(path string, stated, actual any, derived bool) {
	switch actual := actual.(type) {
	case map[string]any:
		stated, is := stated.(map[string]any)
		if !is {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(joined(stated, actual))) {
			c.compare(path+"."+name, stated[name], actual[name], derived)
		}
		return
	case []any:
		stated, is := stated.([]any)
		if !is || len(stated) != len(actual) {
			break
		}
		for i := range actual {
			c.compare(path+"."+strconv.Itoa(i), stated[i], actual[i], derived)
		}
		return
	case json.Number:
		if derived {
			c.recomputed++
		}
	case string:
		if !c.texts && derived {
			return
		}
	}
	if said, follows := written(stated), written(actual); said != follows {
		why := "it differs from " + manifestName
		if derived {
			why = "it does not follow from the histograms and counts"
		}
		c.wrong(path, why, said, follows)
	}
}

// seconds recomputes the figures of each second, and compares their sum with the totals.
func (c *checker) seconds() {
	sum := meter.NewSummary(len(c.run.Job.Kinds))
	complete := len(c.run.record.Seconds) > 0
	for i, s := range c.run.record.Seconds {
		path := fmt.Sprintf("seconds.%d", i)
		again, coded, err := s.Again()
		if err != nil {
			c.wrong(path, err.Error(), "", "")
			return
		}
		actual, err := tree(again)
		if err != nil {
			c.wrong(path, err.Error(), "", "")
			return
		}
		stated, err := tree(s)
		if err != nil {
			c.wrong(path, err.Error(), "", "")
			return
		}
		before := c.recomputed
		c.compare(path+".transactions", stated["transactions"], actual["transactions"], true)
		c.stated += c.recomputed - before
		c.derived += c.recomputed - before
		if s.Phase != job.Measure {
			continue
		}
		if len(coded.Kinds) != len(sum.Kinds) {
			c.wrong(path, fmt.Sprintf("it has %d kinds of transaction instead of %d", len(coded.Kinds), len(sum.Kinds)), "", "")
			return
		}
		if err := sum.AddCoded(coded); err != nil {
			c.wrong(path, err.Error(), "", "")
			return
		}
	}
	// If users failed, their last transactions are in the totals alone.
	if complete && c.run.Job.Status.Valid() && c.run.record.UnrecordedEvents == 0 {
		c.totals(sum)
	}
}

// totals compares the totals with the sum of the measured seconds.
func (c *checker) totals(sum meter.Summary) {
	if len(sum.Kinds) != len(c.run.Summary.Kinds) {
		return
	}
	for i := range sum.Kinds {
		total, seconds := &c.run.Summary.Kinds[i], &sum.Kinds[i]
		path := fmt.Sprintf("transactions.%d.", i)
		for _, n := range []struct {
			name           string
			stated, actual int64
		}{
			{"done", total.Done, seconds.Done},
			{"rolled_back", total.RolledBack, seconds.RolledBack},
			{"retries", total.Retried, seconds.Retried},
			{"failed", total.Failures(), seconds.Failures()},
		} {
			if n.stated != n.actual {
				c.wrong(path+n.name, "the seconds of the measured time add up to another number", strconv.FormatInt(n.stated, 10), strconv.FormatInt(n.actual, 10))
			}
		}
		if total.Done == 0 || seconds.Done == 0 {
			continue
		}
		if !total.Response.Equals(seconds.Response) {
			c.wrong(fmt.Sprintf("histograms.%d.response_histogram", i), "the histograms of the measured seconds add up to another one", "", "")
		}
		if !total.Service.Equals(seconds.Service) {
			c.wrong(fmt.Sprintf("histograms.%d.service_histogram", i), "the histograms of the measured seconds add up to another one", "", "")
		}
	}
}

// metrics recomputes the headline figures by the rules of the workload.
func (c *checker) metrics(resolver settings.Resolver) {
	j := c.run.Job
	if j.Spec.Action != job.Run || j.Origin != "" || len(j.Spec.Beside) > 0 || len(c.run.Summary.Kinds) == 0 {
		return
	}
	order, err := resolver.Order(j.Spec)
	if err != nil || order.Plan.Workload.Score.Of == nil || len(order.Plan.Workload.Kinds) != len(c.run.Summary.Kinds) {
		return // of an older version, or of a file that is not here
	}
	for _, actual := range order.Plan.Workload.Score.Of(windowOf(order.Plan, j, c.run.Summary)) {
		at := slices.IndexFunc(c.run.record.Metrics, func(m job.Metric) bool { return m.Name == actual.Name })
		if at < 0 {
			continue // the counts for it were not recorded
		}
		c.recomputed++
		c.derived++
		if stated := c.run.record.Metrics[at].Value; !close(stated, actual.Value) {
			c.wrong(fmt.Sprintf("metrics.%d.value", at), actual.Name+" does not follow from the counts and times", written(stated), written(actual.Value))
		}
	}
}

// windowOf returns what was measured, from the result of a run.
func windowOf(p plan.Plan, j job.Job, sum meter.Summary) workload.Window {
	r := j.Result
	w := workload.Window{
		Summary: sum, Elapsed: seconds(r.Elapsed), CounterElapsed: seconds(r.Elapsed), Users: r.Users, Terminals: p.Terminals(), Names: j.Kinds,
		Kinds: p.Kinds, Options: p.Settings, Spans: r.Spans,
	}
	if a := r.Agreement; a != nil && a.Over == "" && a.Seconds > 0 {
		w.Elapsed, w.Probe, w.Probed = seconds(a.Seconds), a.Server, a.Server >= 0
	}
	if a := r.CounterAgreement; a != nil && a.Over == "" && a.Seconds > 0 {
		w.CounterElapsed, w.Counter, w.Counted = seconds(a.Seconds), a.Server, true
	}
	return w
}

// close reports whether two numbers are equal but for the last digits of a computation.
func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// tree returns a value as JSON without types.
func tree(value any) (members map[string]any, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = decode(text, &members)
	}
	return members, err
}

// decode decodes JSON with its numbers as they are written.
func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}

// numbers counts the numbers in a value.
func numbers(value any) (n int) {
	switch value := value.(type) {
	case map[string]any:
		for _, one := range value {
			n += numbers(one)
		}
	case []any:
		for _, one := range value {
			n += numbers(one)
		}
	case json.Number:
		n = 1
	}
	return n
}

func joined(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// written returns a value as JSON, or "nothing".
func written(value any) string {
	if value == nil {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const longest = 200
	if len(text) > longest {
		return strings.ToValidUTF8(string(text[:longest]), "") + "…"
	}
	return string(text)
}
