package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/terminal"
)

// bar is the last line on a terminal, or the last few, which are drawn again and again.
// The zero value draws nothing. The cursor stands at its beginning: a terminal that
// becomes narrower breaks lines in two, and from there all can be cleared.
type bar struct {
	to     io.Writer
	width  func() int // of the terminal, or nil where nothing can be drawn again
	height func() int // of the terminal; nil where it has room

	mu    sync.Mutex
	text  func(width int) string // what is to be drawn, or nil
	drawn string                 // what is on the screen
	wide  int                    // how wide the screen was
	stop  chan struct{}          // ends the drawing
	ended sync.WaitGroup
}

// redraw is how often the bar is drawn, so that its clock goes on, and so that it
// follows the width of its terminal on systems without a signal for that, too.
const redraw = 100 * time.Millisecond

// clear removes the line that the cursor is in, and whatever a terminal made of it.
const clear = "\r\x1b[J"

// show has the bar show what text returns for a width, whenever it is drawn; nil takes
// it off the screen.
func (b *bar) show(text func(width int) string) {
	if b.width == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = text
	switch {
	case text == nil:
		b.remove()
	case b.stop == nil:
		b.draw()
		b.stop = make(chan struct{})
		b.ended.Go(func() { b.keepDrawing(b.stop) })
	}
}

func (b *bar) keepDrawing(stop chan struct{}) {
	often := time.NewTicker(redraw)
	defer often.Stop()
	for {
		select {
		case <-stop:
			return
		case <-often.C:
			b.mu.Lock()
			b.draw()
			b.mu.Unlock()
		}
	}
}

// draw draws the bar if it is not there as it should be. The last column stays free,
// since some terminals go on to the next line after it.
func (b *bar) draw() {
	if b.text == nil {
		return
	}
	wide := b.width()
	text := b.text(wide - 1)
	if text == b.drawn && wide == b.wide {
		return
	}
	b.drawn, b.wide = text, wide
	lines := strings.Split(text, "\n")
	if b.height != nil { // what has been scrolled away cannot be cleared
		lines = lines[:max(1, min(len(lines), b.height()-1))]
	}
	back := "\r"
	if more := len(lines) - 1; more > 0 {
		back += fmt.Sprintf("\x1b[%dA", more)
	}
	_, _ = io.WriteString(b.to, clear+strings.Join(lines, "\r\n")+back) // a bar that cannot be drawn is no reason to end a job
}

// remove takes the bar off the screen until it is drawn again.
func (b *bar) remove() {
	if b.drawn != "" {
		_, _ = io.WriteString(b.to, clear)
		b.drawn = ""
	}
}

// above has something printed above the bar.
func (b *bar) above(print func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove()
	print()
	if b.width != nil {
		b.draw()
	}
}

// end takes the bar off the screen for good.
func (b *bar) end() {
	b.show(nil)
	if b.stop != nil {
		close(b.stop)
		b.ended.Wait()
		b.stop = nil
	}
}

// The bar itself, in columns.
const (
	widestBar    = 30
	narrowestBar = 10
)

// barLine spells progress in one line of a width: with a bar, and as much of what else
// is known as there is room for.
func barLine(p job.Progress, elapsed time.Duration, width int) string {
	done := min(p.Done, p.Total)
	head := fmt.Sprintf("%s %3d %%", report.Printable(p.Step), 100*done/p.Total)
	var parts []string // the most important first
	if elapsed >= time.Second && done > 0 {
		rate := float64(done) / elapsed.Seconds()
		parts = append(parts, fmt.Sprintf("%s %s/s", humanize.CommafWithDigits(rate, rateDigits(rate)), p.Unit))
		if done < p.Total {
			left := time.Duration(float64(p.Total-done) / rate * float64(time.Second))
			parts = slices.Insert(parts, 0, clock(left)+" left")
		}
	}
	parts = append(parts, fmt.Sprintf("%s of %s %s", humanize.Comma(done), humanize.Comma(p.Total), p.Unit))
	if detail := report.Printable(p.Detail); detail != "" {
		place := len(parts) - 1
		if done == p.Total { // it is what is waited for
			place = 0
		}
		parts = slices.Insert(parts, place, detail)
	}
	room := width - terminal.Width(head) - len(" []")
	var tail string
	for _, part := range parts {
		if more := terminal.Width("  " + part); room-more >= narrowestBar {
			tail += "  " + part
			room -= more
		}
	}
	if room < narrowestBar {
		return terminal.Cut(head, width)
	}
	wide := min(room, widestBar)
	full := int(int64(wide) * done / p.Total)
	return fmt.Sprintf("%s [%s%s]%s", head, strings.Repeat("=", full), strings.Repeat(" ", wide-full), tail)
}
