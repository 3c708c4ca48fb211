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

// socket is that of a connection. The library keeps it to itself, so that it is looked for among
// the files that this process has open.
type socket struct{ fd, inode int }

// looking is held during the search for a socket: a socket that appears meanwhile belongs to
// the new connection. Late connections have not got theirs in time and may get one at any time:
// while there are any, no socket can be attributed.
var (
	looking sync.Mutex
	late    atomic.Int32
)

const (
	lookAgain = 500 * time.Microsecond
	mostLooks = 400  // while others wait for their turn; they take longer where the processor is busy, as connecting does
	mostFiles = 2000 // with more of them, to look at all takes too long
)

// findSocket looks for the socket that connect, which it calls, connects to a port. It returns
// nil where none, or more than one, appears.
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

// connected are the sockets that are connected to a port; nil where there are too many files.
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

// is reports whether the socket still exists and is a TCP socket connected to the port.
// Resolving a name connects UDP sockets for a moment, to find reachable addresses.
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

// shut ends the connection, so that who waits for an answer gets an error.
func (s *socket) shut(port int) {
	if s != nil && s.is(port) {
		_ = syscall.Shutdown(s.fd, syscall.SHUT_RDWR) // it may have ended by itself
	}
}
