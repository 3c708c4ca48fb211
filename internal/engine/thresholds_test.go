package engine

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/threshold"
	"sledge/internal/workload"
)

func TestThresholds_MissIfTheRateIsNotReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := atRate(t, "75/s") // three users do 30 per second
		if err := p.Pacing.FailIf.UnmarshalText([]byte("pace<95%")); err != nil {
			t.Fatal(err)
		}
		p.Thresholds = []plan.Threshold{{Threshold: p.Pacing.FailIf[0], Name: threshold.Pace}}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if job.ExitOf(err) != job.ExitMissed || result.Status != job.Missed || math.Abs(result.Pace.Reached-40) > 0.5 || !strings.Contains(err.Error(), "instead of at least 95 %") {
			t.Errorf("got %v, %s, %+v", err, result.Status, result.Pace)
		}
	})
}

func TestKeyed_ComparesWithTheMaximumOfThePauses(t *testing.T) {
	for takes, want := range map[time.Duration]float64{0: 100, 5 * time.Second: 50} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Keying: time.Second, Thinking: 4 * time.Second, Takes: takes}, load.Pacing{RampUp: 100 * time.Second, Duration: 1000 * time.Second})
			p.Workload.Users.Pauses = &workload.Pauses{
				Option: "key_and_think",
				On:     func(any) bool { return true },
				Mean:   func(any) []time.Duration { return []time.Duration{5 * time.Second} },
			}
			p.Workload.Users.Mix = &workload.Mix{Weights: func(any, []meter.Kind) []float64 { return []float64{10} }}
			result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
			k := result.Keyed
			if err != nil || k == nil || math.Abs(k.Reached-want) > 1 || math.Abs(k.Expected-36) > 0.1 || k.Sessions != 3 || k.Cycle != 5 || k.Each != "10 onlys in 50 s" {
				t.Errorf("%s: got %+v, %v, want %v %% of 36 a minute by 3 sessions", takes, k, err, want)
			}
		})
	}
}
