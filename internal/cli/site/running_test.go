package site

import (
	"errors"
	"net"
	"testing"

	"sledge/internal/web"
)

// listening is a listener with an arbitrary address, which this machine need not have.
type listening struct {
	net.Listener
	address *net.TCPAddr
}

func (l listening) Addr() net.Addr { return l.address }

// Several servers may use one port, each on its own address.
func TestFind_DistinguishesServersOnOnePort(t *testing.T) {
	folder := t.TempDir()
	announce := func(ip string) (forget func()) {
		s := &Site{Server: &web.Server{Config: web.Config{
			Folder: folder, Key: ip, Listener: listening{address: &net.TCPAddr{IP: net.ParseIP(ip), Port: 8080}},
		}}}
		return s.announce()
	}
	finds := func(want string) {
		t.Helper()
		if got, err := Find(folder, 8080); err != nil || got.Key != want {
			t.Fatalf("got %+v, %v, want the server on %s", got, err, want)
		}
	}
	six := announce("::1")
	finds("::1")
	four := announce("127.0.0.1")
	finds("127.0.0.1")
	other := announce("10.1.2.3")
	finds("127.0.0.1")
	four()
	finds("10.1.2.3")
	other()
	finds("::1")
	for _, port := range []int{80, 808, 18080} {
		if got, err := Find(folder, port); !errors.Is(err, errNoSite) {
			t.Errorf("port %d: got %+v, %v, want none", port, got, err)
		}
	}
	six()
	if got, err := Find(folder, 8080); !errors.Is(err, errNoSite) {
		t.Errorf("got %+v, %v, want errNoSite", got, err)
	}
}
