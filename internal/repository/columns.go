package repository

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// columns are the times and the values of a series, in order of time.
type columns struct {
	at     []int64 // milliseconds since 1970
	values []float64
}

// mostDecimals is how many decimals a value may have to be kept as a whole number.
const mostDecimals = 6

// planes marks values that are kept as the bytes of a float64. Any smaller mark is a number of decimals.
const planes = 0xff

// zstdCoders make and read zstd. They are made when they are first used: most jobs have no series.
var (
	zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
		e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) // fails only by its options
		return e
	})
	zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)) // likewise
		return d
	})
)

// encode returns the columns as bytes: three sections, each a uvarint, how long it is, and zstd.
//
//	times   varints: the first time, and then by how much each step differs from the step before
//	values  a byte, the decimals of the values or planes; then varints, the values as whole numbers of
//	        the last decimal: the first, and then each step; or the first three bytes of planes
//	rest    the other bytes of planes
//
// Planes are the bits of the values that differ from the value before: the first byte of each value,
// then the second of each, and so on. The last bytes are noise that would spoil what is compressed with
// them. No value is rounded, and -0 is 0. Values that were measured to a few decimals take two bytes,
// others six.
func (c columns) encode() []byte {
	var times, values, rest []byte
	last, step := int64(0), int64(0)
	for _, at := range c.at {
		times = binary.AppendVarint(times, at-last-step)
		last, step = at, at-last
	}
	if decimals, whole := c.whole(); whole != nil {
		values = append(values, decimals)
		last := int64(0)
		for _, v := range whole {
			values = binary.AppendVarint(values, v-last)
			last = v
		}
	} else {
		all := make([]byte, 8*len(c.values))
		last := uint64(0)
		for i, v := range c.values {
			bits := math.Float64bits(v)
			for plane := range 8 {
				all[plane*len(c.values)+i] = byte((bits ^ last) >> (56 - 8*plane))
			}
			last = bits
		}
		values, rest = append([]byte{planes}, all[:3*len(c.values)]...), all[3*len(c.values):]
	}
	var b []byte
	for _, section := range [][]byte{times, values, rest} {
		packed := zstdEncoder().EncodeAll(section, nil)
		b = append(binary.AppendUvarint(b, uint64(len(packed))), packed...)
	}
	return b
}

// whole returns the values as whole numbers of their last decimal, or nil if one of them is none.
func (c columns) whole() (decimals byte, whole []int64) {
	const exact = 1 << 53 // whole numbers below are float64s
	whole = make([]int64, len(c.values))
	for scale := 1.0; decimals <= mostDecimals; decimals, scale = decimals+1, scale*10 {
		fits := true
		for i, v := range c.values {
			n := math.Round(v * scale)
			if fits = math.Abs(n) < exact && n/scale == v; !fits {
				break
			}
			whole[i] = int64(n)
		}
		if fits {
			return decimals, whole
		}
	}
	return 0, nil
}

var errColumns = errors.New("these bytes are no samples of a series")

// decode appends what encode made. After an error c holds a part of it.
func (c *columns) decode(coded []byte) error {
	var sections [3][]byte
	for i := range sections {
		length, n := binary.Uvarint(coded)
		if n <= 0 || length > uint64(len(coded)-n) {
			return errColumns
		}
		packed := coded[n : n+int(length)]
		var err error
		if sections[i], err = zstdDecoder().DecodeAll(packed, nil); err != nil {
			return errColumns
		}
		coded = coded[n+int(length):]
	}
	times, values, rest := sections[0], sections[1], sections[2]
	count, last, step := 0, int64(0), int64(0)
	for ; len(times) > 0; count++ {
		differs, n := binary.Varint(times)
		if n <= 0 {
			return errColumns
		}
		times = times[n:]
		step += differs
		last += step
		c.at = append(c.at, last)
	}
	if len(coded) > 0 || len(values) == 0 {
		return errColumns
	}
	mark := values[0]
	if values = values[1:]; mark == planes {
		return c.addPlanes(append(values, rest...), count)
	}
	whole, scale := int64(0), math.Pow10(int(mark))
	for range count {
		differs, n := binary.Varint(values)
		if n <= 0 {
			return errColumns
		}
		values = values[n:]
		whole += differs
		c.values = append(c.values, float64(whole)/scale)
	}
	if len(values)+len(rest) > 0 || mark > mostDecimals {
		return errColumns
	}
	return nil
}

func (c *columns) addPlanes(b []byte, count int) error {
	if len(b) != 8*count {
		return errColumns
	}
	last := uint64(0)
	for i := range count {
		var differs uint64
		for plane := range 8 {
			differs = differs<<8 | uint64(b[plane*count+i])
		}
		last ^= differs
		c.values = append(c.values, math.Float64frombits(last))
	}
	return nil
}

// downsample returns the places of at most so many samples: of each stretch of time those of the
// least and the greatest value, so that none that stands out is missing.
func (c columns) downsample(most int) (places []int) {
	count := len(c.at)
	stretches := int64(max(1, most/2))
	from, length := int64(0), int64(1)
	if count > 0 {
		from, length = c.at[0], max(1, c.at[count-1]-c.at[0]+1)
	}
	whole := most <= 0 || count <= most
	for i := 0; i < count; {
		if whole {
			places = append(places, i)
			i++
			continue
		}
		stretch := (c.at[i] - from) * stretches / length
		least, greatest := i, i
		for ; i < count && (c.at[i]-from)*stretches/length == stretch; i++ {
			if c.values[i] < c.values[least] {
				least = i
			}
			if c.values[i] > c.values[greatest] {
				greatest = i
			}
		}
		places = append(places, min(least, greatest))
		if least != greatest {
			places = append(places, max(least, greatest))
		}
	}
	return places
}
