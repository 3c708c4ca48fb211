//go:build !darwin && !(linux && db2)

package cli

// socket is a connection's socket, which is not searched for on this system.
type socket struct{}

func findSocket(_ int, connect func()) *socket {
	connect()
	return nil
}

func (*socket) shut(int) {}
