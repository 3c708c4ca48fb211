//go:build bench && linux

package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing/fstest"
	"time"
	"unsafe"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// The synthetic server answers after a requested time, so any additional time is the client's. A
// question has eight bytes; the first four are the time in microseconds. The answer is the number
// of questions answered so far.

// askCount is the time in a question that requests the number immediately.
const askCount = 1<<32 - 1

// respond is the synthetic server: one thread that waits for questions and for the time of the next
// answer, with microsecond precision. Go's own timers may fire up to a millisecond late.
func respond() error {
	runtime.LockOSThread()
	const setTimerSlack = 29 // PR_SET_TIMERSLACK; by default the kernel may wake a thread 50 µs late
	if _, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0); err != 0 {
		return err
	}
	listener, port, err := listen()
	if err != nil {
		return err
	}
	fmt.Println(port)
	poll, err := syscall.EpollCreate1(0)
	if err != nil {
		return err
	}
	watch := func(fd int) error {
		return syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
	}
	if err := watch(listener); err != nil {
		return err
	}
	type question struct {
		fd  int
		due time.Time
	}
	due := map[uint32][]question{} // by requested time, so each list is in the order of the answers
	events := make([]syscall.EpollEvent, 1024)
	var answered uint64
	answer := func(fd int) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], answered)
		_, _ = syscall.Write(fd, b[:]) // the client may have disconnected
	}
	for {
		next := time.Now().Add(time.Second)
		for _, list := range due {
			if len(list) > 0 && list[0].due.Before(next) {
				next = list[0].due
			}
		}
		n, err := wait(poll, events, time.Until(next))
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		now := time.Now()
		for _, e := range events[:max(n, 0)] {
			fd := int(e.Fd)
			if fd == listener {
				if fd, _, err = syscall.Accept4(listener, syscall.SOCK_NONBLOCK); err == nil {
					_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
					err = watch(fd)
				}
				if err != nil {
					return err
				}
				continue
			}
			var b [8]byte
			if got, err := syscall.Read(fd, b[:]); err != nil || got < len(b) {
				_ = syscall.Close(fd)
				continue
			}
			takes := binary.LittleEndian.Uint32(b[:])
			if takes == askCount {
				answer(fd)
				continue
			}
			due[takes] = append(due[takes], question{fd, now.Add(time.Duration(takes) * time.Microsecond)})
		}
		for takes, list := range due {
			for len(list) > 0 && !now.Before(list[0].due) {
				answered++
				answer(list[0].fd)
				list = list[1:]
			}
			due[takes] = list
		}
	}
}

// listen listens on a free port of this machine.
func listen() (listener, port int, err error) {
	listener, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, 0, err
	}
	if err := syscall.Bind(listener, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, 0, err
	}
	if err := syscall.Listen(listener, 1024); err != nil {
		return 0, 0, err
	}
	name, err := syscall.Getsockname(listener)
	if err != nil {
		return 0, 0, err
	}
	return listener, name.(*syscall.SockaddrInet4).Port, nil
}

// wait is EpollWait with a limit in nanoseconds.
func wait(poll int, events []syscall.EpollEvent, limit time.Duration) (int, error) {
	const epollPwait2 = 441 // the same number on every architecture
	timeout := syscall.NsecToTimespec(max(0, int64(limit)))
	n, _, err := syscall.Syscall6(epollPwait2, uintptr(poll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)),
		uintptr(unsafe.Pointer(&timeout)), 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

// line is a session on the synthetic server.
type line struct {
	database.Session
	conn   net.Conn
	buffer [8]byte
}

func (l *line) ask(takes uint32) (answered int64, err error) {
	binary.LittleEndian.PutUint64(l.buffer[:], uint64(takes))
	if _, err := l.conn.Write(l.buffer[:]); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(l.conn, l.buffer[:]); err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint64(l.buffer[:])), nil
}

func (l *line) Query(context.Context, string, int) (database.Table, error) {
	n, err := l.ask(askCount)
	return database.Table{Rows: [][]string{{strconv.FormatInt(n, 10)}}}, err
}

func (l *line) Rollback(context.Context) error { return nil }
func (l *line) Interrupt()                     { _ = l.conn.Close() }
func (l *line) Close() error                   { return l.conn.Close() }

