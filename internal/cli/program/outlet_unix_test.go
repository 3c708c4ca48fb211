//go:build !windows

package program

import (
	"os"
	"testing"
	"testing/synctest"
)

func TestOutlet_WatchNoticesThatThePipeIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		gone := make(chan struct{}, 1)
		o := newOutlet(w, func() { gone <- struct{}{} })
		go o.watch(t.Context())
		synctest.Wait()
		if o.unread() {
			t.Error("unread is true while the pipe has a reader")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		<-gone
		if !o.unread() {
			t.Error("unread is false after the reader has gone")
		}
	})
}
