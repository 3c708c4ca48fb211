package program

import (
	"errors"
	"io/fs"
	"net"
	"syscall"
)

// Listen listens on an address; its errors say what to do.
func Listen(address *net.TCPAddr) (net.Listener, error) {
	listener, err := net.ListenTCP("tcp", address)
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, Usage("port %d is in use by another program, perhaps another sledge web: choose another port", address.Port)
	case errors.Is(err, fs.ErrPermission):
		return nil, Usage("your account may not listen on port %d: choose a port above 1023", address.Port)
	}
	return nil, Usage("%w: choose an address that this machine has", err)
}
