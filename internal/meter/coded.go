package meter

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// CodedSummary is a Summary as plain data, which is small enough to store and send, and can be
// added without loss. Watchers receive each second of a run in this form. They may keep it, because
// it is never modified.
//
// In JSON its histograms are in base64. AppendBinary takes a third less space.
type CodedSummary struct {
	Elapsed time.Duration `json:"elapsed_ns"`
	Kinds   []CodedTally  `json:"kinds"` // one for each kind of transaction, in the workload's order
}

// CodedTally is a Tally as plain data.
type CodedTally struct {
	Done       int64            `json:"done"`
	RolledBack int64            `json:"rolled_back"`
	Retried    int64            `json:"retried"`
	Failed     map[string]int64 `json:"failed,omitempty"` // by class, in words
	Traffic    Traffic          `json:"traffic,omitzero"`
	Service    CodedHistogram   `json:"service,omitempty"`  // in nanoseconds; empty if none were done
	Response   CodedHistogram   `json:"response,omitempty"` // likewise
}

// CodedHistogram is a histogram of nanoseconds as bytes. It holds only the buckets that are not
// empty, because a second of a run fills a few hundred of 33,000:
//
//	byte      0x53
//	uvarint   the lowest value that HdrHistogram distinguishes from 0, as in encoding/binary
//	uvarint   its number of significant digits
//	then, bit by bit, for each bucket that is not empty, in the order of HdrHistogram's
//	index of counts, and in Elias's gamma code:
//	gamma     the distance from the previous bucket; for the first, its index plus 1
//	gamma     its count
//
// Encoding takes microseconds, because it runs on a core that virtual users use too. The result is
// no larger than HdrHistogram's own compression, which takes fifty times as long.
//
// Histograms from earlier versions of Sledge, or from other programs, may be in HdrHistogram's
// compressed V2 encoding instead, which begins with 0x1c.
type CodedHistogram []byte

const (
	sparse       = 0x53
	compressedV2 = 0x1c
)

// Coded returns s as plain data.
func (s *Summary) Coded() CodedSummary {
	c := CodedSummary{Elapsed: s.Elapsed, Kinds: make([]CodedTally, len(s.Kinds))}
	for i := range s.Kinds {
		c.Kinds[i] = s.Kinds[i].coded()
	}
	return c
}

// MarshalJSON implements json.Marshaler, by Coded.
func (s Summary) MarshalJSON() ([]byte, error) { return json.Marshal(s.Coded()) }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Summary) UnmarshalJSON(text []byte) error {
	var c CodedSummary
	err := json.Unmarshal(text, &c)
	if err == nil {
		*s, err = c.Summary()
	}
	return err
}

func (t *Tally) coded() CodedTally {
	c := codeCounts(t.Done, t.RolledBack, t.Retried, &t.Failed, t.Traffic)
	if t.Done > 0 {
		c.Service, c.Response = codeHistogram(t.Service), codeHistogram(t.Response)
	}
	return c
}

func codeCounts(done, rolledBack, retried int64, failed *[classes]int64, traffic Traffic) CodedTally {
	c := CodedTally{Done: done, RolledBack: rolledBack, Retried: retried, Traffic: traffic}
	for class, n := range failed {
		if n > 0 {
			if c.Failed == nil {
				c.Failed = map[string]int64{}
			}
			c.Failed[Class(class).String()] = n
		}
	}
	return c
}

func codeHistogram(h *hdrhistogram.Histogram) CodedHistogram {
	w := newWriter(nil, h.LowestTrackableValue(), h.SignificantFigures())
	for bucket, n := range h.Export().Counts {
		if n > 0 {
			w.bucket(bucket, n)
		}
	}
	return w.end()
}

// writer writes a CodedHistogram, bucket by bucket.
type writer struct {
	gammaWriter
	last int // the last bucket written
}

func newWriter(buffer []byte, lowest, digits int64) writer {
	buffer = binary.AppendUvarint(append(buffer, sparse), uint64(lowest))
	return writer{gammaWriter{bytes: binary.AppendUvarint(buffer, uint64(digits))}, -1}
}

func (w *writer) bucket(number int, n int64) {
	w.put(uint64(number - w.last))
	w.put(uint64(n))
	w.last = number
}

// errCoded is the error for bytes that do not encode a histogram.
var errCoded = errors.New("these bytes do not encode a histogram")

