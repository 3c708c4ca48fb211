package cli

import (
	"errors"
	"os"
	"sync"
	"time"

	"sledge/internal/job"
)

// patience is how many Ctrl-C a job gets before the process ends at once: the
// first lets users finish, the second breaks off, the third does not ask.
const patience = 3

// together is how near two Ctrl-C count as one: timeout sends one to the program and
// at once another to its process group, which the program is in.
const together = 200 * time.Millisecond

// interrupts passes each Ctrl-C to whoever can stop what is going on.
type interrupts struct {
	mu     sync.Mutex
	count  int
	handle func(count int)
	taker  func(os.Signal) // takes the signals, which then count for nothing; or nil
}

// watchSignals passes on signals until the function it returns is called.
func (p *Program) watchSignals() (end func()) {
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		var last time.Time
		for {
			select {
			case signal := <-p.Signals:
				if signal == os.Interrupt {
					now := p.now()
					if now.Sub(last) < together {
						continue
					}
					last = now
				}
				if p.interrupts.take(signal) {
					continue
				}
				if p.interrupts.next() >= patience {
					p.Exit(int(job.ExitStopped))
				}
			case <-quit:
				return
			}
		}
	})
	return func() { close(quit); watching.Wait() }
}

// next passes on one Ctrl-C and returns how many there were. Whoever handles it
// must not wait for anything.
func (i *interrupts) next() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.count++
	i.handle(i.count)
	return i.count
}

// take passes a signal to who has taken them, and returns whether somebody has.
func (i *interrupts) take(signal os.Signal) bool {
	i.mu.Lock()
	taker := i.taker
	i.mu.Unlock()
	if taker == nil {
		return false
	}
	taker(signal)
	return true
}

// taken has taker told of each signal, which then neither counts nor ends the
// process, until the function it returns is called.
func (i *interrupts) taken(taker func(os.Signal)) (restore func()) {
	set := func(t func(os.Signal)) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.taker = t
	}
	set(taker)
	return func() { set(nil) }
}

// any reports whether there was a Ctrl-C.
func (i *interrupts) any() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.count > 0
}

// instead has handle called with the number of each Ctrl-C, until the function
// it returns is called.
func (i *interrupts) instead(handle func(count int)) (restore func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.handle
	i.handle = handle
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.handle = before
	}
}

// ask reads an answer, unless a Ctrl-C comes first. The read then goes on until
// the process ends, as a read from a terminal cannot be broken off.
func (p *Program) ask(read func() (string, error)) (string, error) {
	type reply struct {
		text string
		err  error
	}
	replies, gone := make(chan reply, 1), make(chan struct{})
	restore := p.interrupts.instead(func(count int) {
		if count == 1 {
			close(gone)
		}
	})
	defer restore()
	go func() {
		text, err := read()
		replies <- reply{text, err}
	}()
	select {
	case r := <-replies:
		return r.text, r.err
	case <-gone:
		return "", job.WithExit(job.ExitStopped, errors.New("stopped before an answer"))
	}
}
