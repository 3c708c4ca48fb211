package repository

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"sledge/internal/job"
	"sledge/internal/option"
)

// backlog is the queue of entries that wait to be written to the repository, in order. Its memory is
// limited, and it needs no disk space while the repository can be written:
//
//   - Additions go to memory, without blocking.
//   - One goroutine writes them, a batch in a transaction.
//   - If writing fails and many entries wait, they are moved to a file beside the repository,
//     and written from there later.
//   - Anything beyond the limit is dropped and counted. This happens only if the disk
//     takes neither the repository nor the file.
type backlog struct {
	limit      int // bytes of memory that the waiting entries may take
	asideAbove int // bytes that may wait in memory while other processes hold the repository
	aside      aside

	mu      sync.Mutex
	waiting []entry
	size    int // approximate bytes of the waiting entries
	dropped int64
}

// entry is one item to record of a job, as plain data.
type entry struct {
	Event   json.RawMessage `json:"event,omitempty"`   // as stored
	Failure *StoredFailure  `json:"failure,omitempty"` // the failure itself, for its own table
	Facts   json.RawMessage `json:"facts,omitempty"`   // as stored
	Settled option.Values   `json:"settled,omitempty"` // options of the job's spec, as stored
	Second  *job.Event      `json:"second,omitempty"`
	Samples *job.Event      `json:"samples,omitempty"`

	Activity *job.Event `json:"activity,omitempty"`
}

// newEntry returns the entry of an event other than a second.
func newEntry(event job.Event) (e entry, err error) {
	if e.Event, err = json.Marshal(event.Brief()); err != nil {
		return e, err
	}
	if event.Failure != nil {
		e.Failure = &StoredFailure{At: event.At, User: event.User, Failure: *event.Failure}
	}
	if event.Facts != nil {
		e.Facts, err = json.Marshal(event.Facts)
	}
	e.Settled = event.Settled
	return e, err
}

const (
	// usualAside is the number of bytes that wait in memory while other processes hold the
	// repository: 40,000 events, or a quarter of an hour of seconds.
	usualAside = 8 << 20

	// A backlog may take baseLimit bytes of memory, and userLimit bytes more for each virtual user,
	// whose session takes several times as much. So the first and last events of any number of
	// users fit, even if the disk is slow.
	baseLimit = 32 << 20
	userLimit = 4 << 10

	// batchSize is the maximum number of entries in a transaction.
	batchSize = 2000
)

// newBacklog returns an empty backlog for the repository at path.
func newBacklog(path string, users int) *backlog {
	return &backlog{limit: baseLimit + users*userLimit, asideAbove: usualAside, aside: aside{repository: path}}
}

// bytes returns the approximate size of an entry in memory.
func (e *entry) bytes() int {
	n := 128 + len(e.Event) + len(e.Facts)
	if e.Failure != nil {
		n += 128 + len(e.Failure.Message)
	}
	for name, value := range e.Settled {
		n += 64 + len(name) + len(value)
	}
	if e.Samples != nil {
		for _, one := range e.Samples.Samples {
			n += 128 + len(one.Name)
			for name, value := range one.Labels {
				n += 64 + len(name) + len(value)
			}
		}
	}
	if e.Activity != nil {
		for _, one := range e.Activity.Activity.Shares {
			n += 128 + len(one.Wait) + len(one.Statement) + len(one.Inner) + len(one.Blocker)
		}
	}
	if e.Second != nil {
		n += 128
		for _, k := range e.Second.Second.Measured.Kinds {
			n += 160 + 64*len(k.Failed) + len(k.Service) + len(k.Response)
		}
	}
	return n
}

// add adds an entry, and reports whether a batch is full.
func (b *backlog) add(e entry) (full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size := b.size + e.bytes(); size <= b.limit {
		b.size = size
		b.waiting = append(b.waiting, e)
	} else {
		b.dropped++
	}
	return len(b.waiting)%batchSize == 0
}

// drop counts a lost entry.
func (b *backlog) drop() {
	b.mu.Lock()
	b.dropped++
	b.mu.Unlock()
}

