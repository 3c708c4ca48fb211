package cli

import (
	"encoding/binary"
	"math"
	"time"
)

// Kind is the form of a value in a buffer: one of the library's C types.
type Kind int

// The kinds, by their numbers.
const (
	Text      Kind = 1   // SQL_C_CHAR, zero-terminated
	Float     Kind = 8   // SQL_C_DOUBLE
	Int       Kind = -25 // SQL_C_SBIGINT
	Bytes     Kind = -2  // SQL_C_BINARY
	Timestamp Kind = 93  // SQL_C_TYPE_TIMESTAMP
)

// Type is a type of the server.
type Type struct {
	Number, Size, Scale int
}

// The numbers of types.
const (
	TypeChar           = 1
	TypeDecimal        = 3
	TypeInteger        = 4
	TypeSmallInt       = 5
	TypeReal           = 7
	TypeDouble         = 8
	TypeVarchar        = 12
	TypeDate           = 91
	TypeTime           = 92
	TypeTimestamp      = 93
	TypeLongVarchar    = -1
	TypeBinary         = -2
	TypeVarbinary      = -3
	TypeLongVarbinary  = -4
	TypeBigInt         = -5
	TypeBLOB           = -98
	TypeCLOB           = -99
	timestampWidth     = 16
	timestampDigits    = 26 // length of 2006-01-02-15.04.05.999999
	timestampPrecision = 6
)

// LongestVarchar is the approximate maximum length of a VARCHAR on every server, in bytes.
const LongestVarchar = 32_000

// Of returns a server type for values of a kind, for parameters whose own type is unknown.
func Of(kind Kind, width int) Type {
	switch kind {
	case Int:
		return Type{TypeBigInt, 19, 0}
	case Float:
		return Type{TypeDouble, 53, 0}
	case Timestamp:
		return Type{TypeTimestamp, timestampDigits, timestampPrecision}
	case Bytes:
		if width > LongestVarchar {
			return Type{TypeBLOB, width, 0}
		}
		return Type{TypeVarbinary, width, 0}
	default:
		if width > LongestVarchar+1 {
			return Type{TypeCLOB, width, 0}
		}
		return Type{TypeVarchar, max(1, width-1), 0}
	}
}

// Width returns the maximum length in bytes of a column's values in this kind.
func (k Kind) Width(t Type) int {
	switch {
	case k == Bytes:
		return t.Size
	case k != Text:
		return 0
	}
	switch t.Number {
	case TypeChar, TypeVarchar, TypeLongVarchar, TypeCLOB:
		return t.Size * bytesPerCharacter
	case TypeBinary, TypeVarbinary, TypeLongVarbinary, TypeBLOB:
		return t.Size * 2 // as hexadecimal digits
	default:
		return max(longestNumber, t.Size+3)
	}
}

// bytesPerCharacter is the maximum length of a character in UTF-8, and longestNumber that of a
// number, a date or a time as text.
const bytesPerCharacter, longestNumber = 4, 48

// Buffer is memory for the values of a parameter, one for each row, or for the value of a column.
type Buffer struct {
	kind    Kind
	width   int // bytes of a row
	data    []byte
	lengths []int32 // length of each value, or nullData
}

// NewBuffer returns a buffer for the given number of rows. width is the maximum length of a text or
// bytes.
func NewBuffer(kind Kind, width, rows int) *Buffer {
	switch kind {
	case Int, Float:
		width = 8
	case Timestamp:
		width = timestampWidth
	case Text:
		width++ // for the zero
	default:
		width = max(1, width)
	}
	return &Buffer{kind: kind, width: width, data: make([]byte, width*rows), lengths: make([]int32, rows)}
}

// Kind returns the kind of the values.
func (b *Buffer) Kind() Kind { return b.kind }

// Width returns the number of bytes for a value, including the terminating zero of a text.
func (b *Buffer) Width() int { return b.width }

// Fits reports whether a text or bytes of that length fit.
func (b *Buffer) Fits(length int) bool {
	if b.kind == Text {
		length++
	}
	return length <= b.width
}

func (b *Buffer) cell(row int) []byte { return b.data[row*b.width : (row+1)*b.width] }

// SetNull makes a value NULL.
func (b *Buffer) SetNull(row int) { b.lengths[row] = nullData }

// SetInt sets a value.
func (b *Buffer) SetInt(row int, v int64) {
	binary.NativeEndian.PutUint64(b.cell(row), uint64(v))
	b.lengths[row] = 8
}

// SetFloat sets a value.
func (b *Buffer) SetFloat(row int, v float64) {
	binary.NativeEndian.PutUint64(b.cell(row), math.Float64bits(v))
	b.lengths[row] = 8
}

// SetText sets a text. It must fit.
func (b *Buffer) SetText(row int, v string) {
	cell := b.cell(row)
	cell[copy(cell, v)] = 0
	b.lengths[row] = int32(len(v))
}

// SetBytes sets bytes or a text. They must fit.
func (b *Buffer) SetBytes(row int, v []byte) {
	cell := b.cell(row)
	if n := copy(cell, v); b.kind == Text {
		cell[n] = 0
	}
	b.lengths[row] = int32(len(v))
}

// SetTime sets a time, to the microsecond, in UTC.
func (b *Buffer) SetTime(row int, v time.Time) {
	v = v.UTC()
	cell := b.cell(row)
	order := binary.NativeEndian
	year, month, day := v.Date()
	hour, minute, second := v.Clock()
	for i, n := range [...]int{year, int(month), day, hour, minute, second} {
		order.PutUint16(cell[2*i:], uint16(n))
	}
	order.PutUint32(cell[12:], uint32(v.Nanosecond()/1000*1000))
	b.lengths[row] = timestampWidth
}

// Null reports whether a value is NULL.
func (b *Buffer) Null(row int) bool { return b.lengths[row] == nullData }

// Int returns a value.
func (b *Buffer) Int(row int) int64 { return int64(binary.NativeEndian.Uint64(b.cell(row))) }

// Float returns a value.
func (b *Buffer) Float(row int) float64 {
	return math.Float64frombits(binary.NativeEndian.Uint64(b.cell(row)))
}

// Bytes returns the bytes of a text or of bytes. They are valid until the next call.
func (b *Buffer) Bytes(row int) []byte {
	longest := b.width
	if b.kind == Text {
		longest--
	}
	return b.cell(row)[:max(0, min(int(b.lengths[row]), longest))]
}

// Time returns a value, in UTC.
func (b *Buffer) Time(row int) time.Time {
	cell := b.cell(row)
	order := binary.NativeEndian
	var n [6]int
	for i := range n {
		n[i] = int(order.Uint16(cell[2*i:]))
	}
	return time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], int(order.Uint32(cell[12:])), time.UTC)
}
