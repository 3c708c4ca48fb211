package scripting

import (
	"context"
	"strings"
	"unicode/utf8"

	"sledge/internal/control/tasks"
)

// maxOutput is the number of bytes of output that are kept. Short writes are joined to pieces of up
// to together bytes, because each piece costs memory and time.
const (
	maxOutput = 1 << 20
	together  = 1 << 10
)

// Piece is a part of the output of a process.
type Piece struct {
	Text   string `json:"text"`
	Error  bool   `json:"error,omitempty" doc:"It was printed to standard error."`
	Missed int64  `json:"missed,omitempty" doc:"Bytes before it that are no longer available."`

	End int64 `json:"-"` // position of its end in the output, in bytes
}

// output keeps the last part of a process's output for any number of readers. A slow reader does
// not block the process.
type output struct {
	mu     tasks.Cond
	pieces []Piece
	end    int64 // total bytes of output
	size   int   // bytes that are kept
	over   bool
}

// add appends text.
func (o *output) add(text string, isError bool) {
	if text == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end += int64(len(text))
	o.size += len(text)
	if n := len(o.pieces); n > 0 && o.pieces[n-1].Error == isError && len(o.pieces[n-1].Text)+len(text) <= together {
		last := &o.pieces[n-1]
		last.Text, last.End = last.Text+text, o.end
	} else {
		o.pieces = append(o.pieces, Piece{Text: text, Error: isError, End: o.end})
	}
	for o.size > maxOutput && len(o.pieces) > 1 {
		o.size -= len(o.pieces[0].Text)
		o.pieces[0] = Piece{}
		o.pieces = o.pieces[1:]
	}
	o.mu.Broadcast()
}

// finish marks the output as complete.
func (o *output) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	o.mu.Broadcast()
}

// most is the maximum length of a piece that a reader gets, in bytes.
const most = 32 << 10

// next waits for output from byte offset after on, and returns it. more is false if the output is
// complete.
func (o *output) next(ctx context.Context, after int64) (p Piece, more bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		if p, found := o.after(after); found || o.over {
			return p, found, nil
		}
		if err := o.mu.Wait(ctx); err != nil {
			return Piece{}, false, err
		}
	}
}

// after joins the kept output from byte offset after on, up to the maximum length or to the next
// output of the other stream. The caller holds the lock.
func (o *output) after(after int64) (whole Piece, found bool) {
	var text strings.Builder
	for _, p := range o.pieces {
		if p.End <= after {
			continue
		}
		begins := p.End - int64(len(p.Text))
		if found && (p.Error != whole.Error || text.Len()+len(p.Text) > most) {
			break
		}
		if !found {
			found, whole.Error = true, p.Error
			whole.Missed = max(0, begins-after)
		}
		text.WriteString(p.Text[max(0, after-begins):])
		whole.End = p.End
	}
	whole.Text = strings.ToValidUTF8(text.String(), "\uFFFD")
	return whole, found
}

// stream is the writer for one stream of a process. A write may end within a character, which waits
// for its rest.
type stream struct {
	to      *output
	isError bool
	rest    []byte
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	whole := len(s.rest)
	for back := 1; back < utf8.UTFMax && back <= len(s.rest); back++ {
		if b := s.rest[len(s.rest)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(s.rest[len(s.rest)-back:]) {
				whole -= back
			}
			break
		}
	}
	s.to.add(strings.ToValidUTF8(string(s.rest[:whole]), "\uFFFD"), s.isError)
	s.rest = append(s.rest[:0], s.rest[whole:]...)
	return len(p), nil
}
