package repository

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// columns holds the times and the values of a series, in order of time.
type columns struct {
	at     []int64 // milliseconds since 1970
	values []float64
}

// mostDecimals is the maximum number of decimals of a value that is stored as a whole number.
const mostDecimals = 6

// planes marks values that are stored as the bytes of float64. Smaller marks are numbers of
// decimals.
const planes = 0xff

// The zstd coders are created with the package, in 0.2 ms. Coders that are created at their first use
// belong to the synctest bubble of the test that uses them, and other tests cannot use them.
var (
	zstdEncoder = newZstdEncoder()
	zstdDecoder = newZstdDecoder()
)

func newZstdEncoder() *zstd.Encoder {
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) // cannot fail with valid options
	e.EncodeAll(nil, nil)                                       // creates what it uses
	return e
}

func newZstdDecoder() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)) // cannot fail with valid options
	return d
}

// encode returns the columns as bytes: three sections, each of which is its length as a uvarint,
// followed by zstd data.
//
//	times   varints: the first time, and then by how much each step differs from the step before
//	values  a byte, the decimals of the values or planes; then varints, the values as whole numbers of
//	        the last decimal: the first, and then each step; or the first three bytes of planes
//	rest    the other bytes of planes
//
// Planes are the XOR of each value with the one before: the first byte of each value, then the
// second byte of each, and so on. The last bytes are noise, which would spoil the compression of
// the others. No value is rounded, but -0 may become 0. Values measured to a few decimals take two
// bytes, others six.
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
		packed := zstdEncoder.EncodeAll(section, nil)
		b = append(binary.AppendUvarint(b, uint64(len(packed))), packed...)
	}
	return b
}

// whole returns the values as whole numbers in units of their last decimal, or nil if a value has
// too many decimals.
func (c columns) whole() (decimals byte, whole []int64) {
	const exact = 1 << 53 // float64 represents all whole numbers below
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

var errColumns = errors.New("these bytes do not encode samples")

// decode appends encoded samples. After an error c holds some of them.
func (c *columns) decode(coded []byte) error {
	var sections [3][]byte
	for i := range sections {
		length, n := binary.Uvarint(coded)
		if n <= 0 || length > uint64(len(coded)-n) {
			return errColumns
		}
		packed := coded[n : n+int(length)]
		var err error
		if sections[i], err = zstdDecoder.DecodeAll(packed, nil); err != nil {
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

// downsample returns at most the given number of samples, which is at least 2. From each stretch of
// time it keeps the samples with the least and the greatest value, so that no extreme is missing. 0
// returns all samples.
func (c columns) downsample(most int) (few columns) {
	if most <= 0 || len(c.at) <= most {
		return c
	}
	stretches := int64(max(1, most/2))
	from := c.at[0]
	length := c.at[len(c.at)-1] - from + 1
	stretch := func(i int) int64 { return (c.at[i] - from) * stretches / length }
	for i := 0; i < len(c.at); {
		first, least, greatest := i, i, i
		for ; i < len(c.at) && stretch(i) == stretch(first); i++ {
			if c.values[i] < c.values[least] {
				least = i
			}
			if c.values[i] > c.values[greatest] {
				greatest = i
			}
		}
		for _, kept := range slices.Compact([]int{min(least, greatest), max(least, greatest)}) {
			few.at, few.values = append(few.at, c.at[kept]), append(few.values, c.values[kept])
		}
	}
	return few
}
