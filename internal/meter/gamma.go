package meter

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Numbers from 1 are written in Elias's gamma code: a 0 bit for each binary digit after the
// first, then the number. Bits fill a byte from its highest on; unused bits in the last byte
// are 0 ("Universal codeword sets and representations of the integers", 1975). A 1, the most
// common number in the dense part of a histogram, takes one bit.

// longestGamma is the maximum number of binary digits, more than any count needs.
const longestGamma = 48

// gammaWriter appends numbers to bytes.
type gammaWriter struct {
	bytes   []byte
	pending uint64 // bits not yet appended
	n       int    // number of pending bits: below 32
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

// append appends up to 32 bits.
func (w *gammaWriter) append(value uint64, digits int) {
	w.pending = w.pending<<digits | value
	w.n += digits
	if w.n >= 32 {
		w.n -= 32
		w.bytes = binary.BigEndian.AppendUint32(w.bytes, uint32(w.pending>>w.n))
	}
}

// end returns the bytes, with the last one padded.
func (w *gammaWriter) end() []byte {
	for ; w.n > 0; w.n -= 8 {
		w.bytes = append(w.bytes, byte(w.pending<<(32-w.n)>>24))
	}
	return w.bytes
}

// gammaReader reads numbers from bytes.
type gammaReader struct {
	bytes   []byte
	next    int    // the next byte to read
	pending uint64 // bits already read, the next one highest; the other bits are 0
	n       int    // number of bits
	wrong   bool   // the bytes are not valid gamma codes
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

// fill reads bytes until it holds more than 56 bits or reaches the end.
func (r *gammaReader) fill() {
	if r.n > 56 {
		return
	}
	if r.next+8 <= len(r.bytes) { // read several bytes in one step
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

// number returns the next number, or 0 at the end.
func (r *gammaReader) number() uint64 {
	zeros := bits.LeadingZeros64(r.pending)
	if 2*zeros >= r.n { // truncated
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
