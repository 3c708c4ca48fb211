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

func TestWork_AllocatesNothing(t *testing.T) {
	r := &group{connector: connector{plan: plan.Plan{Pacing: load.Pacing{MaxIterations: 100}}, runState: &runState{ending: ending{stopped: make(chan struct{})}}}}
	for name, l := range instantRouters() {
		u := &user{Terminal: instantUser{}, router: l, stripe: meter.NewStripe(), until: time.Now().Add(plan.FarOff)}
		if n := testing.AllocsPerRun(1000, func() {
			if err := u.work(r); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: 100 transactions allocate %v times, want 0", name, n)
		}
	}
}

// instantRouters returns a router of each kind, over a connection that takes no time.
func instantRouters() map[string]router {
	c := &connection{Executor: instantUser{}}
	chooser := pool.NewChooser(pool.Table{Lanes: []pool.Lane{{Connections: []int{0}}}}, 1, 0)
	return map[string]router{
		"own": &ownRouter{c}, "shared": newSharedRouter([]*connection{c}),
		"pooled": &poolRouter{connections: []*connection{c}, down: make([]bool, 1), chooser: chooser},
	}
}

type instantUser struct{}

func (instantUser) Pick() (workload.Transaction, bool) { return workload.Transaction{}, true }

func (instantUser) Do(context.Context, workload.Transaction) error { return nil }

func BenchmarkWork(b *testing.B) {
	for name, l := range instantRouters() {
		b.Run(name, func(b *testing.B) {
			r := &group{connector: connector{plan: plan.Plan{Pacing: load.Pacing{MaxIterations: b.N}}, runState: &runState{ending: ending{stopped: make(chan struct{})}}}}
			u := &user{Terminal: instantUser{}, router: l, stripe: meter.NewStripe(), until: time.Now().Add(plan.FarOff)}
			b.ReportAllocs()
			if err := u.work(r); err != nil {
				b.Fatal(err)
			}
		})
	}
}
