package loop

import (
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported reports whether the kernel has what event loops need. Every Linux that Go runs on
// has, but a sandbox may forbid it.
func Supported() bool { return probed() != nil }

// waiter waits in an epoll for events, for a time, or for as long as it takes where limit is
// nil. The time is kept to the nanosecond, as far as the kernel's timers are exact.
type waiter func(epoll int, events []unix.EpollEvent, limit *unix.Timespec) (n int, errno syscall.Errno)

// probed returns the best way to wait that the kernel has; nil if it has none.
var probed = sync.OnceValue(func() waiter {
	for _, wait := range []waiter{waitOnce, waitTwice} {
		l, err := newLoop(wait)
		if err != nil {
			return nil
		}
		_, errno := wait(l.epoll, l.events[:], &unix.Timespec{})
		_ = l.close()
		if errno == 0 || errno == unix.EINTR {
			return wait
		}
	}
	return nil
})

// waitOnce takes one system call, of Linux 5.11 and later. Older kernels answer ENOSYS, and
// some sandboxes EPERM.
func waitOnce(epoll int, events []unix.EpollEvent, limit *unix.Timespec) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epoll),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), uintptr(unsafe.Pointer(limit)), 0, 0)
	return int(n), errno
}

// waitTwice waits for the epoll itself to become readable, by ppoll, which takes a time in
// nanoseconds, and then asks for the events. epoll_pwait alone would take whole milliseconds, and
// each transaction of a rate would begin up to one late.
func waitTwice(epoll int, events []unix.EpollEvent, limit *unix.Timespec) (int, syscall.Errno) {
	ready := unix.PollFd{Fd: int32(epoll), Events: unix.POLLIN}
	n, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&ready)), 1, uintptr(unsafe.Pointer(limit)), 0, 0, 0)
	if errno != 0 || n == 0 {
		return 0, errno
	}
	n, _, errno = syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epoll),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	return int(n), errno
}

// loops are event loops that share tasks among them.
type loops []*loop

// New returns a scheduler of n event loops, each of which keeps a processor of Go's
// (GOMAXPROCS) to itself while Run goes on: there must be one more for everything else.
func New(n int) (Scheduler, error) {
	wait := probed()
	if wait == nil {
		return nil, fmt.Errorf("event loops on this kernel: %w", errors.ErrUnsupported)
	}
	list := make(loops, n)
	for i := range list {
		l, err := newLoop(wait)
		if err != nil {
			return nil, errors.Join(err, list[:i].close())
		}
		list[i] = l
	}
	return &crew{loops: list}, nil
}

func (l loops) close() error {
	var err error
	for _, one := range l {
		err = errors.Join(err, one.close())
	}
	return err
}

// crew is the Scheduler of some loops.
type crew struct {
	loops
	tasks int
}

func (c *crew) Go(work func(Task)) {
	c.loops[c.tasks%len(c.loops)].add(work)
	c.tasks++
}

func (c *crew) Run() {
	var running sync.WaitGroup
	for _, l := range c.loops {
		running.Go(l.run)
	}
	running.Wait()
}

func (c *crew) Stop() {
	for _, l := range c.loops {
		l.stop()
	}
}

// loop resumes its tasks, one at a time, when what they wait for has come.
type loop struct {
	waiter   waiter
	epoll    int
	live     int     // tasks that have not ended
	ready    []*task // to be resumed before the loop waits again
	current  *task   // the one that works
	sleeping sleepers
	parked   []*task // in no order; each knows its place
	conns    []*conn // adopted ones, by the number that epoll knows them by; nil where none has the number
	free     []int   // the numbers that none has
	events   [128]unix.EpollEvent
	limit    unix.Timespec // of the wait; here, so that a wait allocates nothing

	stopping atomic.Bool

	mu     sync.Mutex
	wakeup int     // an eventfd by which others wake the loop; -1 when it has ended
	woken  []*task // whose Await is over
	rung   []*conn // whose deadline is over, or that somebody has closed
}

// wakeupNumber is what epoll knows the eventfd by.
const wakeupNumber = -1

func newLoop(wait waiter) (*loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	wakeup, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, errors.Join(os.NewSyscallError("eventfd", err), unix.Close(epoll))
	}
	l := &loop{waiter: wait, epoll: epoll, wakeup: wakeup}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, wakeup, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: wakeupNumber}); err != nil {
		return nil, errors.Join(os.NewSyscallError("epoll_ctl", err), l.close())
	}
	return l, nil
}

func (l *loop) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	wakeup := l.wakeup
	l.wakeup = -1
	return errors.Join(unix.Close(wakeup), unix.Close(l.epoll))
}

func (l *loop) add(work func(Task)) {
	t := &task{loop: l}
	t.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		work(t)
	})
	l.live++
	l.ready = append(l.ready, t)
}

func (l *loop) run() {
	for {
		for i := 0; i < len(l.ready); i++ {
			l.resume(l.ready[i])
		}
		l.ready = l.ready[:0]
		if l.live == 0 {
			l.end()
			return
		}
		l.wait()
	}
}

// end gives back what tasks have not released: nobody waits for anything any more.
func (l *loop) end() {
	for _, c := range l.conns {
		if c != nil {
			_ = c.release() // what cannot be given back is closed
		}
	}
	_ = l.close()
}

