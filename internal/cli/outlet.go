package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"
)

// outlet is where a stream of the program goes. It lets the watcher of a job and the
// one of signals write lines that do not mix. When there is nobody any more to read
// them, it says so once and swallows the rest: what is being done can then end in
// order, and its result is kept.
type outlet struct {
	to       io.Writer
	terminal bool   // whether it goes to a terminal, which can be closed
	gone     func() // told when nobody reads it any more; it must not wait

	mu     sync.Mutex
	closed bool  // nobody reads it any more
	failed error // why something was not written, first of all
}

func newOutlet(to io.Writer, gone func()) *outlet {
	f, ok := to.(*os.File)
	return &outlet{to: to, terminal: ok && term.IsTerminal(int(f.Fd())), gone: gone}
}

// Write writes text, or forgets it when nobody reads it any more. Any other error, as
// of a full disk, is returned.
func (o *outlet) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return len(text), nil
	}
	n, err := o.to.Write(text)
	// A terminal that was closed fails as a broken disk does.
	if isBrokenPipe(err) || o.terminal && errors.Is(err, syscall.EIO) {
		o.closed = true
		o.gone()
		return len(text), nil
	}
	o.failed = cmp.Or(o.failed, err)
	return n, err
}

// watch looks every second whether the reader of a pipe has gone, until ctx is done: a job
// that writes nothing for minutes stops, too.
func (o *outlet) watch(ctx context.Context) {
	f, is := o.to.(*os.File)
	if !is {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if readerGone(f) {
			o.mu.Lock()
			defer o.mu.Unlock()
			if !o.closed {
				o.closed = true
				o.gone()
			}
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// failure returns an error if something was not written, though somebody reads it: a
// full disk must not make a result disappear without a word.
func (o *outlet) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("write the output: %w", o.failed)
}

// unread reports whether nobody reads it any more.
func (o *outlet) unread() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}
