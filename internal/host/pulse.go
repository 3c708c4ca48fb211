package host

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// Pause is an interval in which this process did not run: it was stopped, its machine was
// suspended, or it got no core.
type Pause struct {
	From   time.Time // up to one beat before the pause
	Length time.Duration
	CPU    time.Duration // CPU time of this process meanwhile; a high value means that it was too busy to read its clock
}

const (
	beat       = 50 * time.Millisecond // time between two readings
	pauseAfter = 250 * time.Millisecond
)

// pulse reads the clock every 50 ms, on its own thread, and records much longer intervals as
// pauses.
type pulse struct {
	quit chan struct{}
	over sync.WaitGroup

	mu     sync.Mutex
	pauses []Pause
}

func startPulse() *pulse {
	p := &pulse{quit: make(chan struct{})}
	p.over.Go(p.run)
	return p
}

func (p *pulse) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	timer := time.NewTimer(beat)
	defer timer.Stop()
	last, used := time.Now(), CPUSeconds()
	for ended := false; !ended; timer.Reset(beat) {
		select {
		case <-p.quit:
			ended = true
		case <-timer.C:
		}
		now, usedNow := time.Now(), CPUSeconds()
		if now.Sub(last)-beat >= pauseAfter {
			p.mu.Lock()
			p.pauses = append(p.pauses, Pause{last, now.Sub(last), time.Duration((usedNow - used) * float64(time.Second))})
			p.mu.Unlock()
		}
		last, used = now, usedNow
	}
}

// list returns the pauses so far.
func (p *pulse) list() []Pause {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.pauses)
}

// stop ends the pulse and returns all pauses, including one that has just ended.
func (p *pulse) stop() []Pause {
	close(p.quit)
	p.over.Wait()
	return p.list()
}
