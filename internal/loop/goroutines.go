package loop

import (
	"sync"
	"time"
)

// goroutines is a Scheduler whose tasks are goroutines.
type goroutines struct {
	work    []func(Task)
	stop    sync.Once
	stopped chan struct{}
}

// Goroutines returns a scheduler whose tasks are goroutines. It serves embedded databases, which
// compute in the task's own thread, and systems without event loops.
func Goroutines() Scheduler { return &goroutines{stopped: make(chan struct{})} }

func (g *goroutines) Go(work func(Task)) { g.work = append(g.work, work) }

func (g *goroutines) Run() {
	var running sync.WaitGroup
	for _, work := range g.work {
		running.Go(func() {
			t := &goroutine{stopped: g.stopped, timer: time.NewTimer(0), unparked: make(chan struct{}, 1)}
			<-t.timer.C // NewTimer always starts the timer
			work(t)
		})
	}
	running.Wait()
}

func (*goroutines) Idle() time.Duration { return 0 }

func (g *goroutines) Stop() { g.stop.Do(func() { close(g.stopped) }) }

// goroutine is a Task that runs as a goroutine.
type goroutine struct {
	stopped  <-chan struct{}
	timer    *time.Timer // reused for all its pauses
	unparked chan struct{}
}

func (g *goroutine) PauseUntil(moment time.Time) bool {
	wait := time.Until(moment)
	if wait <= 0 {
		return true
	}
	g.timer.Reset(wait)
	select {
	case <-g.timer.C:
		return true
	case <-g.stopped:
		g.timer.Stop()
		return false
	}
}

func (g *goroutine) Park() bool {
	select {
	case <-g.unparked:
		return true
	case <-g.stopped:
		return false
	}
}

func (g *goroutine) Unpark() {
	select {
	case g.unparked <- struct{}{}:
	default: // a wake-up is already pending
	}
}

func (*goroutine) Adopt(*Connections) error   { return nil }
func (*goroutine) Release(*Connections) error { return nil }
func (*goroutine) Await(f func())             { f() }
