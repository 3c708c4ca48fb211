package loop

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// schedulers runs a test with every scheduler of this system.
func schedulers(t *testing.T, test func(t *testing.T, s Scheduler)) {
	t.Helper()
	t.Run("goroutines", func(t *testing.T) { test(t, Goroutines()) })
	if !Supported() {
		_, err := New(1)
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("event loops: %v, want errors.ErrUnsupported", err)
		}
		return
	}
	t.Run("event loops", func(t *testing.T) { test(t, eventLoops(t, 2)) })
}

// eventLoops returns event loops. It raises GOMAXPROCS until one processor is left for other
// goroutines.
func eventLoops(t *testing.T, n int) Scheduler {
	t.Helper()
	s, err := New(n)
	if err != nil {
		t.Fatal(err)
	}
	if before := runtime.GOMAXPROCS(0); before <= n {
		runtime.GOMAXPROCS(n + 1)
		t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	}
	return s
}

// eventLoopsOrSkip returns event loops, or skips the test if there are none.
func eventLoopsOrSkip(t *testing.T, n int) Scheduler {
	t.Helper()
	if !Supported() {
		t.Skip("there are no event loops on this system")
	}
	return eventLoops(t, n)
}

// serve listens until the test ends, and calls each for each connection.
func serve(t *testing.T, network, address string, each func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			go func() {
				defer conn.Close()
				each(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// echo hides the type of the connection, because io.Copy would keep pipes open for it.
func echo(conn net.Conn) { _, _ = io.Copy(struct{ io.Writer }{conn}, struct{ io.Reader }{conn}) }

// connected runs a task that adopts a connection and works with it.
func connected(t *testing.T, network, address string, work func(Task, net.Conn)) func(Task) {
	t.Helper()
	ctx, list := Gather(t.Context())
	conn, err := Dial(ctx, new(net.Dialer), network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return func(task Task) {
		if err := task.Adopt(list); err != nil {
			t.Error(err)
			return
		}
		work(task, conn)
		if err := task.Release(list); err != nil {
			t.Error(err)
		}
	}
}

// converse sends texts of random lengths to an echo server, and checks each response.
func converse(t *testing.T, conn net.Conn, texts int) {
	for range texts {
		want := bytes.Repeat([]byte{byte(rand.IntN(256))}, 1+rand.IntN(5000))
		if _, err := conn.Write(want); err != nil {
			t.Error(err)
			return
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(conn, got); err != nil {
			t.Error(err)
			return
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got a text of %d bytes that differs from the request", len(got))
			return
		}
	}
}

func TestTasks_TalkToServers(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		tcp := serve(t, "tcp", "127.0.0.1:0", echo)
		socket := serve(t, "unix", filepath.Join(t.TempDir(), "socket"), echo)
		var done atomic.Int64
		for i := range 40 {
			network, address := "tcp", tcp
			if i%2 == 1 {
				network, address = "unix", socket
			}
			s.Go(connected(t, network, address, func(_ Task, conn net.Conn) {
				converse(t, conn, 50)
				done.Add(1)
			}))
		}
		s.Run()
		if done.Load() != 40 {
			t.Errorf("%d of 40 tasks have ended", done.Load())
		}
	})
}

// Tasks of a loop pass a connection to each other, and wait for it in Park.
func TestTasks_OfALoopShareAConnection(t *testing.T) {
	const loops, each = 2, 5
	address := serve(t, "tcp", "127.0.0.1:0", echo)
	s := eventLoopsOrSkip(t, loops)
	type shared struct {
		conn    net.Conn
		list    *Connections
		waiting []Task
		taken   bool
		left    int
	}
	var lines [loops]*shared
	for i := range lines {
		ctx, list := Gather(t.Context())
		conn, err := Dial(ctx, new(net.Dialer), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		lines[i] = &shared{conn: conn, list: list, left: each}
	}
	for i := range loops * each {
		s.Go(func(task Task) {
			l := lines[i%loops]
			if err := task.Adopt(l.list); err != nil {
				t.Error(err)
			}
			for range 20 {
				for l.taken {
					l.waiting = append(l.waiting, task)
					if !task.Park() {
						t.Error("a wait ended without Stop")
					}
				}
				l.taken = true
				converse(t, l.conn, 1)
				l.taken = false
				if len(l.waiting) > 0 {
					l.waiting[0].Unpark()
					l.waiting = l.waiting[1:]
				}
			}
			if l.left--; l.left == 0 {
				if err := task.Release(l.list); err != nil {
					t.Error(err)
				}
			}
		})
	}
	s.Run()
	for i, l := range lines {
		if l.left != 0 {
			t.Errorf("loop %d: %d tasks have not ended", i, l.left)
		}
	}
}

// Stop ends the wait of users that are parked for a connection.
func TestStop_EndsParks(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		const tasks = 20
		var parking sync.WaitGroup
		parking.Add(tasks)
		for range tasks {
			s.Go(func(task Task) {
				parking.Done()
				if task.Park() {
					t.Error("a wait ended without a wake-up")
				}
				if task.Park() {
					t.Error("a wait after Stop returned true")
				}
			})
		}
		go func() {
			parking.Wait()
			s.Stop()
		}()
		s.Run()
	})
}

func TestConn_CarriesTLS(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	schedulers(t, func(t *testing.T, s Scheduler) {
		address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
			echo(tls.Server(conn, &tls.Config{Certificates: certificate.TLS.Certificates}))
		})
		ctx, list := Gather(t.Context())
		conn, err := Dial(ctx, new(net.Dialer), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		secured := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
		if err := secured.HandshakeContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Go(func(task Task) {
			if err := task.Adopt(list); err != nil {
				t.Error(err)
			}
			converse(t, secured, 50)
		})
		s.Run()
		converse(t, secured, 5) // the end of the loop has released the connection
		if err := secured.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Only the order within one loop is defined, not the order between threads.
func TestPauses_EndInOrder(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) { pauses(t, s) })
	if !Supported() {
		return
	}
	if order := pauses(t, eventLoops(t, 1)); !slices.IsSorted(order) {
		t.Errorf("in one event loop, pauses ended in the order %v", order)
	}
}

// pauses runs tasks that pause, and returns the lengths of the pauses in the order of their ends.
func pauses(t *testing.T, s Scheduler) (order []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	began := time.Now()
	for i := range 8 {
		length := time.Duration((i*5)%8+1) * 30 * time.Millisecond
		s.Go(func(task Task) {
			if !task.PauseUntil(began.Add(length)) {
				t.Error("a pause ended without Stop")
			}
			if early := length - time.Since(began); early > 0 {
				t.Errorf("a pause of %s ended %s early", length, early)
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, length)
		})
	}
	s.Run()
	if len(order) != 8 {
		t.Errorf("pauses of %v ended, want 8", order)
	}
	return order
}

func TestStop_EndsPauses(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		const tasks = 20
		var pausing sync.WaitGroup
		pausing.Add(tasks)
		never := time.Now().Add(time.Hour)
		for range tasks {
			s.Go(func(task Task) {
				pausing.Done()
				if task.PauseUntil(never) {
					t.Error("a pause of an hour returned true")
				}
				if task.PauseUntil(never) {
					t.Error("a pause after Stop returned true")
				}
				if !task.PauseUntil(time.Now()) {
					t.Error("a pause until now returned false")
				}
			})
		}
		go func() {
			pausing.Wait()
			s.Stop()
			s.Stop()
		}()
		s.Run()
		s.Stop()
	})
}

