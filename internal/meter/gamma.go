package meter

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Numbers from 1 are written in Elias's gamma code: as many bits 0 as the number has
// binary digits after its first, and then the number. The bits of a byte are filled from
// its highest on, and those that are left in the last byte are 0 ("Universal codeword sets
// and representations of the integers", 1975). A 1 takes one bit, which is what most
// numbers of a histogram are where a bucket and its neighbours hold something.

// longestGamma is how many binary digits a number has at most: more than any count needs.
const longestGamma = 48

// gammaWriter appends numbers to bytes.
type gammaWriter struct {
	bytes   []byte
	pending uint64 // the last bits, that were not appended yet
	n       int    // how many they are: below 32
}

func (w *gammaWriter) put(number uint64) {
	digits := bits.Len64(number)
	if digits <= 16 {
		w.append(number, 2*digits-1)
		return
	}
	for zeros := digits - 1; zeros > 0; zeros -= 16 {
		w.append(0, min(zeros, 16))
	}
	if digits > 32 {
		w.append(number>>32, digits-32)
		number, digits = number&math.MaxUint32, 32
	}
	w.append(number, digits)
}

// append appends no more than 32 bits.
func (w *gammaWriter) append(value uint64, digits int) {
	w.pending = w.pending<<digits | value
	w.n += digits
	if w.n >= 32 {
		w.n -= 32
		w.bytes = binary.BigEndian.AppendUint32(w.bytes, uint32(w.pending>>w.n))
	}
}

// end returns the bytes, the last of them filled up.
func (w *gammaWriter) end() []byte {
	for ; w.n > 0; w.n -= 8 {
		w.bytes = append(w.bytes, byte(w.pending<<(32-w.n)>>24))
	}
	return w.bytes
}

// gammaReader reads the numbers from bytes.
type gammaReader struct {
	bytes   []byte
	next    int    // the first of them that was not taken yet
	pending uint64 // bits that were taken, the next of them highest; the others are 0
	n       int    // how many they are
	wrong   bool   // the bytes were not written by a gammaWriter
}

// more reports whether another number follows.
func (r *gammaReader) more() bool {
	r.fill()
	if r.pending == 0 && r.next == len(r.bytes) {
		r.wrong = r.wrong || r.n >= 8
		return false
	}
	return !r.wrong
}

// fill takes bytes until there are more than 56 bits, or no bytes.
func (r *gammaReader) fill() {
	if r.n > 56 {
		return
	}
	if r.next+8 <= len(r.bytes) { // as below, all at once
		whole := (64 - r.n) / 8
		r.pending |= binary.BigEndian.Uint64(r.bytes[r.next:]) >> r.n
		r.n += 8 * whole
		r.pending &= math.MaxUint64 << (64 - r.n)
		r.next += whole
		return
	}
	for ; r.n <= 56 && r.next < len(r.bytes); r.next++ {
		r.pending |= uint64(r.bytes[r.next]) << (56 - r.n)
		r.n += 8
	}
}

// number returns the next number, or 0 where there is none.
func (r *gammaReader) number() uint64 {
	zeros := bits.LeadingZeros64(r.pending)
	if 2*zeros >= r.n { // not all of it is there
		r.fill()
		if zeros = bits.LeadingZeros64(r.pending); zeros >= min(r.n, longestGamma) {
			r.wrong = true
			return 0
		}
	}
	r.skip(zeros)
	if zeros >= r.n {
		r.fill()
		if zeros >= r.n {
			r.wrong = true
			return 0
		}
	}
	number := r.pending >> (63 - zeros)
	r.skip(zeros + 1)
	return number
}

func (r *gammaReader) skip(digits int) {
	r.pending <<= digits
	r.n -= digits
}