// synthetic decides the transactions of a virtual user of the synthetic server: five
// kinds in TPC-C's mix, each of which takes a known time.
type synthetic struct {
	random   *rand.Rand
	thinking time.Duration
	tail     int // one in tail transactions takes ten times as long; 0 means none
	takes    uint32
}

func (u *synthetic) Pick() (workload.Transaction, bool) {
	u.takes = answerTime
	if u.tail > 0 && u.random.IntN(u.tail) == 0 {
		u.takes = 10 * answerTime
	}
	next := workload.Transaction{Kind: meter.Kind(max(0, u.random.IntN(23)-18)), Inputs: &u.takes}
	if u.thinking > 0 {
		next.Thinking = u.thinking/2 + time.Duration(u.random.Int64N(int64(u.thinking)))
	}
	return next, true
}

// Do implements workload.Executor.
func (l *line) Do(_ context.Context, t workload.Transaction) error {
	_, err := l.ask(*t.Inputs.(*uint32))
	return err
}

// answerTime is the time of an answer in microseconds.
const answerTime = 1000

// syntheticPair returns the database and the workload of the synthetic server at an address.
func syntheticPair(address string, thinking time.Duration, tail int) (*database.Database, *workload.Workload) {
	d := &database.Database{
		Name: "synthetic", Title: "Synthetic",
		Options: database.Options{
			New:    func(database.Use) any { return &struct{}{} },
			Target: func(any) string { return address },
		},
		Sessions: database.Sessions{
			Connect: func(ctx context.Context, _ any, _ database.Role) (database.Session, error) {
				conn, err := loop.Dial(ctx, new(net.Dialer), "tcp", address)
				return &line{conn: conn}, err
			},
			Classify: func(error) meter.Class { return meter.Connection },
		},
		SQL: fstest.MapFS{"sql/probe.sql": {Data: []byte("probe")}},
		Schema: func(*database.Database, *sqlfile.Library, any) database.Schema {
			return database.Schema{Relations: func(context.Context, database.Session) (map[string]database.Relation, error) {
				return map[string]database.Relation{"only": {Kind: "table", Columns: []string{"id"}}}, nil
			}}
		},
		Server: func(*sqlfile.Library) database.Server {
			return database.Server{
				Version:  func(context.Context, database.Session) (string, error) { return "1.0", nil },
				Settings: func(context.Context, database.Session) (map[string]string, error) { return nil, nil },
			}
		},
	}
	kinds := make([]workload.Kind, 5)
	for i := range kinds {
		kinds[i].Name = fmt.Sprint("kind ", i+1)
	}
	w := &workload.Workload{
		Name: "synthetic", Title: "Synthetic", Kinds: kinds,
		Options: func() any { return &struct{}{} },
		Schema: workload.Schema{
			Tables:   func(any, uint64) []schema.Table { return []schema.Table{{Name: "only"}} },
			Builders: func(any) int { return 1 },
		},
		Users: workload.Users{
			NewTerminal: func(slot workload.Slot) workload.Terminal {
				return &synthetic{random: slot.Rand, thinking: thinking, tail: tail}
			},
			NewExecutor: func(_ context.Context, c workload.Connection) (workload.Executor, error) {
				return c.Session.(*line), nil
			},
		},
		Evidence: workload.Evidence{Probe: &workload.Probe{Name: "question", Expected: func(s *meter.Summary) int64 {
			all := s.All()
			return all.Done
		}}},
		Score: workload.Score{Of: func(workload.Window) []job.Metric { return []job.Metric{{Name: "TPM", Value: 1}} }},
	}
	return d, w
}

// idle uses the idle time of a core. It makes system calls continuously, so that a woken thread
// runs at once; otherwise a kernel with lazy preemption would wait for the next tick.
func idle() error {
	runtime.LockOSThread()
	const (
		schedIdle = 5 // SCHED_IDLE
		oneself   = 0
	)
	var priority int32
	if _, _, err := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, oneself, schedIdle, uintptr(unsafe.Pointer(&priority))); err != 0 {
		return err
	}
	for {
		_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) // it always succeeds
	}
}

// play runs this program as one of its own children.
func play(role string) error {
	switch role {
	case "responder":
		return respond()
	case "stand-in":
		return standInForPostgreSQL()
	case "client":
		return runSynthetic(os.Stdout)
	case "idler":
		return idle()
	case "rows":
		return makeRows(os.Getenv(scaleVariable))
	}
	return fmt.Errorf("there is no role %s", role)
}
