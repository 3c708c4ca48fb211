package terminal

import (
	"io"
	"strings"
	"sync"
)

// Writer folds what is written to a terminal, whichever goroutine it comes from.
type Writer struct {
	to    io.Writer
	width func() int // of the terminal now; 0 where there is none

	mu     sync.Mutex
	column int // where the cursor is
}

// NewWriter returns a writer that asks for the width before each line, since a
// terminal may be resized. Without a function it folds nothing.
func NewWriter(to io.Writer, width func() int) *Writer { return &Writer{to: to, width: width} }

// Write folds text, which need not be whole lines.
func (w *Writer) Write(text []byte) (int, error) {
	if w.width == nil {
		return w.to.Write(text)
	}
	width := w.width()
	if width <= 0 {
		return w.to.Write(text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for i, line := range strings.Split(string(text), "\n") {
		if i > 0 {
			b.WriteByte('\n')
			w.column = 0
		}
		w.column = foldLine(&b, line, w.column, width)
	}
	if _, err := io.WriteString(w.to, b.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// LineEntered says that somebody has ended the line at the terminal, by the Enter key: what
// is written next begins a line.
func (w *Writer) LineEntered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.column = 0
}

// Unwrap returns what is written to.
func (w *Writer) Unwrap() io.Writer { return w.to }
