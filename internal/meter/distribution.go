package meter

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// Distribution is a read-only decoded CodedHistogram: its non-empty buckets, in order. It returns
// the same figures as an HdrHistogram. Its cost is proportional to its content, which for a second
// of a run is a few hundred of an HdrHistogram's 33,000 buckets.
type Distribution struct {
	layout         layout
	lowest, digits int64
	bars           []bar
	total          int64
}

// bar is a bucket that is not empty.
type bar struct {
	count       int64
	least, most int64 // latencies in the bucket
}

// middle is the latency that represents the bucket.
func (b bar) middle() float64 { return float64(b.least + (b.most-b.least+1)>>1) }

// Distribution decodes the histogram.
func (c CodedHistogram) Distribution() (Distribution, error) {
	d := Distribution{layout: fine, lowest: lowest, digits: digits}
	switch {
	case len(c) == 0:
		return d, nil
	case c[0] == compressedV2:
		h, err := decodeV2(c)
		if err != nil {
			return d, err
		}
		d.lowest, d.digits = h.LowestTrackableValue(), h.SignificantFigures()
	default:
		d.lowest, d.digits, _ = c.open() // c.each below returns the error
	}
	var err error
	if d.layout, err = layoutOf(d.lowest, d.digits); err != nil {
		return d, errors.Join(errCoded, err)
	}
	d.bars = make([]bar, 0, len(c)) // most buckets take a byte or more
	err = c.each(func(value, n int64) {
		d.bars = append(d.bars, bar{n, value, d.layout.top(value)})
		d.total += n
	})
	return d, err
}

// Together merges several histograms, for example those of all kinds of transaction in a
// second. Its cost is proportional to their content.
func Together(list ...CodedHistogram) (Distribution, error) {
	if all, alike, err := together(list); alike {
		return all, err
	}
	var all Distribution
	for _, c := range list {
		d, err := c.Distribution()
		if err != nil {
			return d, err
		}
		switch {
		case d.total == 0:
		case all.total == 0:
			all = d
		default:
			all.bars = merged(all.bars, d.bars)
			all.total += d.total
		}
	}
	return all, nil
}

// together merges histograms of equal precision, such as those of one run; it returns false for
// others. It reads them in parallel, bucket by bucket.
func together(list []CodedHistogram) (all Distribution, alike bool, err error) {
	streams := make([]bucketStream, 0, len(list))
	for _, c := range list {
		if len(c) == 0 {
			continue
		}
		lowest, digits, r := c.open()
		if r.err != nil || len(streams) > 0 && (lowest != all.lowest || digits != all.digits) {
			return all, false, nil
		}
		all.lowest, all.digits = lowest, digits
		streams = append(streams, bucketStream{numbers: gammaReader{bytes: r.rest}, bucket: -1})
	}
	if len(streams) == 0 {
		return all, false, nil
	}
	if all.layout, err = layoutOf(all.lowest, all.digits); err != nil {
		return all, true, errors.Join(errCoded, err)
	}
	last := all.layout.last()
	longest := 0
	for i := range streams {
		longest = max(longest, len(streams[i].numbers.bytes))
		streams[i].next()
	}
	all.bars = make([]bar, 0, 3*longest) // usually the final size
	for {
		bucket := last + 1
		for i := range streams {
			bucket = min(bucket, streams[i].bucket)
		}
		if bucket > last {
			break
		}
		var n int64
		for i := range streams {
			if s := &streams[i]; s.bucket == bucket {
				n += s.n
				s.next()
			}
		}
		most := int64(math.MaxInt64)
		if bucket < last {
			most = all.layout.value(bucket+1) - 1
		}
		all.bars = append(all.bars, bar{n, all.layout.value(bucket), most})
		all.total += n
	}
	for i := range streams {
		if s := &streams[i]; s.numbers.wrong || !s.ended {
			return all, true, errCoded
		}
	}
	return all, true, nil
}

// bucketStream reads the buckets of a CodedHistogram.
type bucketStream struct {
	numbers gammaReader
	bucket  int   // number of the last bucket read; math.MaxInt at the end
	n       int64 // the count of the bucket
	ended   bool
}

func (s *bucketStream) next() {
	if !s.numbers.more() {
		s.bucket, s.ended = math.MaxInt, true
		return
	}
	s.bucket += int(s.numbers.number())
	s.n = int64(s.numbers.number())
	if s.numbers.wrong {
		s.bucket = math.MaxInt
	}
}

