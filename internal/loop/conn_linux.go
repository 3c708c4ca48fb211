package loop

import (
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// conn is a connection that waits in Go's poller. After a task adopts it, it waits in the task's
// loop.
type conn struct {
	net.Conn // Go's connection; closed while adopted

	session *Connections // the group that the connection belongs to
	counter counter      // bytes sent and received

	// The original addresses, because the system does not return those of a connection that the
	// peer has reset.
	local, remote net.Addr

	// While adopted. The loop's tasks read these without a lock, because nothing else writes them.
	loop   *loop
	fd     int
	number int // its number in epoll

	waiting *task // the task that waits to read; accessed only by the loop's thread

	closed, expired atomic.Bool // expired: the read deadline has passed

	mu       sync.Mutex  // guards the fields below, and adopt, release and Close
	deadline time.Time   // the last read deadline set
	alarm    *time.Timer // sets expired
}

func wrap(c net.Conn, session *Connections) (adoptable, bool) {
	if _, ok := c.(syscall.Conn); !ok {
		return nil, false
	}
	return &conn{Conn: c, session: session, counter: counter{sum: &session.traffic}, local: c.LocalAddr(), remote: c.RemoteAddr()}, true
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// adopt implements adoptable. It does nothing for a connection that is closed or already
// adopted.
func (c *conn) adopt(t *task) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.Load() || c.loop == t.loop {
		return nil
	}
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	// If the descriptor stayed in Go's poller, each response would wake a second thread. Closing
	// Go's connection removes it; a duplicate keeps the connection open.
	fd, dup := -1, error(nil)
	if err := raw.Control(func(own uintptr) { fd, dup = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return err
	}
	if dup != nil {
		return os.NewSyscallError("dup", dup)
	}
	if err := c.Conn.Close(); err != nil {
		_ = unix.Close(fd)
		return err
	}
	c.loop, c.fd = t.loop, fd
	if err := t.loop.register(c); err != nil {
		_ = unix.Close(fd)
		c.loop = nil
		c.closed.Store(true)
		return err
	}
	c.setAlarm()
	return nil
}

// register adds the connection to the loop's epoll.
func (l *loop) register(c *conn) error {
	if len(l.free) == 0 {
		l.free = append(l.free, len(l.conns))
		l.conns = append(l.conns, nil)
	}
	last := len(l.free) - 1
	c.number = l.free[last]
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(c.number)}
	if err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, c.fd, &event); err != nil {
		return os.NewSyscallError("epoll_ctl", err)
	}
	l.conns[c.number] = c
	l.free = l.free[:last]
	return nil
}

// release implements adoptable: the connection waits in Go's poller again.
func (c *conn) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loop == nil {
		return nil
	}
	l := c.loop
	l.conns[c.number] = nil
	l.free = append(l.free, c.number)
	_ = unix.EpollCtl(l.epoll, unix.EPOLL_CTL_DEL, c.fd, nil) // cannot fail: the descriptor is registered
	c.loop = nil
	if c.alarm != nil {
		c.alarm.Stop()
	}
	file := os.NewFile(uintptr(c.fd), "connection")
	defer file.Close()
	if c.closed.Load() {
		return nil
	}
	own, err := net.FileConn(file) // duplicates the descriptor again
	if err != nil {
		c.closed.Store(true)
		return fmt.Errorf("release a connection from a loop: %w", err)
	}
	c.Conn = own
	if c.expired.Load() {
		return own.SetReadDeadline(time.Unix(1, 0))
	}
	return own.SetReadDeadline(c.deadline)
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.receive(p)
	c.counter.read(n)
	return n, err
}

func (c *conn) receive(p []byte) (int, error) {
	if c.loop == nil {
		c.session.note()
		return c.Conn.Read(p)
	}
	for {
		if c.closed.Load() {
			return 0, net.ErrClosed
		}
		if c.expired.Load() {
			return 0, os.ErrDeadlineExceeded
		}
		n, _, errno := syscall.RawSyscall(unix.SYS_READ, uintptr(c.fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		switch {
		case errno == unix.EAGAIN:
			c.waiting = c.loop.current
			c.waiting.park()
		case errno == unix.EINTR:
		case errno != 0:
			return 0, os.NewSyscallError("read", errno)
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return int(n), nil
		}
	}
}

// Write implements net.Conn. If the socket buffer is full, which is rare because requests are
// short, the thread and all tasks of its loop wait.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.send(p)
	c.counter.wrote(n)
	return n, err
}

func (c *conn) send(p []byte) (int, error) {
	if c.loop == nil {
		return c.Conn.Write(p)
	}
	done := 0
	for done < len(p) {
		if c.closed.Load() {
			return done, net.ErrClosed
		}
		rest := p[done:]
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(c.fd), uintptr(unsafe.Pointer(unsafe.SliceData(rest))), uintptr(len(rest)))
		switch {
		case errno == unix.EAGAIN:
			if c.expired.Load() {
				return done, os.ErrDeadlineExceeded
			}
			// Wait for a short time only, to notice a deadline.
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLOUT}}, 50)
		case errno == unix.EINTR:
		case errno != 0:
			return done, os.NewSyscallError("write", errno)
		default:
			done += int(n)
		}
	}
	return done, nil
}

// Close implements net.Conn. An adopted connection is shut down at once; its descriptor stays
// open until a task releases it, because a task may be about to read from it.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	if c.loop == nil {
		return c.Conn.Close()
	}
	_ = unix.Shutdown(c.fd, unix.SHUT_RDWR) // an error means that the peer has gone
	c.wakeReader()
	return nil
}

// wakeReader wakes the task that waits for the connection. The caller holds mu.
func (c *conn) wakeReader() {
	l := c.loop
	l.mu.Lock()
	defer l.mu.Unlock()
	l.interrupted = append(l.interrupted, c)
	l.signal()
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if c.loop == nil {
		c.expired.Store(!t.IsZero() && !t.After(time.Now()))
		return c.Conn.SetReadDeadline(t)
	}
	c.setAlarm()
	return nil
}

// SetWriteDeadline implements net.Conn. Writes to an adopted connection obey the read deadline.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loop == nil {
		return c.Conn.SetWriteDeadline(t)
	}
	return nil
}

// setAlarm schedules the deadline of an adopted connection. The caller holds mu.
func (c *conn) setAlarm() {
	if c.alarm != nil {
		c.alarm.Stop()
		c.alarm = nil
	}
	wait := time.Until(c.deadline)
	switch {
	case c.deadline.IsZero():
		c.expired.Store(false)
	case wait <= 0:
		c.expired.Store(true)
		c.wakeReader()
	default:
		c.expired.Store(false)
		set := c.deadline
		c.alarm = time.AfterFunc(wait, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.loop != nil && c.deadline.Equal(set) {
				c.expired.Store(true)
				c.wakeReader()
			}
		})
	}
}
