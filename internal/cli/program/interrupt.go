package program

import (
	"errors"
	"os"
	"sync"
	"time"

	"sledge/internal/control"
	"sledge/internal/job"
)

// One request to stop often arrives as several signals: timeout signals the program and then its
// process group; a terminal that closes sends two SIGHUPs; a service manager sends SIGTERM and then
// SIGHUP. On a busy machine the second signal may be late. Signals within these times of each other
// count as one. A user who presses Ctrl-C twice means it, so the time for that is shorter.
const (
	Together      = 200 * time.Millisecond // two Ctrl-C
	TogetherOther = time.Second            // two signals that are not both a Ctrl-C
)

// UnreadOutput takes the place of a signal when the output has lost its reader.
type UnreadOutput struct{}

// Signal implements os.Signal.
func (UnreadOutput) Signal() {}

// String returns the reason to end.
func (UnreadOutput) String() string { return "the reader of the output has gone" }

// interrupts passes each request to end the program to the handler of the current activity.
type interrupts struct {
	mu     sync.Mutex
	count  int
	handle func(count int)
	taker  func(os.Signal) // receives signals uncounted, in place of handle; or nil
}

// watchSignals passes on signals until the returned function is called. If the output loses its
// reader before any signal, that counts as a signal. After a signal it does not count as a second
// one, because Ctrl-C also ends the program that reads the output.
func (p *Program) watchSignals(unread <-chan struct{}) (end func()) {
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		var last os.Signal // the last signal that counted
		var at time.Time   // when it came
		for {
			var signal os.Signal
			select {
			case signal = <-p.Signals:
			case <-unread:
				if last != nil {
					continue
				}
				signal = UnreadOutput{}
			case <-quit:
				return
			}
			now := p.Now()
			if last != nil && now.Sub(at) < nearness(last, signal) {
				continue
			}
			last, at = signal, now
			if p.Interrupts.take(signal) {
				continue
			}
			if p.Interrupts.next() >= control.Patience {
				p.Exit(int(job.ExitStopped))
			}
		}
	})
	return func() { close(quit); watching.Wait() }
}

// nearness returns the time within which two signals count as one.
func nearness(a, b os.Signal) time.Duration {
	if a == os.Interrupt && b == os.Interrupt {
		return Together
	}
	return TogetherOther
}

// next passes on a request to end and returns how many there were. The handler must not block.
func (i *interrupts) next() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.count++
	i.handle(i.count)
	return i.count
}

// take passes a signal to the taker and returns whether there is one.
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

// Taken sends each signal to taker until the returned function is called. Meanwhile signals do not
// count and do not end the process.
func (i *interrupts) Taken(taker func(os.Signal)) (restore func()) {
	set := func(t func(os.Signal)) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.taker = t
	}
	set(taker)
	return func() { set(nil) }
}

// Count returns the number of requests to end the program.
func (i *interrupts) Count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.count
}

// Instead calls handle with the number of each request to end, until the returned function
// restores the previous handler.
func (i *interrupts) Instead(handle func(count int)) (restore func()) {
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

// Ask reads an answer, or returns an error when Ctrl-C comes first. The read then continues until
// the process ends, because a read from a terminal cannot be interrupted.
func (p *Program) Ask(read func() (string, error)) (string, error) {
	type reply struct {
		text string
		err  error
	}
	replies, gone := make(chan reply, 1), make(chan struct{})
	restore := p.Interrupts.Instead(func(count int) {
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
