package top

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Schema names the form of recordings: a line that names it, and a line of JSON for each reading.
const Schema = "sledge-top-1"

// header is the first line of a recording.
type header struct {
	Schema string `json:"schema"`
}

// Recorder writes readings to a file.
type Recorder struct {
	Path string
	file *os.File
}

// NewRecorder makes a file that only its owner may read, because texts of statements may be private. The file
// must not exist.
func NewRecorder(path string) (*Recorder, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r := &Recorder{Path: path, file: file}
	if err := r.line(header{Schema}); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// Add writes a reading. A line is written at once, so that a recording whose process was killed is complete
// up to then.
func (r *Recorder) Add(reading Reading) error {
	reading.bound()
	return r.line(reading)
}

func (r *Recorder) line(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := r.file.Write(b.Bytes())
	return err
}

// Close closes the file.
func (r *Recorder) Close() error { return r.file.Close() }

// Recording reads a recorded file. Its methods must be called from one goroutine.
type Recording struct {
	file  *os.File
	lines []int64 // where the readings begin, and the end of the last one
}

// longestLine limits a line of a recording, in bytes.
const longestLine = 16 << 20

// OpenRecording opens a recording. A last line without an end is ignored, because the process that
// recorded may have been killed.
func OpenRecording(path string) (_ *Recording, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	r := &Recording{file: file}
	in := bufio.NewReaderSize(file, 1<<16)
	first, err := in.ReadSlice('\n')
	var h header
	if err != nil || json.Unmarshal(first, &h) != nil || h.Schema == "" {
		return nil, errors.New("it is not a recording of sledge top")
	}
	if h.Schema != Schema {
		return nil, fmt.Errorf("it has the form %q, and this version of Sledge reads %s", Safe(h.Schema), Schema)
	}
	at := int64(len(first))
	r.lines = []int64{at}
	for {
		n, err := lineLength(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		at += n
		r.lines = append(r.lines, at)
	}
	if r.Len() == 0 {
		return nil, errors.New("it has no reading")
	}
	return r, nil
}

// lineLength reads a line, and returns its length in bytes.
func lineLength(in *bufio.Reader) (n int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
		if n > longestLine {
			return n, fmt.Errorf("it has a line of more than %d MiB", longestLine>>20)
		}
	}
}

// Len returns the number of readings.
func (r *Recording) Len() int { return len(r.lines) - 1 }

// Read returns a reading; 0 is the first.
func (r *Recording) Read(i int) (Reading, error) {
	text := make([]byte, r.lines[i+1]-r.lines[i])
	if _, err := r.file.ReadAt(text, r.lines[i]); err != nil {
		return Reading{}, err
	}
	var one Reading
	if err := json.Unmarshal(text, &one); err != nil {
		return one, fmt.Errorf("line %d is not a reading: %w", i+2, err)
	}
	one.bound()
	return one, nil
}

// HistoryUntil returns the readings of the five minutes that end with the reading i.
func (r *Recording) HistoryUntil(i int) (*History, error) {
	var list []Reading
	for ; i >= 0 && len(list) < mostReadings; i-- {
		one, err := r.Read(i)
		if err != nil {
			return nil, err
		}
		if list = append(list, one); list[0].At.Sub(one.At) > Kept {
			break
		}
	}
	h := &History{}
	for i := len(list) - 1; i >= 0; i-- {
		h.Add(list[i])
	}
	return h, nil
}

// Near returns the reading that is nearest to a time from another one, before or after it.
func (r *Recording) Near(i int, distance time.Duration) (int, error) {
	from, err := r.Read(i)
	if err != nil {
		return i, err
	}
	step := 1
	if distance < 0 {
		step, distance = -1, -distance
	}
	for i+step >= 0 && i+step < r.Len() {
		i += step
		one, err := r.Read(i)
		if err != nil {
			return i, err
		}
		if one.At.Sub(from.At).Abs() >= distance {
			break
		}
	}
	return i, nil
}

// Close closes the file.
func (r *Recording) Close() error { return r.file.Close() }