func (l *loop) resume(t *task) {
	l.current = t
	if _, more := t.next(); !more {
		l.live--
	}
}

// wait waits for what comes next, and resumes whoever waits for it.
func (l *loop) wait() {
	for _, e := range l.events[:l.poll()] {
		if e.Fd == wakeupNumber {
			l.answer()
		} else if c := l.conns[e.Fd]; c != nil {
			l.wake(c)
		}
	}
	stopping := l.stopping.Load()
	for stopping && len(l.parked) > 0 {
		l.parked[0].Unpark()
	}
	if len(l.sleeping) == 0 {
		return
	}
	now := time.Now()
	for len(l.sleeping) > 0 && (stopping || !l.sleeping[0].until.After(now)) {
		l.resume(heap.Pop(&l.sleeping).(*task))
	}
}

// poll waits in epoll until something can be read, somebody wakes the loop, or the
// soonest pause is over, and returns the number of events.
//
// Its system calls are raw ones: the thread keeps Go's processor, so that nothing else of
// the runtime is started only because the loop waits. When the runtime has to stop it, as
// for a garbage collection, it sends a signal, which ends the wait.
func (l *loop) poll() int {
	var limit *unix.Timespec
	if len(l.sleeping) > 0 {
		l.limit = unix.NsecToTimespec(max(0, int64(time.Until(l.sleeping[0].until))))
		limit = &l.limit
	}
	n, errno := l.waiter(l.epoll, l.events[:], limit)
	switch errno {
	case 0:
		return n
	case unix.EINTR:
		return 0
	}
	panic(fmt.Sprintf("loop: wait for events: %v", errno)) // probed has found that the kernel can do it
}

// wake resumes the task that waits for the connection, if one does.
func (l *loop) wake(c *conn) {
	if t := c.waiting; t != nil {
		c.waiting = nil
		l.resume(t)
	}
}

// answer does what others have woken the loop for.
func (l *loop) answer() {
	var count [8]byte
	_, _ = unix.Read(l.wakeup, count[:]) // which makes it quiet again
	l.mu.Lock()
	woken, rung := l.woken, l.rung
	l.woken, l.rung = nil, nil
	l.mu.Unlock()
	l.ready = append(l.ready, woken...)
	for _, c := range rung {
		l.wake(c)
	}
}

// ring has the loop look at what others have noted for it. The caller holds mu.
func (l *loop) ring() {
	if l.wakeup < 0 {
		return
	}
	one := [8]byte{1}
	_, _ = unix.Write(l.wakeup, one[:]) // it fails only where nobody has answered for ages
}

// stop ends all pauses.
func (l *loop) stop() {
	l.stopping.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring()
}

// task is a coroutine of a loop.
type task struct {
	loop   *loop
	next   func() (struct{}, bool)
	yield  func(struct{}) bool
	until  time.Time // when its pause is over
	parked bool
	place  int // where it stands in the loop's parked, while it does
}

// park gives the thread back to the loop until it resumes the task.
func (t *task) park() { t.yield(struct{}{}) }

// PauseUntil is Task's.
func (t *task) PauseUntil(moment time.Time) bool {
	if time.Until(moment) <= 0 {
		return true
	}
	l := t.loop
	if l.stopping.Load() {
		return false
	}
	t.until = moment
	heap.Push(&l.sleeping, t)
	t.park()
	return !l.stopping.Load()
}

// Park is Task's.
func (t *task) Park() bool {
	l := t.loop
	if l.stopping.Load() {
		return false
	}
	t.parked, t.place = true, len(l.parked)
	l.parked = append(l.parked, t)
	t.park()
	return !l.stopping.Load()
}

// Unpark is Task's.
func (t *task) Unpark() {
	if !t.parked {
		return
	}
	l := t.loop
	last := len(l.parked) - 1
	l.parked[t.place] = l.parked[last]
	l.parked[t.place].place = t.place
	l.parked[last] = nil
	l.parked = l.parked[:last]
	t.parked = false
	l.ready = append(l.ready, t)
}

// Await is Task's.
func (t *task) Await(f func()) {
	go func() {
		f()
		l := t.loop
		l.mu.Lock()
		defer l.mu.Unlock()
		l.woken = append(l.woken, t)
		l.ring()
	}()
	t.park()
}

// Adopt is Task's.
func (t *task) Adopt(list *Connections) error {
	all := list.all()
	if len(all) == 0 {
		return errNothingToWaitFor
	}
	for _, c := range all {
		if err := c.adopt(t); err != nil {
			return err
		}
	}
	return nil
}

// Release is Task's.
func (t *task) Release(list *Connections) error {
	var err error
	for _, c := range list.all() {
		err = errors.Join(err, c.release())
	}
	return err
}

// sleepers is a heap of the tasks that pause: the first is the one whose pause is over
// first.
type sleepers []*task

func (s sleepers) Len() int           { return len(s) }
func (s sleepers) Less(i, j int) bool { return s[i].until.Before(s[j].until) }
func (s sleepers) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sleepers) Push(t any)        { *s = append(*s, t.(*task)) }

func (s *sleepers) Pop() any {
	last := len(*s) - 1
	t := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return t
}
