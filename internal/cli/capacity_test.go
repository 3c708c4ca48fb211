package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
)

// serving sets a runner whose 99th percentile is 5 ms at a low rate and infinite at most transactions a second, as
// that of a queue.
func (w *world) serving(most float64) {
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		r := measured()
		r.Users = spec.Users
		text, asked := strings.CutSuffix(spec.Options["rate"], "/s")
		if !asked {
			r.Elapsed = 100 / most
			return r, nil
		}
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return r, err
		}
		p99 := 0.005 / max(0.001, 1-rate/most)
		stripe := meter.NewStripe()
		for range 100 {
			stripe.Record(meter.Record{Service: time.Millisecond, Response: time.Duration(p99 * float64(time.Second))})
		}
		r.Summary = meter.NewSummary(5)
		stripe.Take(&r.Summary)
		r.Pace = &job.Pace{Asked: rate, Ended: min(rate, most), Reached: 100 * min(1, most/rate)}
		limit := 0.05
		if strings.HasPrefix(spec.Options["fail_if"], "p99>1ms") {
			limit = 0.001
		}
		if p99 > limit {
			r.Status = job.Missed
			return r, job.WithExit(job.ExitMissed, errors.New("p99 is too high"))
		}
		return r, nil
	})
}

func TestCapacity_FindsTheHighestRateThatKeepsAPromise(t *testing.T) {
	w := newWorld(t)
	w.serving(1000) // 50 ms at 900 a second
	if code := w.run("capacity", "--db", "sqlite", "--p99", "50ms", "--json"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	var c report.Capacity
	if err := json.Unmarshal(w.out.Bytes(), &c); err != nil || c.Capacity == nil || *c.Capacity > 900 || *c.Capacity < 873 || c.Broken == nil || *c.Broken < 900 || c.Maximum != 1000 {
		t.Errorf("got %+v, %v, want nearly 900 a second", c, err)
	}
	if c.Recovers == nil || !*c.Recovers || c.Promise != "p99>50ms,failed>0.1%" || len(c.Curve) != 5 {
		t.Errorf("got %+v", c)
	}
	for i, spec := range w.asked {
		if spec.Users != 16 || spec.Labels["capacity"] == "" || i > 0 && spec.Options["fail_if"] != "p99>50ms,failed>0.1%" {
			t.Errorf("run %d: got %d users, the labels %v and the options %v", i, spec.Users, spec.Labels, spec.Options)
		}
	}
	if code := w.run("capacity", "--db", "sqlite", "--p99", "50ms", "--users", "32"); code != job.OK || !strings.Contains(w.out.String(), "Capacity: 897.3 transactions a second.") || !strings.Contains(w.out.String(), "After an overload, the server keeps the promise again at half of the capacity.") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if code := w.run("capacity", "--db", "sqlite", "--p99", "1ms"); code != job.ExitMissed || !strings.Contains(w.out.String(), "No rate kept the promise") {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
}

func TestCapacity_RefusesWhatItChooses(t *testing.T) {
	w := newWorld(t)
	w.serving(1000)
	for args, want := range map[string]string{
		"":                              "give the promise: --p99 50ms",
		"--p99 -1ms":                    "give the promise: --p99 50ms",
		"--p99 50ms --rate 5/s":         "--rate has no effect: the search chooses rates and times",
		"--p99 50ms --duration 5":       "--duration has no effect",
		"--p99 50ms --failed 100":       "--failed: 100 is not a percentage",
		"--p99 50ms --probe 10ms":       "--probe and --confirm must be 1s or longer",
		"--p99 50ms --users 1,2":        "--users: a capacity is that of one number of virtual users",
		"--p99 50ms --fail-if nonsense": "nonsense",
	} {
		if code := w.run(append([]string{"capacity", "--db", "sqlite"}, strings.Fields(args)...)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("capacity %s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
	if len(w.asked) > 0 {
		t.Errorf("%d runs began", len(w.asked))
	}
}
