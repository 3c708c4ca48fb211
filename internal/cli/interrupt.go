package cli

import (
	"errors"
	"os"
	"sync"
	"time"

	"sledge/internal/control"
	"sledge/internal/job"
)

// One wish to end often comes as several signals, and they count as one when they are
// this near to each other: timeout sends one to the program and at once another to its
// process group, which the program is in; a terminal that is closed hangs up twice; a
// service manager sends SIGTERM and then SIGHUP. On a busy machine the second may be
// heard late. People who press Ctrl-C twice mean it, and are faster than that.
const (
	together      = 200 * time.Millisecond // two Ctrl-C
	togetherOther = time.Second            // two signals that are not both a Ctrl-C
)

// unreadOutput stands for a signal where nobody reads the program's output any more.
type unreadOutput struct{}

// Signal implements os.Signal.
func (unreadOutput) Signal() {}

// String says what has happened.
func (unreadOutput) String() string { return "the reader of the output has gone" }

// interrupts passes each Ctrl-C, and whatever else asks the program to end, to whoever
// can stop what is going on.
type interrupts struct {
	mu     sync.Mutex
	count  int
	handle func(count int)
	taker  func(os.Signal) // takes the signals, which then count for nothing; or nil
}

// watchSignals passes on signals until the function it returns is called; and once,
// as a signal, that output is unread. That is no second wish to end: Ctrl-C also ends
// a program that the output is piped to.
func (p *Program) watchSignals(unread <-chan struct{}) (end func()) {
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		var last os.Signal // that counted
		var at time.Time   // when that was
		for {
			var signal os.Signal
			select {
			case signal = <-p.Signals:
			case <-unread:
				if last != nil {
					continue
				}
				signal = unreadOutput{}
			case <-quit:
				return
			}
			now := p.now()
			if last != nil && now.Sub(at) < nearness(last, signal) {
				continue
			}
			last, at = signal, now
			if p.interrupts.take(signal) {
				continue
			}
			if p.interrupts.next() >= control.Patience {
				p.Exit(int(job.ExitStopped))
			}
		}
	})
	return func() { close(quit); watching.Wait() }
}

// nearness returns how far apart two signals are that count as two.
func nearness(a, b os.Signal) time.Duration {
	if a == os.Interrupt && b == os.Interrupt {
		return together
	}
	return togetherOther
}

// next passes on one wish to end and returns how many there were. Whoever handles it
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

// any reports whether anything asked the program to end.
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
