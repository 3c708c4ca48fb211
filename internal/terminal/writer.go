package terminal

import (
	"io"
	"strings"
	"sync"
)

// Writer folds text that is written to a terminal. It is safe for concurrent use.
type Writer struct {
	to    io.Writer
	width func() int // current width of the terminal; 0 if there is none

	mu     sync.Mutex
	column int // column of the cursor
}

// NewWriter returns a writer that calls width before each write, because a terminal may be resized.
// If width is nil, it folds nothing.
func NewWriter(to io.Writer, width func() int) *Writer { return &Writer{to: to, width: width} }

// Write folds text, which may end within a line.
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

// LineEntered reports that the user pressed Enter: the next text begins a line.
func (w *Writer) LineEntered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.column = 0
}

// Unwrap returns the underlying writer.
func (w *Writer) Unwrap() io.Writer { return w.to }
