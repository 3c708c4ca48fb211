package redis

import (
	"context"
	"slices"
	"strconv"
	"unsafe"

	goredis "github.com/redis/go-redis/v9"
)

// queue holds commands until they are sent. Its memory is reused for each transaction.
type queue struct {
	bytes  []byte // the arguments, one after another
	ends   []int  // end of each argument in bytes
	firsts []int  // index of the first argument of each command

	// The driver takes arguments as values of any type. Pointers to texts are created once, so that
	// no argument allocates.
	texts []*string
	boxes []any
	cmds  []goredis.Cmder
}

func (q *queue) reset() { q.bytes, q.ends, q.firsts = q.bytes[:0], q.ends[:0], q.firsts[:0] }

// begin begins a command.
func (q *queue) begin() { q.firsts = append(q.firsts, len(q.ends)) }

// end ends an argument whose bytes have been appended.
func (q *queue) end() { q.ends = append(q.ends, len(q.bytes)) }

// put appends an argument.
func (q *queue) put(text string) { q.bytes = append(q.bytes, text...); q.end() }

// argument returns the argument with index n. It is valid until bytes changes: see lent.
func (q *queue) argument(n int) string {
	first := 0
	if n > 0 {
		first = q.ends[n-1]
	}
	return lent(q.bytes[first:q.ends[n]])
}

// span returns the range of a command's arguments: the index of the first, and that after the last.
func (q *queue) span(command int) (first, last int) {
	last = len(q.ends)
	if command+1 < len(q.firsts) {
		last = q.firsts[command+1]
	}
	return q.firsts[command], last
}

// fill fills boxes with the arguments in the form that the driver takes.
func (q *queue) fill() {
	q.grow(len(q.ends))
	for i := range q.ends {
		*q.texts[i] = q.argument(i)
	}
}

// commands appends the driver's commands to a list.
func (q *queue) commands(list []goredis.Cmder) []goredis.Cmder {
	q.fill()
	for i := range q.firsts {
		first, last := q.span(i)
		list = append(list, goredis.NewCmd(context.Background(), q.boxes[first:last:last]...))
	}
	return list
}

// grow makes room for n arguments.
func (q *queue) grow(n int) {
	if n <= len(q.texts) {
		return
	}
	more := make([]string, n-len(q.texts))
	q.texts, q.boxes = slices.Grow(q.texts, len(more)), slices.Grow(q.boxes, len(more))
	for i := range more {
		q.texts, q.boxes = append(q.texts, &more[i]), append(q.boxes, &more[i])
	}
}

// change applies the queued writes to a value that was read from a hash, so that a transaction sees
// its own writes.
func (q *queue) change(key, field string, value any) any {
	for i := range q.firsts {
		first, last := q.span(i)
		if last-first < 4 || q.argument(first+1) != key {
			continue
		}
		switch q.argument(first) {
		case "HSET":
			for n := first + 2; n+1 < last; n += 2 {
				if q.argument(n) == field {
					value = string(append([]byte(nil), q.argument(n+1)...))
				}
			}
		case "HINCRBY":
			if q.argument(first+2) == field {
				was, _ := value.(string)
				n, _ := strconv.ParseInt(was, 10, 64)
				more, _ := strconv.ParseInt(q.argument(first+3), 10, 64)
				value = strconv.FormatInt(n+more, 10)
			}
		}
	}
	return value
}

// lent returns a string over bytes that are reused. It is valid only until they change.
func lent(buf []byte) string { return unsafe.String(unsafe.SliceData(buf), len(buf)) }
