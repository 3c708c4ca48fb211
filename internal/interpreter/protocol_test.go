package interpreter

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAccept_AdmitsOnlyTheToken(t *testing.T) {
	d, err := openDoor()
	if err != nil {
		t.Fatal(err)
	}
	address, token, _ := strings.Cut(strings.TrimPrefix(d.variable(), environment+"="), " ")
	dial := func(line string) net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, line)
		t.Cleanup(func() { c.Close() })
		return c
	}
	dial("") // it sends nothing, and must not block
	dial("GET / HTTP/1.1\r\n\r\n")
	dial(`{"type":"hello","token":"guessed"}` + "\n")
	dial(`{"type":"hello","token":"` + token + `"}` + "\n" + `{"type":"exit","code":7}` + "\n")
	begin := time.Now()
	l, err := d.admit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.connection.Close()
	if m, err := l.receive(); m.Code != 7 {
		t.Errorf("after the greeting: got %+v, %v", m, err)
	}
	if took := time.Since(begin); took > greeting {
		t.Errorf("other connections delayed it by %s", took)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("the listener is still open")
	}
}

func TestAccept_EndsWithTheContext(t *testing.T) {
	d, err := openDoor()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := d.admit(ctx); err == nil {
		t.Error("got a link without a connection")
	}
}

func TestAccept_LimitsTheMemoryOfStrangers(t *testing.T) {
	d, err := openDoor()
	if err != nil {
		t.Fatal(err)
	}
	defer d.listener.Close()
	here, stranger := net.Pipe()
	defer stranger.Close()
	sent := make(chan int, 1)
	go func() {
		n, _ := stranger.Write(make([]byte, 1<<20)) // ends when the other side does
		sent <- n
	}()
	if l := d.greet(t.Context(), here); l != nil {
		t.Error("got a link to a silent peer")
	}
	if got := <-sent; got > greetingSize {
		t.Errorf("read %d bytes, want at most %d", got, greetingSize)
	}
}
