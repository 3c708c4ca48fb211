package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// The views in this file have the shape of HammerDB's "jobs" commands, for the
// scripts that read those: every value is a string, and times are local.

const hammerTime = "2006-01-02 15:04:05"

// Result is the view of "jobs ID result".
func Result(j job.Job) json.RawMessage {
	if j.Result.Line == "" {
		return without(j, "test result")
	}
	return encode([]string{
		string(j.ID), j.Begun.Format(hammerTime),
		fmt.Sprintf("%d Active Virtual Users configured", users(j)), j.Result.Line,
	})
}

// Timing is the view of "jobs ID timing". The labels are HammerDB's names for the
// kinds of transaction, in their order. It shows response times, because what
// HammerDB times also includes all that happens until a transaction is done.
func Timing(j job.Job, sum meter.Summary, labels []string) json.RawMessage {
	type timing struct {
		Elapsed string `json:"elapsed_ms"`
		Calls   string `json:"calls"`
		Min     string `json:"min_ms"`
		Avg     string `json:"avg_ms"`
		Max     string `json:"max_ms"`
		Total   string `json:"total_ms"`
		P99     string `json:"p99_ms"`
		P95     string `json:"p95_ms"`
		P75     string `json:"p75_ms"`
		P50     string `json:"p50_ms"`
		P25     string `json:"p25_ms"`
		SD      string `json:"sd"`
		Ratio   string `json:"ratio_pct"`
	}
	three := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	took := elapsed(j, sum)
	elapsedMillis := float64(took) / float64(time.Millisecond)
	type ranked struct {
		member
		ratio float64
	}
	var list []ranked
	for i := range sum.Kinds {
		t := &sum.Kinds[i]
		if t.Done == 0 {
			continue
		}
		l := newLatency(t.Response)
		total := l.Mean * float64(t.Done)
		ratio := percent(total, elapsedMillis*float64(max(1, users(j)))) // of all users' time
		list = append(list, ranked{member{kindName(labels, i), timing{
			Elapsed: strconv.FormatFloat(elapsedMillis, 'f', 1, 64), Calls: strconv.FormatInt(t.Done, 10),
			Min: three(l.Min), Avg: three(l.Mean), Max: three(l.Max), Total: three(total),
			P99: three(l.P99), P95: three(l.P95), P75: three(l.P75), P50: three(l.P50), P25: three(l.P25),
			SD: three(l.StdDev), Ratio: three(ratio),
		}}, ratio})
	}
	if len(list) == 0 {
		return without(j, "timing data")
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.ratio, a.ratio) })
	var o object
	for _, r := range list {
		o = append(o, r.member)
	}
	return encode(o)
}

// TCount is the view of "jobs ID tcount": the server's own count over time. The
// metric names it, such as "PostgreSQL tpm". Of two readings in one second of the
// clock, which is all the view tells, the later stays.
func TCount(j job.Job, seconds iter.Seq2[job.StoredSecond, error], metric string) (json.RawMessage, error) {
	var points object
	for s, err := range seconds {
		if err != nil {
			return nil, err
		}
		if s.ServerTPM == nil {
			continue
		}
		point := member{s.At.Format(hammerTime), strconv.FormatFloat(*s.ServerTPM, 'f', 0, 64)}
		if n := len(points); n > 0 && points[n-1].name == point.name {
			points[n-1] = point
			continue
		}
		points = append(points, point)
	}
	if len(points) == 0 {
		return without(j, "transaction counter data"), nil
	}
	return encode(object{{metric, points}}), nil
}

// without says that a job lacks something.
func without(j job.Job, what string) json.RawMessage {
	return encode([]string{string(j.ID), "Jobid has no " + what})
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members one after another.
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, encode(m.name)...), ':'), encode(m.value)...)
	}
	return append(text, '}'), nil
}

// encode encodes strings, and structs and objects of strings, which cannot fail.
func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
