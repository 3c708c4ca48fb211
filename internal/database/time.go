package database

import (
	"fmt"
	"time"
)

// TimeFormat is the text form of a time in databases: UTC, to the microsecond.
const TimeFormat = "2006-01-02 15:04:05.999999"

// AppendTime appends a time in TimeFormat.
func AppendTime(buf []byte, t time.Time) []byte { return t.UTC().AppendFormat(buf, TimeFormat) }

// ParseTime parses a time as databases write it: 2006-01-02 15:04:05.999999. A T may separate day
// and time, the time may be missing, and an offset such as +05:30 or Z may follow; without one it
// is UTC. Unlike time.Parse, it allocates nothing for a text in bytes.
func ParseTime[T string | []byte](text T) (time.Time, error) {
	r := timeReader[T]{rest: text}
	year, month, day := r.number(4), r.after('-'), r.after('-')
	var hour, minute, second, nanos, offset int
	if len(r.rest) > 0 && !r.wrong {
		if r.rest[0] != ' ' && r.rest[0] != 'T' {
			r.wrong = true
		}
		r.rest = r.rest[1:]
		hour, minute, second = r.number(2), r.after(':'), r.after(':')
		nanos, offset = r.fraction(), r.offset()
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if r.wrong || len(r.rest) > 0 || t.Month() != time.Month(month) || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, fmt.Errorf("%q is not a time", string(text))
	}
	return t.Add(-time.Duration(offset) * time.Second), nil
}

// timeReader parses the parts of a time from the front of a text.
type timeReader[T string | []byte] struct {
	rest  T
	wrong bool
}

// number parses a number of exactly that many digits.
func (r *timeReader[T]) number(digits int) (n int) {
	if len(r.rest) < digits {
		r.wrong = true
		return 0
	}
	for i := range digits {
		c := r.rest[i]
		if c < '0' || c > '9' {
			r.wrong = true
			return 0
		}
		n = n*10 + int(c-'0')
	}
	r.rest = r.rest[digits:]
	return n
}

// after parses two digits after a separator.
func (r *timeReader[T]) after(sign byte) int {
	if r.wrong || len(r.rest) == 0 || r.rest[0] != sign {
		r.wrong = true
		return 0
	}
	r.rest = r.rest[1:]
	return r.number(2)
}

// fraction parses the nanoseconds of a second, if there are any.
func (r *timeReader[T]) fraction() int {
	if r.wrong || len(r.rest) == 0 || r.rest[0] != '.' {
		return 0
	}
	nanos, unit := 0, int(time.Second)
	digits := 0
	for r.rest = r.rest[1:]; len(r.rest) > 0 && r.rest[0] >= '0' && r.rest[0] <= '9'; r.rest = r.rest[1:] {
		unit /= 10
		nanos += unit * int(r.rest[0]-'0')
		digits++
	}
	r.wrong = digits == 0
	return nanos
}

// offset parses the seconds that a time is ahead of UTC, if the text has an offset.
func (r *timeReader[T]) offset() int {
	if r.wrong || len(r.rest) == 0 {
		return 0
	}
	sign := r.rest[0]
	switch r.rest = r.rest[1:]; sign {
	case 'Z':
		return 0
	case '+', '-':
	default:
		r.wrong = true
		return 0
	}
	seconds := r.number(2) * 3600
	for _, unit := range []int{60, 1} {
		if len(r.rest) > 0 {
			seconds += r.after(':') * unit
		}
	}
	if sign == '-' {
		return -seconds
	}
	return seconds
}
