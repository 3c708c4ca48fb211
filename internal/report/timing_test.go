package report

import (
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// took returns a second with two done transactions of 250 ms each, which were scheduled long before
// they began.
func took() meter.Summary {
	sum, stripe := meter.NewSummary(1), meter.NewStripe()
	for range 2 {
		stripe.Record(meter.Record{Service: 250 * time.Millisecond, Response: time.Minute})
	}
	stripe.Take(&sum)
	sum.Elapsed = time.Second
	return sum
}

func TestTiming_SharesTimeAmongTheUsersThatWorked(t *testing.T) {
	steps := []job.LoadStep{{Users: 1, Elapsed: 3}, {Users: 5, From: 3, Elapsed: 1}}
	for _, tt := range []struct {
		name   string
		result job.Result
		phase  job.Phase
		want   float64 // percent
	}{
		{"a user", job.Result{Extent: job.Extent{Users: 1}}, job.Measure, 50},
		{"two users", job.Result{Extent: job.Extent{Users: 2}}, job.Measure, 25},
		{"two users with five clients each", job.Result{Extent: job.Extent{Users: 2, Clients: 5}}, job.Measure, 5},
		{"two users on average over the steps", job.Result{Extent: job.Extent{Users: 5}, Course: job.Course{Steps: steps}}, job.Measure, 25},
		{"one user in the ramp-up before the steps", job.Result{Extent: job.Extent{Users: 5}, Course: job.Course{Steps: steps}}, job.RampUp, 50},
	} {
		list, all := Timing([]string{"payment"}, took(), Workers(job.Job{Result: tt.result}, tt.phase))
		for _, one := range append(list, *all) {
			if one.TimePercent < tt.want*0.999 || one.TimePercent > tt.want*1.001 {
				t.Errorf("%s, %s: got %v %%, want %v %%", tt.name, one.Kind, one.TimePercent, tt.want)
			}
		}
	}
}

func TestResponseTimesOfARateAreNotCorrected(t *testing.T) {
	loop := job.Job{Result: job.Result{Extent: job.Extent{Users: 1, Elapsed: 1}, Course: job.Course{LongestGap: &job.Gap{Seconds: 2}}}}
	rate := loop
	rate.Result.Pace = &job.Pace{Asked: 2}
	if d := NewDocument(loop, took()); d.All.ExpectedInterval == 0 || d.All.Corrected.P50 >= d.All.Response.P50 {
		t.Fatalf("got the median %v of the closed loop and %v corrected, want a correction", d.All.Response.P50, d.All.Corrected.P50)
	}
	if d := NewDocument(rate, took()); d.All.ExpectedInterval != 0 || *d.All.Corrected != *d.All.Response {
		t.Errorf("got %+v of the rate, corrected to %+v, want the same", d.All.Response, d.All.Corrected)
	}
	killed := job.Job{Spec: job.Spec{Users: 1, Options: option.Values{"rate": "2/s"}}}
	if d := NewDocument(killed, took()); d.All.ExpectedInterval != 0 || *d.All.Corrected != *d.All.Response {
		t.Errorf("got %+v of a killed run at a rate, corrected to %+v, want the same", d.All.Response, d.All.Corrected)
	}
	if said, want := Warnings(rate.Result)[0], "Flow: no transaction ended for 2.0 s from 0:00. Response times include it, because they count from the scheduled start. Look for a checkpoint or a lock in the server's log."; said != want {
		t.Errorf("got %q, want %q", said, want)
	}
}
