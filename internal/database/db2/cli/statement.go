package cli

import (
	"runtime"
	"unsafe"
)

// Statement is a statement of a connection. Only Cancel may be called from another goroutine.
type Statement struct {
	library *Library
	handle  uintptr
	open    bool // it has a cursor

	rows      int      // number of parameter sets of a call
	status    []uint16 // status of each parameter set
	processed uint32
	own       runtime.Pinner // pins the statement and its fields
	bound     runtime.Pinner // pins the buffers

	args [4]uintptr // arguments of frequent calls

	count   int64 // written by SQLRowCount
	columns int16 // written by SQLNumResultCols
}

// Statement returns a new statement.
func (c *Connection) Statement() (*Statement, error) {
	s := &Statement{library: c.library, rows: 1}
	s.own.Pin(s)
	if r := c.library.call(allocHandle, kindStatement, c.handle, uintptr(unsafe.Pointer(&s.handle))); !succeeded(r) {
		return nil, c.failure(r)
	}
	return s, nil
}

func (s *Statement) failure(result int16) error {
	return s.library.failure(kindStatement, s.handle, result)
}

// Prepare prepares a text. The library may send it to the server only when the statement first
// runs.
func (s *Statement) Prepare(text string) error {
	if r := s.library.call(prepare, s.handle, uintptr(unsafe.Pointer(terminated(text))), negative(nullTerminated)); !succeeded(r) {
		return s.failure(r)
	}
	return nil
}

// ExecuteText runs a text without parameters.
func (s *Statement) ExecuteText(text string) error {
	return s.ran(s.library.call(execDirect, s.handle, uintptr(unsafe.Pointer(terminated(text))), negative(nullTerminated)))
}

// often is call for arguments that are handles, numbers and addresses of pinned memory. Nothing
// escapes, so it allocates nothing.
func (s *Statement) often(f function, args ...uintptr) int16 {
	n := copy(s.args[:], args)
	return int16(invoke(s.library.addresses[f], s.args[:n]...))
}

// Execute runs the prepared text.
func (s *Statement) Execute() error { return s.ran(s.often(execute, s.handle)) }

func (s *Statement) ran(result int16) error {
	switch result {
	case success, noData: // noData is the result of an UPDATE that found no row
	case successWithInfo:
		for _, status := range s.status[:min(len(s.status), int(s.processed))] {
			if status == paramError {
				return s.failure(result)
			}
		}
	default:
		return s.failure(result)
	}
	s.open = true
	return nil
}

// Mode is the direction of a parameter's value.
type Mode int

// The modes, by their numbers.
const (
	In    Mode = 1
	InOut Mode = 2
	Out   Mode = 4
)

// BindParameter binds a parameter, counted from 1, to a buffer. The server receives the values with
// the given type.
func (s *Statement) BindParameter(n int, mode Mode, t Type, b *Buffer) error {
	s.bound.Pin(unsafe.SliceData(b.data))
	s.bound.Pin(unsafe.SliceData(b.lengths))
	r := s.library.call(bindParameter, s.handle, uintptr(n), uintptr(mode), uintptr(uint16(b.kind)), uintptr(uint16(t.Number)), uintptr(t.Size), uintptr(t.Scale),
		uintptr(unsafe.Pointer(unsafe.SliceData(b.data))), uintptr(b.width), uintptr(unsafe.Pointer(unsafe.SliceData(b.lengths))))
	if !succeeded(r) {
		return s.failure(r)
	}
	return nil
}

// BindColumn binds a column of the result, counted from 1, to a buffer of one row.
func (s *Statement) BindColumn(n int, b *Buffer) error {
	s.bound.Pin(unsafe.SliceData(b.data))
	s.bound.Pin(unsafe.SliceData(b.lengths))
	r := s.library.call(bindCol, s.handle, uintptr(n), uintptr(uint16(b.kind)), uintptr(unsafe.Pointer(unsafe.SliceData(b.data))), uintptr(b.width), uintptr(unsafe.Pointer(unsafe.SliceData(b.lengths))))
	if !succeeded(r) {
		return s.failure(r)
	}
	return nil
}

