package program

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

// Outlet is a writer for standard output or standard error. It is safe for concurrent use, so that
// lines of several goroutines do not mix. When the reader of the stream has gone, Outlet calls gone
// once and discards the rest, so that the job can stop in order and keep its result.
type Outlet struct {
	To       io.Writer
	terminal bool   // whether To is a terminal, which can be closed
	gone     func() // called once when the reader has gone; must not block

	mu     sync.Mutex
	closed bool  // whether the reader has gone
	failed error // the first error of a write
}

func newOutlet(to io.Writer, gone func()) *Outlet {
	f, ok := to.(*os.File)
	return &Outlet{To: to, terminal: ok && term.IsTerminal(int(f.Fd())), gone: gone}
}

// Write writes text, or discards it if the reader has gone. Other errors, such as a full disk, are
// returned.
func (o *Outlet) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return len(text), nil
	}
	n, err := o.To.Write(text)
	// A closed terminal fails with EIO, which from a file would mean a broken disk.
	if isBrokenPipe(err) || o.terminal && errors.Is(err, syscall.EIO) {
		o.closed = true
		o.gone()
		return len(text), nil
	}
	o.failed = cmp.Or(o.failed, err)
	return n, err
}

// watch checks every second until ctx is done whether the reader of a pipe has gone, so that a job
// which writes nothing for minutes stops too.
func (o *Outlet) watch(ctx context.Context) {
	f, is := o.To.(*os.File)
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

// failure returns the first error of a write, unless the reader has gone. It must be reported,
// because a full disk may have lost the result.
func (o *Outlet) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("write the output: %w", o.failed)
}

// unread reports whether the reader has gone.
func (o *Outlet) unread() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}
