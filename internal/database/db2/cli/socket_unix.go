//go:build (linux && db2) || darwin

package cli

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// socket is a connection's socket. The library does not reveal it, so findSocket searches for it
// among the open files of this process.
type socket struct{ fd, inode int }

// looking is held during the search for a socket, so that a socket that appears belongs to the new
// connection. late counts attempts to connect that did not open a socket during their search, and
// may do so at any moment. As long as there are such attempts, a new socket cannot be attributed to
// a connection.
var (
	looking sync.Mutex
	late    atomic.Int32
)

const (
	lookAgain = 500 * time.Microsecond
	mostLooks = 4000 // about 2 s; a limit, because other connections wait meanwhile
	mostFiles = 2000 // with more open files, a search takes too long
)

// findSocket calls connect, and returns the socket that connect opens to the port. It returns nil
// if no socket appears, or more than one.
func findSocket(port int, connect func()) *socket {
	if port == 0 {
		connect()
		return nil
	}
	looking.Lock()
	before := connected(port)
	var found *socket
	over, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		defer looking.Unlock()
		for looks := 1; before != nil && late.Load() == 0; looks++ {
			fresh := connected(port)
			for s := range before {
				delete(fresh, s)
			}
			for s := range fresh {
				if len(fresh) == 1 {
					found = &s
				}
				return
			}
			select {
			case <-over:
				return
			default:
			}
			if looks == mostLooks {
				late.Add(1)
				go func() { <-over; late.Add(-1) }()
				return
			}
			time.Sleep(lookAgain)
		}
	}()
	connect()
	close(over)
	<-looked
	if found != nil && !found.is(port) {
		return nil
	}
	return found
}

// connected returns the sockets that are connected to a port, or nil if there are too many open
// files.
func connected(port int) map[socket]bool {
	folder, err := os.Open("/dev/fd")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(mostFiles)
	if err != nil || len(names) == mostFiles {
		return nil
	}
	found := map[socket]bool{}
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		var is syscall.Stat_t
		if syscall.Fstat(fd, &is) != nil {
			continue
		}
		if s := (socket{fd, int(is.Ino)}); s.is(port) {
			found[s] = true
		}
	}
	return found
}

// is reports whether the socket still exists and is a TCP socket connected to the port. UDP sockets
// do not count: name resolution briefly connects some to find reachable addresses.
func (s socket) is(port int) bool {
	var is syscall.Stat_t
	if syscall.Fstat(s.fd, &is) != nil || int(is.Ino) != s.inode {
		return false
	}
	if kind, err := syscall.GetsockoptInt(s.fd, syscall.SOL_SOCKET, syscall.SO_TYPE); err != nil || kind != syscall.SOCK_STREAM {
		return false
	}
	peer, err := syscall.Getpeername(s.fd)
	if err != nil {
		return false
	}
	switch peer := peer.(type) {
	case *syscall.SockaddrInet4:
		return peer.Port == port
	case *syscall.SockaddrInet6:
		return peer.Port == port
	}
	return false
}

// shut shuts the connection down, so that a call that waits for the server returns an error.
func (s *socket) shut(port int) {
	if s != nil && s.is(port) {
		_ = syscall.Shutdown(s.fd, syscall.SHUT_RDWR) // the connection may have ended already
	}
}