// Rows sets the number of parameter sets of the next call.
func (s *Statement) Rows(rows int) error {
	if rows == s.rows {
		return nil
	}
	if cap(s.status) < rows {
		s.status = make([]uint16, rows)
		s.own.Pin(unsafe.SliceData(s.status))
		if r := s.library.call(setStmtAttr, s.handle, attrParamStatus, uintptr(unsafe.Pointer(unsafe.SliceData(s.status))), 0); !succeeded(r) {
			return s.failure(r)
		}
		if r := s.library.call(setStmtAttr, s.handle, attrParamsProcessed, uintptr(unsafe.Pointer(&s.processed)), 0); !succeeded(r) {
			return s.failure(r)
		}
	}
	s.status = s.status[:cap(s.status)]
	if r := s.library.call(setStmtAttr, s.handle, attrParamSetSize, uintptr(rows), 0); !succeeded(r) {
		return s.failure(r)
	}
	s.rows = rows
	return nil
}

// Fetch reads the next row into the buffers of the columns, and reports whether there was one.
func (s *Statement) Fetch() (bool, error) {
	switch r := s.often(fetch, s.handle); r {
	case success, successWithInfo: // successWithInfo means that a value was longer than its buffer
		return true, nil
	case noData:
		return false, nil
	default:
		return false, s.failure(r)
	}
}

// Get reads a column of the fetched row, of any length, appends it to buf and returns it; null
// means NULL. Only columns after the last bound one can be read, each once.
func (s *Statement) Get(n int, kind Kind, buf []byte) (value []byte, null bool, err error) {
	const piece = 64 << 10
	closing := 0 // each piece of a text ends with a zero
	if kind == Text {
		closing = 1
	}
	part := make([]byte, piece)
	for {
		var length int32
		r := s.library.call(getData, s.handle, uintptr(n), uintptr(uint16(kind)), uintptr(unsafe.Pointer(&part[0])), piece, uintptr(unsafe.Pointer(&length)))
		switch {
		case r == noData:
			return buf, false, nil
		case !succeeded(r):
			return buf, false, s.failure(r)
		case length == nullData:
			return buf, true, nil
		}
		whole := length >= 0 && int(length) <= piece-closing
		if !whole {
			length = int32(piece - closing)
		}
		buf = append(buf, part[:length]...)
		if whole {
			return buf, false, nil
		}
	}
}

// Affected returns the number of rows that the last call changed.
func (s *Statement) Affected() (int64, error) {
	s.count = 0
	if r := s.often(rowCount, s.handle, uintptr(unsafe.Pointer(&s.count))); !succeeded(r) {
		return 0, s.failure(r)
	}
	return max(0, int64(int32(s.count))), nil // the library writes 32 bits
}

// Column is a column of a result.
type Column struct {
	Name string
	Type Type
}

// Columns describes the result. It is empty if the statement returns no rows.
func (s *Statement) Columns() ([]Column, error) {
	if r := s.library.call(numResultCols, s.handle, uintptr(unsafe.Pointer(&s.columns))); !succeeded(r) {
		return nil, s.failure(r)
	}
	columns := make([]Column, s.columns)
	for i := range columns {
		const longest = 256
		var length, number, scale, nullable int16
		var size uint64
		name := make([]byte, longest)
		r := s.library.call(describeCol, s.handle, uintptr(i+1), uintptr(unsafe.Pointer(&name[0])), longest, uintptr(unsafe.Pointer(&length)),
			uintptr(unsafe.Pointer(&number)), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&scale)), uintptr(unsafe.Pointer(&nullable)))
		if !succeeded(r) {
			return nil, s.failure(r)
		}
		columns[i] = Column{string(name[:min(int(length), longest-1)]), Type{int(number), int(uint32(size)), int(scale)}}
	}
	return columns, nil
}

// Close closes the cursor, if there is one. The statement stays prepared.
func (s *Statement) Close() error {
	if !s.open {
		return nil
	}
	s.open = false
	if r := s.often(freeStmt, s.handle, freeClose); !succeeded(r) {
		return s.failure(r)
	}
	return nil
}

// Unbind unbinds all columns and parameters.
func (s *Statement) Unbind() {
	s.library.call(freeStmt, s.handle, freeUnbind)
	s.library.call(freeStmt, s.handle, freeResetParams)
	s.bound.Unpin()
}

// Cancel asks the server to end the current call in another goroutine, if any.
func (s *Statement) Cancel() error {
	if r := s.library.call(cancel, s.handle); !succeeded(r) {
		return s.failure(r)
	}
	return nil
}

// Free releases the statement.
func (s *Statement) Free() error {
	r := s.library.call(freeHandle, kindStatement, s.handle)
	s.own.Unpin()
	s.bound.Unpin()
	if !succeeded(r) {
		return s.failure(r)
	}
	return nil
}
