package generator

import (
	"context"
	"testing"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/pool"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

func TestWorkAllocatesNothing(t *testing.T) {
	r := &group{links: links{plan: plan.Plan{Pacing: load.Pacing{MaxIterations: 100}}, course: &course{ending: ending{stopped: make(chan struct{})}}}}
	for name, l := range instantLines() {
		u := &user{Terminal: instantUser{}, lines: l, stripe: meter.NewStripe(), until: time.Now().Add(plan.FarOff)}
		if n := testing.AllocsPerRun(1000, func() {
			if err := u.work(r); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: 100 transactions allocate %v times, want 0", name, n)
		}
	}
}

// instantLines returns each kind of lines, with a connection that needs no time.
func instantLines() map[string]lines {
	c := &connection{Executor: instantUser{}}
	chooser := pool.NewChooser(pool.Table{Lanes: []pool.Lane{{Connections: []int{0}}}}, 1, 0)
	return map[string]lines{
		"own": &ownLine{c}, "shared": newSharedLines([]*connection{c}),
		"pooled": &pooledLines{connections: []*connection{c}, down: make([]bool, 1), chooser: chooser},
	}
}

type instantUser struct{}

func (instantUser) Pick() (workload.Transaction, bool) { return workload.Transaction{}, true }

func (instantUser) Do(context.Context, workload.Transaction) error { return nil }

func BenchmarkWork(b *testing.B) {
	for name, l := range instantLines() {
		b.Run(name, func(b *testing.B) {
			r := &group{links: links{plan: plan.Plan{Pacing: load.Pacing{MaxIterations: b.N}}, course: &course{ending: ending{stopped: make(chan struct{})}}}}
			u := &user{Terminal: instantUser{}, lines: l, stripe: meter.NewStripe(), until: time.Now().Add(plan.FarOff)}
			b.ReportAllocs()
			if err := u.work(r); err != nil {
				b.Fatal(err)
			}
		})
	}
}
