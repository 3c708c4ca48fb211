package cli

import (
	"bytes"
	"time"
	"unsafe"
)

// Connection is a connection to a server. It is not safe for concurrent use.
type Connection struct {
	library    *Library
	handle     uintptr
	args       [3]uintptr // of the call that ends a transaction
	autocommit bool

	port   int
	socket *socket // nil if it was not found
}

// Connect opens a connection within a time limit. text is a connection string such as
// "DATABASE=TPCC;HOSTNAME=db1;PORT=50000;UID=...". Each statement is its own transaction until
// Autocommit changes that. port is the port in text; if it is 0, Break does nothing.
func (l *Library) Connect(text string, port int, limit time.Duration) (*Connection, error) {
	c := &Connection{library: l, autocommit: true, port: port}
	if r := l.call(allocHandle, kindConnection, l.env, uintptr(unsafe.Pointer(&c.handle))); !succeeded(r) {
		return nil, l.failure(kindEnvironment, l.env, r)
	}
	seconds := max(1, (limit+time.Second-1)/time.Second)
	c.set(attrLoginTimeout, uintptr(seconds))
	var r int16
	c.socket = findSocket(port, func() {
		r = l.call(driverConnect, c.handle, 0, uintptr(unsafe.Pointer(terminated(text))), negative(nullTerminated), 0, 0, 0, 0)
	})
	if !succeeded(r) {
		err := l.failure(kindConnection, c.handle, r)
		l.call(freeHandle, kindConnection, c.handle)
		return nil, err
	}
	return c, nil
}

func (c *Connection) set(attribute, value uintptr) int16 {
	return c.library.call(setConnectAttr, c.handle, attribute, value, 0)
}

func (c *Connection) failure(result int16) error {
	return c.library.failure(kindConnection, c.handle, result)
}

// Autocommit sets whether each statement is its own transaction. It sends nothing if the setting
// does not change.
func (c *Connection) Autocommit(on bool) error {
	if c.autocommit == on {
		return nil
	}
	value := uintptr(0)
	if on {
		value = 1
	}
	if r := c.set(attrAutocommit, value); !succeeded(r) {
		return c.failure(r)
	}
	c.autocommit = on
	return nil
}

// Commit ends the transaction.
func (c *Connection) Commit() error { return c.end(endCommit) }

// Rollback rolls back the transaction.
func (c *Connection) Rollback() error { return c.end(endRollback) }

func (c *Connection) end(how uintptr) error {
	c.args = [3]uintptr{kindConnection, c.handle, how}
	if r := int16(invoke(c.library.addresses[endTran], c.args[:]...)); !succeeded(r) {
		return c.failure(r)
	}
	return nil
}

// Break breaks the connection, if its socket is known, so that a call that waits for a frozen
// server returns an error. Any goroutine may call it before Close.
func (c *Connection) Break() { c.socket.shut(c.port) }

// Dead reports whether the library knows that the connection is lost.
func (c *Connection) Dead() bool {
	var dead int32
	r := c.library.call(getConnectAttr, c.handle, attrConnectionDead, uintptr(unsafe.Pointer(&dead)), 4, 0)
	return succeeded(r) && dead == 1
}

// ServerVersion returns the server's version from the library, such as "11.05.0800", or "".
func (c *Connection) ServerVersion() string {
	const longest = 256
	buf := make([]byte, longest)
	r := c.library.call(getInfo, c.handle, infoServerVersion, uintptr(unsafe.Pointer(&buf[0])), longest, 0)
	if !succeeded(r) {
		return ""
	}
	text, _, _ := bytes.Cut(buf, []byte{0})
	return string(text)
}

// Close rolls back any open transaction and ends the connection.
func (c *Connection) Close() error {
	var err error
	if r := c.library.call(disconnect, c.handle); !succeeded(r) {
		if c.library.call(endTran, kindConnection, c.handle, endRollback) != success || !succeeded(c.library.call(disconnect, c.handle)) {
			err = c.failure(r)
		}
	}
	if r := c.library.call(freeHandle, kindConnection, c.handle); !succeeded(r) && err == nil {
		err = c.failure(r)
	}
	return err
}
