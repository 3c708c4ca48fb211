//go:build bench

package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sledge/internal/statistics"
)

// TestFalseAlarms compares runs of one set-up with each other. Every difference that is found is a false
// alarm. It takes 200 samples of 8 pairs from 40 runs. The runs of a sample follow each other, and
// chance decides which run of a pair is A. Runs in one half and runs in the other are compared, too,
// as if they had not taken turns.
func TestFalseAlarms(t *testing.T) {
	runs, length := 40, trial()/2
	if testing.Short() {
		runs = 20
	}
	keepAwake(t)
	for _, s := range []loadable{openPostgreSQL(t, "bench_alarms"), openMariaDB(t, "bench_alarms")} {
		s.drop(t)
		build(t, s, cpuWarehouses(), builders)
		var nopm []float64
		for i := range runs {
			one := outcomeOf(t, runArguments(s, 8, time.Second, length), length)
			nopm = append(nopm, one.nopm)
			t.Logf("run %d: NOPM %.0f", i+1, one.nopm)
		}
		s.drop(t)
		sum, err := statistics.Summarize(nopm)
		if err != nil {
			t.Fatal(err)
		}
		detail := fmt.Sprintf("%d runs of %v, 8 users: median %s, %s to %s", runs, length, spell(sum.Median), spell(sum.Least), spell(sum.Most))
		note(t, figure{What: s.title() + ": false alarms of pairs", Value: alarms(t, nopm, true), Unit: "%", Target: atMost(5), Detail: detail})
		note(t, figure{What: s.title() + ": false alarms without pairs", Value: alarms(t, nopm, false), Unit: "%", Detail: detail})
	}
}

// alarms returns the percentage of comparisons of equal runs that find a difference.
func alarms(t *testing.T, figures []float64, paired bool) float64 {
	const comparisons, pairs = 200, 8
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range comparisons {
		first := r.IntN(len(figures) - 2*pairs + 1)
		q := statistics.Question{Paired: paired}
		for i := range pairs {
			a, b := figures[first+i], figures[first+pairs+i]
			if paired {
				a, b = figures[first+2*i], figures[first+2*i+1]
				if r.IntN(2) == 1 {
					a, b = b, a
				}
			}
			q.A, q.B = append(q.A, a), append(q.B, b)
		}
		answers, err := statistics.Compare(q)
		if err != nil {
			t.Fatal(err)
		}
		if v := answers[0].Verdict; v == statistics.Better || v == statistics.Worse {
			found++
		}
	}
	return 100 * float64(found) / comparisons
}