// Other goroutines end the read of a task, as Session.Interrupt does, and as drivers do after the
// loss of a connection.
func TestConn_OtherGoroutinesEndARead(t *testing.T) {
	for _, c := range []struct {
		what string
		end  func(net.Conn) error
		want error
	}{
		{"a past deadline", func(c net.Conn) error { return c.SetDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		{"a future deadline", func(c net.Conn) error { return c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) }, os.ErrDeadlineExceeded},
		{"closing", net.Conn.Close, net.ErrClosed},
	} {
		t.Run(c.what, func(t *testing.T) {
			schedulers(t, func(t *testing.T, s Scheduler) {
				asked, reading, ended := make(chan bool), make(chan net.Conn, 1), make(chan bool)
				address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
					_, _ = conn.Read(make([]byte, 1))
					asked <- true
					_, _ = conn.Read(make([]byte, 1)) // until the other side hangs up
				})
				s.Go(connected(t, "tcp", address, func(task Task, conn net.Conn) {
					reading <- conn
					_, _ = conn.Write([]byte("?"))
					for range 2 {
						if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, c.want) {
							t.Errorf("got %v, want %v", err, c.want)
						}
					}
					task.Await(func() { <-ended }) // before the connection is released
				}))
				go func() {
					defer close(ended)
					<-asked
					if err := c.end(<-reading); err != nil {
						t.Error(err)
					}
				}()
				s.Run()
			})
		})
	}
}

func TestConn_ResetsADeadline(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		address := serve(t, "tcp", "127.0.0.1:0", echo)
		s.Go(connected(t, "tcp", address, func(_ Task, conn net.Conn) {
			for _, deadline := range []time.Time{time.Unix(1, 0), {}} {
				if err := conn.SetDeadline(deadline); err != nil {
					t.Error(err)
				}
			}
			converse(t, conn, 1)
		}))
		s.Run()
	})
}