// each calls do with each latency of a histogram and its count, in ascending order. A latency
// represents its whole bucket.
func (c CodedHistogram) each(do func(value, n int64)) error {
	return c.eachBucket(func(l layout, bucket int, n int64) { do(l.value(bucket), n) })
}

// eachBucket calls do with each bucket that is not empty and its count, in order.
func (c CodedHistogram) eachBucket(do func(l layout, bucket int, n int64)) error {
	if len(c) > 0 && c[0] == compressedV2 {
		h, err := decodeV2(c)
		if err != nil {
			return err
		}
		l := layoutOfHistogram(h)
		for bucket, n := range h.Export().Counts {
			if n > 0 {
				do(l, bucket, n)
			}
		}
		return nil
	}
	lowest, digits, r := c.open()
	if r.err != nil {
		return r.err
	}
	l, err := layoutOf(lowest, digits)
	if err != nil {
		return err
	}
	last, numbers := l.last(), gammaReader{bytes: r.rest}
	for bucket := -1; numbers.more(); {
		bucket += int(numbers.number())
		n := numbers.number()
		if numbers.wrong || bucket > last {
			return errCoded
		}
		do(l, bucket, int64(n))
	}
	if numbers.wrong {
		return errCoded
	}
	return nil
}

// open reads the header before the buckets.
func (c CodedHistogram) open() (lowest, digits int64, r reader) {
	r.rest = c
	if r.byte() != sparse {
		r.err = errCoded
	}
	return int64(r.uvarint()), int64(r.uvarint()), r
}

// addTo adds c to a histogram.
func (c CodedHistogram) addTo(h **hdrhistogram.Histogram) error {
	return c.each(func(value, n int64) { count(h, value, n) })
}

// decode returns the histogram without loss.
func (c CodedHistogram) decode() (*hdrhistogram.Histogram, error) {
	if len(c) == 0 {
		return newHistogram(), nil
	}
	if c[0] == compressedV2 {
		return decodeV2(c)
	}
	lowest, digits, r := c.open()
	if r.err != nil {
		return nil, r.err
	}
	if _, err := layoutOf(lowest, digits); err != nil {
		return nil, err
	}
	h := hdrhistogram.New(lowest, usualHighest, int(digits))
	return h, c.addTo(&h)
}

// EncodeV2 encodes h in HdrHistogram's compressed V2 encoding, without the base64 that the library
// adds.
func EncodeV2(h *hdrhistogram.Histogram) ([]byte, error) {
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode a histogram: %w", err)
	}
	return base64.StdEncoding.AppendDecode(nil, text)
}

func decodeV2(b []byte) (*hdrhistogram.Histogram, error) {
	h, err := hdrhistogram.Decode(base64.StdEncoding.AppendEncode(nil, b))
	if err != nil {
		return nil, fmt.Errorf("decode a histogram: %w", err)
	}
	return h, nil
}

// Ended returns the number of transactions that ended, with any outcome.
func (c CodedSummary) Ended() int64 {
	var n int64
	for i := range c.Kinds {
		n += c.Kinds[i].Done + c.Kinds[i].RolledBack + c.Kinds[i].failures()
	}
	return n
}

func (c *CodedTally) failures() int64 {
	var n int64
	for _, failed := range c.Failed {
		n += failed
	}
	return n
}

