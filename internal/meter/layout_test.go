package meter

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func TestLayout_EqualsHdrHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ lowest, digits int64 }{{lowest, digits}, {profileLowest, profileDigits}, {1, 1}, {1023, 2}, {1 << 20, 3}} {
		l, err := layoutOf(c.lowest, c.digits)
		if err != nil {
			t.Fatal(err)
		}
		h := hdrhistogram.New(c.lowest, math.MaxInt64, int(c.digits))
		values := []int64{0, 1, 2047, 2048, 2049, 4095, 4096, int64(time.Hour), math.MaxInt64 - 1, math.MaxInt64}
		for range 300 {
			values = append(values, random.Int64()>>random.IntN(63))
		}
		for _, v := range values {
			h.Reset()
			if err := h.RecordValue(v); err != nil {
				t.Fatal(err)
			}
			counts := h.Export().Counts
			bucket := l.bucket(v)
			if bucket >= len(counts) || counts[bucket] != 1 {
				t.Fatalf("from %d with %d digits: %d is not in bucket %d", c.lowest, c.digits, v, bucket)
			}
			low, top := l.value(bucket), l.top(v)
			if low > v || top < v || l.bucket(low) != bucket || l.bucket(top) != bucket {
				t.Fatalf("from %d with %d digits: bucket %d, which contains %d, is from %d to %d", c.lowest, c.digits, bucket, v, low, top)
			}
		}
		if got, want := l.last(), len(h.Export().Counts)-1; got != want {
			t.Errorf("from %d with %d digits: the last bucket is %d, want %d", c.lowest, c.digits, got, want)
		}
	}
	if l, err := layoutOf(lowest, digits); err != nil || l != fine {
		t.Errorf("got layout %+v, %v; want %+v", l, err, fine)
	}
}
