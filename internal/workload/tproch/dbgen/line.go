package dbgen

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"time"
)

// line has room for one row as text: more than the longest row, and a slot that is copied at its
// end.
type line [512]byte

// Each of the following functions writes a value at place n of a line, and the delimiter after it.
// It returns the place after both.

// putInt writes a number that is not negative.
func putInt(b *line, n int, v int64, delimiter byte) int {
	n = putNumber(b, n, uint64(v))
	b[n] = delimiter
	return n + 1
}

// putMoney writes a number of hundredths with at most eight digits.
func putMoney(b *line, n int, hundredths int64, delimiter byte) int {
	if hundredths < 0 {
		b[n] = '-'
		n++
		hundredths = -hundredths
	}
	x := eightDigits(uint64(hundredths))
	leading := bits.TrailingZeros64(x|1<<40) &^ 7 // at least three digits: the sixth is before the point
	binary.LittleEndian.PutUint64(b[n:], (x|zeros)>>(leading&63))
	n += 6 - leading/8
	b[n] = '.'
	binary.LittleEndian.PutUint16(b[n+1:], uint16((x|zeros)>>48))
	b[n+3] = delimiter
	return n + 4
}

// putWord writes a word.
func putWord(b *line, n int, w *word, delimiter byte) int {
	*(*[32]byte)(b[n:]) = w.text
	n += w.size
	b[n] = delimiter
	return n + 1
}

// putBytes writes a text of any size.
func putBytes(b *line, n int, text []byte, delimiter byte) int {
	n += copy(b[n:], text)
	b[n] = delimiter
	return n + 1
}

// putNumbered writes a prefix and a number with nine digits, including zeros, or with all its
// digits if it has more.
func putNumbered(b *line, n int, prefix string, number int64, delimiter byte) int {
	n += copy(b[n:], prefix)
	n = putNumber(b, n, uint64(number/1e8))
	putEight(b, n, uint64(number%1e8))
	b[n+8] = delimiter
	return n + 9
}

// end ends a line whose last value has its delimiter, and returns the length of the line.
func (f Format) end(b *line, n int) int {
	if f == Tbl {
		b[n] = '\n'
		return n + 1
	}
	b[n-1] = '\n'
	return n
}

// zeros are eight characters '0'.
const zeros = 0x3030303030303030

// putNumber writes a number without a delimiter.
func putNumber(b *line, n int, v uint64) int {
	if v >= 1e8 {
		n = putNumber(b, n, v/1e8)
		putEight(b, n, v%1e8)
		return n + 8
	}
	x := eightDigits(v)
	leading := bits.TrailingZeros64(x|1<<56) &^ 7 // zeros, but not the last digit
	binary.LittleEndian.PutUint64(b[n:], (x|zeros)>>(leading&63))
	return n + 8 - leading/8
}

// putEight writes a number below 1e8 with all its zeros.
func putEight(b *line, n int, v uint64) {
	binary.LittleEndian.PutUint64(b[n:], eightDigits(v)|zeros)
}

// eightDigits returns the digits of a number below 1e8, the first one in the lowest byte. It
// divides two numbers of four digits by a hundred at once, and then four numbers of two digits by
// ten, by multiplications whose error is too small to matter.
func eightDigits(v uint64) uint64 {
	x := v/1e4 | v%1e4<<32
	hundreds := (x * 10486 >> 20) & (0x7f<<32 | 0x7f)
	x = hundreds | (x-100*hundreds)<<16
	tens := (x * 103 >> 10) & 0x000f_000f_000f_000f
	return tens | (x-10*tens)<<8
}

// The days of the population (TPC-H 4.2.2.12), counted from the first.
const (
	days       = 2557 // from 1992-01-01 to 1998-12-31
	currentDay = 1263 // 1995-06-17, CURRENTDATE
)

// firstDay is 1992-01-01, in days since 1970-01-01.
const firstDay = 8035

// calendar is the days as text, with room for a delimiter.
type calendar [days][16]byte

// sharedCalendar makes the calendar at the first use, so that the start of the program does not
// wait for it.
var sharedCalendar = sync.OnceValue(func() *calendar {
	var c calendar
	day := time.Unix(firstDay*24*60*60, 0).UTC()
	for i := range c {
		day.AppendFormat(c[i][:0], time.DateOnly)
		day = day.AddDate(0, 0, 1)
	}
	return &c
})

// put writes a date, given its day.
func (c *calendar) put(b *line, n int, day uint16, delimiter byte) int {
	*(*[16]byte)(b[n:]) = c[day]
	b[n+10] = delimiter
	return n + 11
}