// Summary returns c with its histograms decoded, without loss.
func (c CodedSummary) Summary() (Summary, error) {
	s := Summary{Elapsed: c.Elapsed, Kinds: make([]Tally, len(c.Kinds))}
	for i := range c.Kinds {
		t, coded := &s.Kinds[i], &c.Kinds[i]
		coded.addCounts(t)
		var err, err2 error
		t.Service, err = coded.Service.decode()
		t.Response, err2 = coded.Response.decode()
		if err := errors.Join(err, err2); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Counts returns the counts of c, with empty histograms of minimal size. Its cost does not depend
// on the latencies.
func (c CodedSummary) Counts() Summary {
	s := Summary{Elapsed: c.Elapsed, Kinds: make([]Tally, len(c.Kinds))}
	none := hdrhistogram.New(lowest, 2, 1)
	for i := range c.Kinds {
		s.Kinds[i] = c.Kinds[i].Counts()
		s.Kinds[i].Service, s.Kinds[i].Response = none, none
	}
	return s
}

// AddCoded adds c, which must have as many kinds as s. After an error s contains a part of c.
func (s *Summary) AddCoded(c CodedSummary) error {
	if len(c.Kinds) != len(s.Kinds) {
		return fmt.Errorf("cannot add %d kinds of transaction to %d", len(c.Kinds), len(s.Kinds))
	}
	s.Elapsed += c.Elapsed
	for i := range c.Kinds {
		if err := c.Kinds[i].AddTo(&s.Kinds[i]); err != nil {
			return err
		}
	}
	return nil
}

// AddTo adds c to a tally of one or several kinds.
func (c *CodedTally) AddTo(t *Tally) error {
	c.addCounts(t)
	if c.Done == 0 {
		return nil
	}
	return errors.Join(c.Service.addTo(&t.Service), c.Response.addTo(&t.Response))
}

// Counts returns the counts of c without its histograms.
func (c *CodedTally) Counts() Tally {
	var t Tally
	c.addCounts(&t)
	return t
}

func (c *CodedTally) addCounts(t *Tally) {
	t.Done += c.Done
	t.RolledBack += c.RolledBack
	t.Retried += c.Retried
	t.Traffic.add(c.Traffic)
	for name, n := range c.Failed {
		t.Failed[classNamed(name)] += n
	}
}

// classNamed returns the class with that name, or Other for a name from a later version of
// Sledge.
func classNamed(name string) Class {
	return Class(max(0, slices.Index(classNames[:], name)))
}

// binaryVersion is the first byte of a CodedSummary in binary. Version 1 had no traffic.
const binaryVersion = 2

// AppendBinary implements encoding.BinaryAppender. It writes the version 2, then the fields in
// order as uvarints. A length precedes each list, text or histogram.
func (c CodedSummary) AppendBinary(b []byte) ([]byte, error) {
	number := func(n int64) { b = binary.AppendUvarint(b, uint64(n)) }
	text := func(s []byte) { number(int64(len(s))); b = append(b, s...) }
	b = append(b, binaryVersion)
	number(int64(c.Elapsed))
	number(int64(len(c.Kinds)))
	for _, t := range c.Kinds {
		number(t.Done)
		number(t.RolledBack)
		number(t.Retried)
		number(int64(len(t.Failed)))
		for _, name := range slices.Sorted(maps.Keys(t.Failed)) {
			text([]byte(name))
			number(t.Failed[name])
		}
		number(t.Traffic.Sent)
		number(t.Traffic.Received)
		number(t.Traffic.RoundTrips)
		text(t.Service)
		text(t.Response)
	}
	return b, nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (c CodedSummary) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It does not retain b.
func (c *CodedSummary) UnmarshalBinary(b []byte) error {
	r := reader{rest: slices.Clone(b)}
	version := r.byte()
	if r.err == nil && (version == 0 || version > binaryVersion) {
		return fmt.Errorf("measurements of version %d need a newer sledge", version)
	}
	*c = CodedSummary{Elapsed: time.Duration(r.uvarint())}
	kinds := r.uvarint()
	for i := uint64(0); i < kinds && r.err == nil; i++ {
		t := CodedTally{Done: int64(r.uvarint()), RolledBack: int64(r.uvarint()), Retried: int64(r.uvarint())}
		for range r.uvarint() {
			if r.err != nil {
				break
			}
			if t.Failed == nil {
				t.Failed = map[string]int64{}
			}
			name := string(r.text())
			t.Failed[name] = int64(r.uvarint())
		}
		if version > 1 {
			t.Traffic = Traffic{Sent: int64(r.uvarint()), Received: int64(r.uvarint()), RoundTrips: int64(r.uvarint())}
		}
		t.Service, t.Response = r.text(), r.text()
		c.Kinds = append(c.Kinds, t)
	}
	if r.err == nil && len(r.rest) > 0 {
		r.err = errCoded
	}
	return r.err
}

// reader reads bytes until their end or the first error.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.err = errCoded
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.rest, r.err = nil, errCoded
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// text reads a length and that many bytes.
func (r *reader) text() []byte {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.rest, r.err = nil, errCoded
		return nil
	}
	t := r.rest[:n:n]
	r.rest = r.rest[n:]
	if n == 0 {
		return nil
	}
	return t
}
