package report

import (
	"testing"

	"sledge/internal/job"
)

func TestSteadiness_SaysWhetherTheFiguresHold(t *testing.T) {
	precision := 0.8
	for _, tt := range []struct {
		s    job.Steadiness
		want Ground
	}{
		{job.Steadiness{Pattern: "steady", Precision: &precision}, Ground{Good, "Course", "steady from the beginning; the mean rate of transactions is known to ±0.8 %"}},
		{job.Steadiness{Pattern: "steady"}, Ground{Good, "Course", "steady from the beginning"}},
		{job.Steadiness{Pattern: "steady", From: 45, Effect: -3.1, Precision: &precision}, Ground{Doubtful, "Course", "steady only from 0:45: what precedes it is ramp-up, and makes the mean rate 3.1 % lower. Add 45 s of ramp-up."}},
		{job.Steadiness{Pattern: "steady", From: 5, Effect: 0.3}, Ground{Plain, "Course", "steady only from 0:05: what precedes it is ramp-up, and makes the mean rate 0.3 % higher"}},
		{job.Steadiness{Pattern: "drifting", Change: -12.4}, Ground{Doubtful, "Course", "not steady: the rate of transactions fell by 12.4 % in the measured time, so the figures depend on its length. Measure for longer, and look for what grows: data, caches, logs."}},
		{job.Steadiness{Pattern: "jumping", Jumps: []job.ThroughputJump{
			{At: 125, Change: -20, Background: "checkpoint", Class: "write"}, {At: 190, Change: 24, Class: "cpu"}, {At: 250, Change: 5}, {At: 300, Change: 6}, {At: 350, Change: 7},
		}}, Ground{Doubtful, "Course", "not steady: the rate of transactions fell by 20 % at 2:05 during a checkpoint, rose by 24 % at 3:10 when more sessions were computing, rose by 5 % at 4:10, and changed 2 more times, so the figures are a mean of different states."}},
		{job.Steadiness{Pattern: "oscillating", Period: 70}, Ground{Doubtful, "Course", "the rate of transactions repeats itself every 1:10, as with checkpoints, and the measured time has fewer than 3 such periods. Measure for 3:30 or longer."}},
		{job.Steadiness{Pattern: "oscillating", Period: 30, Enough: true, Precision: &precision}, Ground{Plain, "Course", "the rate of transactions repeats itself every 0:30, as with checkpoints; the mean rate of transactions is known to ±0.8 %"}},
	} {
		if got := steadiness(tt.s); got != tt.want {
			t.Errorf("%+v:\n got %+v\nwant %+v", tt.s, got, tt.want)
		}
	}
}
