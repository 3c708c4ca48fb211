package datagen

import "io"

// relay writes buffers in its own goroutine, so that the next rows are generated while earlier ones
// are hashed, compressed and written.
type relay struct {
	full    chan []byte
	written chan written
}

// written is a buffer that may be filled again, with the error of writing it or an earlier one.
type written struct {
	buf []byte
	err error
}

// newRelay returns a relay to w, and the first buffer to be filled.
func newRelay(w io.Writer) (*relay, []byte) {
	r := &relay{full: make(chan []byte), written: make(chan written, 1)}
	r.written <- written{buf: newBuffer()}
	go func() {
		var err error
		for buf := range r.full {
			if err == nil {
				_, err = w.Write(buf)
			}
			r.written <- written{buf[:0], err}
		}
		close(r.written)
	}()
	return r, newBuffer()
}

func newBuffer() []byte { return make([]byte, 0, bufferSize+4096) }

// swap takes a full buffer, and returns an empty one once all earlier buffers are written.
func (r *relay) swap(full []byte) ([]byte, error) {
	r.full <- full
	w := <-r.written
	return w.buf, w.err
}

// close waits until all buffers are written.
func (r *relay) close() error {
	close(r.full)
	var err error
	for w := range r.written {
		err = w.err
	}
	return err
}
