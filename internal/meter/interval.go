package meter

import (
	"bytes"
	"fmt"
	"math/bits"
	"time"
)

// Interval accumulates the measurements of about a second and returns them as a CodedSummary. Its
// cost is proportional to the number of measurements, because it reads and resets only the buckets
// that are not empty.
type Interval struct {
	elapsed time.Duration
	kinds   []intervalTally
	buffer  []byte
}

type intervalTally struct {
	done, rolledBack, retried int64
	failed                    [classes]int64
	traffic                   Traffic
	service, response         buckets
}

// buckets holds the counts of a histogram, and marks those that are not 0.
type buckets struct {
	counts []int64
	held   []uint64 // one bit for each bucket, set if its count is not 0
}

// NewInterval returns an empty interval.
func NewInterval(kinds int) *Interval {
	i := &Interval{kinds: make([]intervalTally, kinds)}
	for k := range i.kinds {
		i.kinds[k].service.reach(fine.bucket(usualHighest))
		i.kinds[k].response.reach(fine.bucket(usualHighest))
	}
	return i
}

// reach makes room for a bucket.
func (b *buckets) reach(bucket int) {
	words := bucket/64 + 1
	b.held = append(b.held, make([]uint64, words-len(b.held))...)
	b.counts = append(b.counts, make([]int64, 64*words-len(b.counts))...)
}

func (b *buckets) add(value, n int64) { b.addTo(fine.bucket(max(value, lowest)), n) }

func (b *buckets) addTo(bucket int, n int64) {
	if bucket >= len(b.counts) {
		b.reach(bucket)
	}
	b.counts[bucket] += n
	b.held[bucket/64] |= 1 << (bucket % 64)
}

// addAll adds all counts of a histogram.
func (b *buckets) addAll(c CodedHistogram) error {
	least := fine.bucket(lowest)
	return c.eachBucket(func(l layout, bucket int, n int64) {
		if l != fine {
			b.add(l.value(bucket), n)
			return
		}
		b.addTo(max(bucket, least), n)
	})
}

// cut appends the encoded histogram to a buffer and resets it.
func (b *buckets) cut(buffer []byte) []byte {
	w := newWriter(buffer, lowest, digits)
	for i, word := range b.held {
		for ; word != 0; word &= word - 1 {
			bucket := 64*i + bits.TrailingZeros64(word)
			w.bucket(bucket, b.counts[bucket])
			b.counts[bucket] = 0
		}
		b.held[i] = 0
	}
	return w.end()
}

// record adds one transaction.
func (i *Interval) record(r *Record) {
	t := &i.kinds[r.Kind]
	t.retried += int64(r.Retries)
	t.traffic.record(r)
	switch r.Outcome {
	case Done:
		t.done++
		t.service.add(int64(r.Service), 1)
		t.response.add(int64(r.Response), 1)
	case RolledBack:
		t.rolledBack++
	case Failed:
		t.failed[r.Class]++
	}
}

// Add adds c, which must have the same number of kinds.
func (i *Interval) Add(c CodedSummary) error {
	if len(c.Kinds) != len(i.kinds) {
		return fmt.Errorf("cannot add %d kinds of transaction to %d", len(c.Kinds), len(i.kinds))
	}
	i.elapsed += c.Elapsed
	for k := range c.Kinds {
		t, other := &i.kinds[k], &c.Kinds[k]
		t.done += other.Done
		t.rolledBack += other.RolledBack
		t.retried += other.Retried
		for name, n := range other.Failed {
			t.failed[classNamed(name)] += n
		}
		t.traffic.add(other.Traffic)
		if other.Done == 0 {
			continue
		}
		if err := t.service.addAll(other.Service); err != nil {
			return err
		}
		if err := t.response.addAll(other.Response); err != nil {
			return err
		}
	}
	return nil
}

// Cut returns the measurements since the last Cut and resets the interval. Elapsed of the result is
// elapsed plus that of the summaries passed to Add.
func (i *Interval) Cut(elapsed time.Duration) CodedSummary {
	c := CodedSummary{Elapsed: i.elapsed + elapsed, Kinds: make([]CodedTally, len(i.kinds))}
	i.elapsed = 0
	for k := range i.kinds {
		t := &i.kinds[k]
		c.Kinds[k] = codeCounts(t.done, t.rolledBack, t.retried, &t.failed, t.traffic)
		if t.done > 0 {
			c.Kinds[k].Service, c.Kinds[k].Response = i.cut(&t.service), i.cut(&t.response)
		}
		t.done, t.rolledBack, t.retried, t.failed, t.traffic = 0, 0, 0, [classes]int64{}, Traffic{}
	}
	return c
}

// Response returns the response times of a kind since the last Cut. It does not reset them.
func (i *Interval) Response(kind int) Distribution { return i.kinds[kind].response.distribution() }

// Service returns the service times of a kind since the last Cut. It does not reset them.
func (i *Interval) Service(kind int) Distribution { return i.kinds[kind].service.distribution() }

func (b *buckets) distribution() Distribution {
	d := Distribution{layout: fine, lowest: lowest, digits: digits}
	held := 0
	for _, word := range b.held {
		held += bits.OnesCount64(word)
	}
	d.bars = make([]bar, 0, held)
	for w, word := range b.held {
		for ; word != 0; word &= word - 1 {
			bucket := 64*w + bits.TrailingZeros64(word)
			value := fine.value(bucket)
			d.bars = append(d.bars, bar{b.counts[bucket], value, fine.top(value)})
			d.total += b.counts[bucket]
		}
	}
	return d
}

func (i *Interval) cut(b *buckets) CodedHistogram {
	i.buffer = b.cut(i.buffer[:0])
	return bytes.Clone(i.buffer)
}
