package display

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

// Screen is the output on which a bar is drawn.
type Screen struct {
	To     io.Writer
	Width  func() int // of the terminal; nil if it cannot redraw lines
	Height func() int // of the terminal; nil for no limit
}

// Bar redraws the last line or lines of a terminal. The zero value draws nothing. The cursor stays
// at the beginning of the bar, so that all its lines can be cleared even if the terminal becomes
// narrower and wraps them.
type Bar struct {
	Screen

	mu    sync.Mutex
	text  func(width int) string // returns the text to draw; nil draws nothing
	drawn string                 // the text on the screen
	wide  int                    // the terminal's width at the last drawing
	stop  chan struct{}          // ends the drawing
	ended sync.WaitGroup
}

// redraw is the interval between drawings, so that the bar's clock advances and the bar follows the
// terminal's width. Not every system signals a change of the width.
const redraw = 100 * time.Millisecond

// clear erases the screen from the beginning of the cursor's line.
const clear = "\r\x1b[J"

// Show draws the text that text returns for the terminal's width, again at each redraw. If
// text is nil, Show removes the bar.
func (b *Bar) Show(text func(width int) string) {
	if b.Width == nil {
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

func (b *Bar) keepDrawing(stop chan struct{}) {
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

// draw draws the bar if its text or the width has changed. The last column stays free, because
// some terminals move to the next line after it.
func (b *Bar) draw() {
	if b.text == nil {
		return
	}
	wide := b.Width()
	text := b.text(wide - 1)
	if text == b.drawn && wide == b.wide {
		return
	}
	b.drawn, b.wide = text, wide
	lines := strings.Split(text, "\n")
	if b.Height != nil { // lines that have scrolled away cannot be cleared
		lines = lines[:max(1, min(len(lines), b.Height()-1))]
	}
	back := "\r"
	if more := len(lines) - 1; more > 0 {
		back += fmt.Sprintf("\x1b[%dA", more)
	}
	_, _ = io.WriteString(b.To, clear+strings.Join(lines, "\r\n")+back) // the job continues without a bar
}

// remove takes the bar off the screen until it is drawn again.
func (b *Bar) remove() {
	if b.drawn != "" {
		_, _ = io.WriteString(b.To, clear)
		b.drawn = ""
	}
}

// Above calls print to print lines above the bar.
func (b *Bar) Above(print func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove()
	print()
	if b.Width != nil {
		b.draw()
	}
}

// End takes the bar off the screen for good.
func (b *Bar) End() {
	b.Show(nil)
	if b.stop != nil {
		close(b.stop)
		b.ended.Wait()
		b.stop = nil
	}
}

// The limits of a bar's width, in columns.
const (
	widestBar    = 30
	narrowestBar = 10
)

// barLine formats progress as one line with a bar, and adds details, the most important first,
// while they fit into the width.
func barLine(p job.Progress, elapsed time.Duration, width int) string {
	done := min(p.Done, p.Total)
	head := fmt.Sprintf("%s %3d %%", report.Printable(p.Step), 100*done/p.Total)
	var parts []string // the most important first
	if elapsed >= time.Second && done > 0 {
		rate := float64(done) / elapsed.Seconds()
		parts = append(parts, fmt.Sprintf("%s %s/s", humanize.CommafWithDigits(rate, rateDigits(rate)), p.Unit))
		if done < p.Total {
			left := time.Duration(float64(p.Total-done) / rate * float64(time.Second))
			parts = slices.Insert(parts, 0, Clock(left)+" left")
		}
	}
	parts = append(parts, fmt.Sprintf("%s of %s %s", humanize.Comma(done), humanize.Comma(p.Total), p.Unit))
	if detail := report.Printable(p.Detail); detail != "" {
		i := len(parts) - 1
		if done == p.Total { // only the detail still changes
			i = 0
		}
		parts = slices.Insert(parts, i, detail)
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