// merged merges the bars of two distributions, both in ascending order.
func merged(a, b []bar) []bar {
	both := make([]bar, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].most < b[0].most:
			both, a = append(both, a[0]), a[1:]
		case a[0].most > b[0].most:
			both, b = append(both, b[0]), b[1:]
		default: // the same bucket, unless their precisions differ
			both = append(both, bar{a[0].count + b[0].count, min(a[0].least, b[0].least), a[0].most})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(both, a...), b...)
}

// Min returns the least latency, or 0 for an empty distribution.
func (d Distribution) Min() int64 {
	if len(d.bars) == 0 {
		return 0
	}
	return d.bars[0].least
}

// Max returns the greatest latency, or 0 for an empty distribution.
func (d Distribution) Max() int64 {
	if len(d.bars) == 0 {
		return 0
	}
	return d.bars[len(d.bars)-1].most
}

// Mean returns the mean, or 0 if there are no latencies.
func (d Distribution) Mean() float64 {
	var mean float64
	for _, b := range d.bars {
		mean += float64(b.count) * b.middle() / float64(d.total)
	}
	return mean
}

// StdDev returns the standard deviation, or 0 if there are no latencies.
func (d Distribution) StdDev() float64 {
	var variance float64
	mean := d.Mean()
	for _, b := range d.bars {
		off := b.middle() - mean
		variance += off * off * float64(b.count) / float64(d.total)
	}
	return math.Sqrt(variance)
}

// ValueAtQuantile returns the latency that the given percentage of the latencies do not exceed.
// percent must be above 0. It returns 0 if there are no latencies.
func (d Distribution) ValueAtQuantile(percent float64) int64 {
	rank := max(1, int64(percent/100*float64(d.total)+0.5))
	var below int64
	for _, b := range d.bars {
		if below += b.count; below >= rank {
			return b.most
		}
	}
	return d.Max()
}

// V2 returns the distribution in HdrHistogram's compressed V2 encoding. The bytes are the same as
// the library's; encoding takes a fraction of the time.
func (d Distribution) V2() ([]byte, error) {
	highest := usualHighest
	for top := d.Max(); highest < top; {
		highest = wider(highest)
	}
	var counts []byte
	next := 0
	for _, b := range d.bars {
		bucket := d.layout.bucket(b.least)
		switch zeros := bucket - next; zeros {
		case 0:
		case 1:
			counts = append(counts, 0)
		default:
			counts = binary.AppendVarint(counts, -int64(zeros)) // zigzag, as V2 requires
		}
		counts = binary.AppendVarint(counts, b.count)
		next = bucket + 1
	}
	if len(d.bars) == 0 {
		counts = append(counts, 0)
	}
	const cookie, compressedCookie = 0x1c849313, 0x1c849314
	plain := binary.BigEndian.AppendUint32(nil, cookie)
	plain = binary.BigEndian.AppendUint32(plain, uint32(len(counts)))
	plain = binary.BigEndian.AppendUint32(plain, 0) // normalizing index offset
	plain = binary.BigEndian.AppendUint32(plain, uint32(d.digits))
	plain = binary.BigEndian.AppendUint64(plain, uint64(d.lowest))
	plain = binary.BigEndian.AppendUint64(plain, uint64(highest))
	plain = binary.BigEndian.AppendUint64(plain, math.Float64bits(1)) // integer to double conversion ratio
	plain = append(plain, counts...)

	out := bytes.NewBuffer(make([]byte, 8))
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(out)
	if _, err := w.Write(plain); err != nil {
		return nil, fmt.Errorf("encode a histogram: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode a histogram: %w", err)
	}
	binary.BigEndian.PutUint32(out.Bytes(), compressedCookie)
	binary.BigEndian.PutUint32(out.Bytes()[4:], uint32(out.Len()-8))
	return out.Bytes(), nil
}

// deflaters is a pool, because creating a writer costs more than using it once.
var deflaters = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, zlib.BestCompression) // a valid level
	return w
}}

// Each calls do with the middle of each bucket, in nanoseconds, and its count, in ascending order.
func (d Distribution) Each(do func(middle float64, n int64)) {
	for _, b := range d.bars {
		do(b.middle(), b.count)
	}
}