// left returns the number of entries that are not written yet, and the number of dropped ones.
func (b *backlog) left() (left, dropped int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.aside.count + int64(len(b.waiting)), b.dropped
}

// batch holds the oldest entries, which are written in one transaction.
type batch struct {
	entries []entry
	aside   bool  // whether they are in the file
	end     int64 // where they end in the file, if aside
}

// next returns the oldest entries. They stay in the backlog until written is called. Only the
// writing goroutine calls next, written, forget and setAside.
func (b *backlog) next() (batch, error) {
	if b.aside.count > 0 {
		return b.aside.read()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.waiting), batchSize)
	return batch{entries: b.waiting[:n:n]}, nil
}

// written removes the entries that next returned from the backlog.
func (b *backlog) written(done batch) {
	if done.aside {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.aside.advance(done)
		return
	}
	b.forget(len(done.entries))
}

// forget removes the oldest n entries from memory.
func (b *backlog) forget(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.waiting[:n] {
		b.size -= b.waiting[i].bytes()
		b.waiting[i] = entry{}
	}
	b.waiting = b.waiting[n:]
	if len(b.waiting) == 0 {
		b.waiting = nil
	}
}

// setAside moves waiting entries from memory to the file if there are too many, or if the file
// already has entries, which must be written first.
func (b *backlog) setAside() error {
	for {
		b.mu.Lock()
		n := min(len(b.waiting), batchSize)
		oldest, size := b.waiting[:n:n], b.size
		b.mu.Unlock()
		if size <= b.asideAbove && (b.aside.count == 0 || n == 0) {
			return nil
		}
		end, err := b.aside.append(oldest)
		if err != nil {
			return err
		}
		b.mu.Lock()
		b.aside.to, b.aside.count = end, b.aside.count+int64(n)
		b.mu.Unlock()
		b.forget(n)
	}
}

// aside is a file of entries in JSON, one after another. It is created only when it is needed.
// Where the system allows it, the file is removed from its folder at once, so that nothing stays
// behind if this process is killed. On other systems it is removed when it is empty and when the
// job ends.
type aside struct {
	repository string
	file       *os.File
	from, to   int64 // the part of the file that was not written to the repository yet
	count      int64 // entries in that part
}

func (a *aside) append(entries []entry) (end int64, err error) {
	if err := a.open(); err != nil {
		return 0, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for i := range entries {
		if err := encoder.Encode(&entries[i]); err != nil {
			return 0, fmt.Errorf("write waiting events to a file: %w", err)
		}
	}
	n, err := a.file.WriteAt(text.Bytes(), a.to)
	if err != nil {
		return 0, fmt.Errorf("write waiting events to a file: %w", err)
	}
	return a.to + int64(n), nil
}

func (a *aside) open() error {
	if a.file != nil {
		return nil
	}
	if a.repository == inMemory {
		return errors.New("write waiting events to a file: the repository is in memory")
	}
	folder, name := filepath.Split(a.repository)
	file, err := os.CreateTemp(folder, name+"-aside-*")
	if err != nil {
		return fmt.Errorf("write waiting events to a file: %w", err)
	}
	_ = os.Remove(file.Name())
	a.file = file
	return nil
}

func (a *aside) read() (batch, error) {
	decoder := json.NewDecoder(io.NewSectionReader(a.file, a.from, a.to-a.from))
	b := batch{aside: true}
	for int64(len(b.entries)) < min(a.count, batchSize) {
		var e entry
		if err := decoder.Decode(&e); err != nil {
			return b, fmt.Errorf("read waiting events from a file: %w", err)
		}
		b.entries = append(b.entries, e)
	}
	b.end = a.from + decoder.InputOffset()
	return b, nil
}

func (a *aside) advance(done batch) {
	a.from, a.count = done.end, a.count-int64(len(done.entries))
	if a.count == 0 {
		a.close()
	}
}

func (a *aside) close() {
	if a.file == nil {
		return
	}
	_ = a.file.Close() // its contents are not needed any more
	_ = os.Remove(a.file.Name())
	*a = aside{repository: a.repository}
}
