package program

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhenSlow_PrintsOnlyIfSlow(t *testing.T) {
	for took, want := range map[time.Duration]string{slow - time.Second: "", slow + time.Second: "Waiting for tea\n"} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			p := &Program{Stderr: &b}
			done := p.WhenSlow("Waiting for %s", "tea")
			time.Sleep(took)
			done()
			time.Sleep(slow)
			synctest.Wait() // for the goroutine that prints
			if got := b.String(); got != want {
				t.Errorf("after %s: got %q, want %q", took, got, want)
			}
		})
	}
}