// Tasks connect in Await while others work.
func TestAwait(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		address := serve(t, "tcp", "127.0.0.1:0", echo)
		for range 5 {
			s.Go(func(task Task) {
				for range 3 {
					ctx, list := Gather(context.Background())
					var conn net.Conn
					task.Await(func() {
						var err error
						if conn, err = Dial(ctx, new(net.Dialer), "tcp", address); err != nil {
							t.Error(err)
						}
					})
					if err := task.Adopt(list); err != nil {
						t.Error(err)
					}
					converse(t, conn, 3)
					if err := task.Release(list); err != nil {
						t.Error(err)
					}
					task.Await(func() {
						if err := conn.Close(); err != nil {
							t.Error(err)
						}
					})
				}
			})
		}
		s.Run()
	})
}

// A large request fills the buffers of a connection before the server begins to read.
func TestConn_WritesMoreThanTheBuffersHold(t *testing.T) {
	const size = 20 << 20
	schedulers(t, func(t *testing.T, s Scheduler) {
		address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
			time.Sleep(100 * time.Millisecond)
			_, _ = io.CopyN(io.Discard, conn, size)
			_, _ = conn.Write([]byte("."))
		})
		s.Go(connected(t, "tcp", address, func(_ Task, conn net.Conn) {
			if n, err := conn.Write(make([]byte, size)); n != size || err != nil {
				t.Errorf("wrote %d of %d bytes: %v", n, size, err)
			}
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Error(err)
			}
		}))
		s.Run()
	})
}

func TestConn_ReportsEOF(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) { _, _ = conn.Read(make([]byte, 1)) })
		s.Go(connected(t, "tcp", address, func(_ Task, conn net.Conn) {
			_, _ = conn.Write([]byte("?"))
			if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("got %v, want io.EOF", err)
			}
		}))
		s.Run()
	})
}

// Some drivers ask the server to cancel a call after they have lost the connection, for which they
// need its addresses.
func TestConn_KeepsItsAddressesAfterAReset(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 1))
			if err := conn.(*net.TCPConn).SetLinger(0); err != nil { // so that Close resets the connection
				t.Error(err)
			}
		})
		var released net.Conn
		s.Go(connected(t, "tcp", address, func(_ Task, conn net.Conn) {
			released = conn
			_, _ = conn.Write([]byte("?"))
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Error("a read from a reset connection succeeded")
			}
		}))
		s.Run()
		if got := released.RemoteAddr(); got == nil || got.String() != address || released.LocalAddr() == nil {
			t.Errorf("got the addresses %v and %v, want %s and a local one", got, released.LocalAddr(), address)
		}
	})
}

// The garbage collector runs while a loop waits in a raw system call.
func TestLoop_DoesNotDelayTheGarbageCollector(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		s.Go(func(task Task) { task.PauseUntil(time.Now().Add(time.Hour)) })
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Run()
		}()
		for range 20 {
			runtime.GC()
		}
		s.Stop()
		<-ended
	})
}

func TestLoop_ClosesItsDescriptors(t *testing.T) {
	const folder = "/proc/self/fd"
	if _, err := os.ReadDir(folder); err != nil {
		t.Skip("this system has no " + folder)
	}
	open := func() int {
		list, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := open()
	t.Run("run", func(t *testing.T) {
		schedulers(t, func(t *testing.T, s Scheduler) {
			address := serve(t, "tcp", "127.0.0.1:0", echo)
			for range 10 {
				s.Go(connected(t, "tcp", address, func(_ Task, conn net.Conn) {
					converse(t, conn, 1)
					_ = conn.Close()
				}))
			}
			s.Run()
		})
	})
	for range 100 { // the servers' ends are closed by goroutines
		if open() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("got %d open descriptors, want %d", open(), before)
}

func TestIdle_CountsTheWaitsOfLoops(t *testing.T) {
	const wait = 60 * time.Millisecond
	s := eventLoopsOrSkip(t, 1)
	began := time.Now()
	var during time.Duration
	s.Go(func(task Task) {
		for time.Since(began) < wait { // works
		}
		worked := s.Idle()
		task.PauseUntil(time.Now().Add(wait))
		during = s.Idle() - worked
	})
	s.Run()
	if lasted := time.Since(began); during < wait*9/10 || s.Idle() > lasted-wait {
		t.Errorf("got %s in a pause of %s, and %s in all of %s", during, wait, s.Idle(), lasted)
	}
}
