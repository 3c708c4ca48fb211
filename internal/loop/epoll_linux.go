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

// Supported reports whether the kernel supports event loops. Every Linux that Go runs on does,
// but a sandbox may forbid it.
func Supported() bool { return probed() != nil }

// waiter waits for events of an epoll instance. A nil limit means no time limit. The limit has
// nanosecond resolution, subject to the kernel's timers.
type waiter func(epoll int, events []unix.EpollEvent, limit *unix.Timespec) (n int, errno syscall.Errno)

// probed returns the best waiter that the kernel supports, or nil.
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

// waitOnce waits with one system call. It needs Linux 5.11: older kernels return ENOSYS, and some
// sandboxes EPERM.
func waitOnce(epoll int, events []unix.EpollEvent, limit *unix.Timespec) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epoll),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), uintptr(unsafe.Pointer(limit)), 0, 0)
	return int(n), errno
}

// waitTwice waits with ppoll until the epoll descriptor is readable, then fetches the events. The
// timeout of ppoll has nanosecond resolution. That of epoll_pwait has milliseconds, so each
// transaction of a rate could begin up to one millisecond late.
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

// loops is a Scheduler that distributes its tasks over event loops.
type loops []*loop

// New returns a scheduler of n event loops. During Run each loop occupies one of Go's processors
// (GOMAXPROCS), so there must be at least one more for all other goroutines.
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
	return &group{loops: list}, nil
}

func (l loops) close() error {
	var err error
	for _, one := range l {
		err = errors.Join(err, one.close())
	}
	return err
}

// group is the Scheduler of some loops.
type group struct {
	loops
	tasks int
}

func (c *group) Go(work func(Task)) {
	c.loops[c.tasks%len(c.loops)].add(work)
	c.tasks++
}

func (c *group) Run() {
	var running sync.WaitGroup
	for _, l := range c.loops {
		running.Go(l.run)
	}
	running.Wait()
}

func (c *group) Idle() (total time.Duration) {
	for _, l := range c.loops {
		total += l.idle.total()
	}
	return total
}

func (c *group) Stop() {
	for _, l := range c.loops {
		l.stop()
	}
}

// loop resumes its tasks, one at a time, when the event that they wait for arrives.
type loop struct {
	waiter   waiter
	epoll    int
	live     int     // tasks that have not ended
	ready    []*task // resumed before the loop waits again
	current  *task   // the running task
	sleeping sleepers
	parked   []*task // unordered; each task knows its index
	conns    []*conn // adopted connections by their number in epoll; nil if the number is free
	free     []int   // free numbers
	events   [128]unix.EpollEvent
	limit    unix.Timespec // buffer of the wait; a field, so that a wait allocates nothing
	idle     stopwatch     // runs while the loop waits

	stopping atomic.Bool

	mu          sync.Mutex
	wakeup      int     // the eventfd that wakes the loop from other goroutines; -1 after the end
	woken       []*task // tasks whose Await has returned
	interrupted []*conn // connections whose deadline passed or that were closed
}

// wakeupNumber is the eventfd's number in epoll.
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
	l := &loop{waiter: wait, epoll: epoll, wakeup: wakeup, idle: stopwatch{zero: time.Now()}}
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

// end releases the connections that tasks still hold. It is called after the last task has ended.
func (l *loop) end() {
	for _, c := range l.conns {
		if c != nil {
			_ = c.release() // a connection that cannot be released is closed
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

// wait waits for the next events and resumes the tasks that wait for them.
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

// poll waits in epoll until a connection is readable, another goroutine wakes the loop, or the
// next pause ends. It returns the number of events.
//
// It uses raw system calls, so the thread keeps Go's processor, and the runtime does not start
// another thread when the loop waits. When the runtime has to stop the thread, for example for
// garbage collection, it sends a signal, which ends the wait.
func (l *loop) poll() int {
	var limit *unix.Timespec
	if len(l.sleeping) > 0 {
		l.limit = unix.NsecToTimespec(max(0, int64(time.Until(l.sleeping[0].until))))
		limit = &l.limit
	}
	l.idle.start()
	n, errno := l.waiter(l.epoll, l.events[:], limit)
	l.idle.stop()
	switch errno {
	case 0:
		return n
	case unix.EINTR:
		return 0
	}
	panic(fmt.Sprintf("loop: wait for events: %v", errno)) // probed has checked that the kernel supports it
}

// wake resumes the task that waits for the connection, if any.
func (l *loop) wake(c *conn) {
	if t := c.waiting; t != nil {
		c.waiting = nil
		l.resume(t)
	}
}

// answer handles the requests for which other goroutines woke the loop.
func (l *loop) answer() {
	var count [8]byte
	_, _ = unix.Read(l.wakeup, count[:]) // resets the eventfd
	l.mu.Lock()
	woken, interrupted := l.woken, l.interrupted
	l.woken, l.interrupted = nil, nil
	l.mu.Unlock()
	l.ready = append(l.ready, woken...)
	for _, c := range interrupted {
		l.wake(c)
	}
}

// signal wakes the loop so that it handles its pending requests. The caller holds mu.
func (l *loop) signal() {
	if l.wakeup < 0 {
		return
	}
	one := [8]byte{1}
	_, _ = unix.Write(l.wakeup, one[:]) // it fails only if the counter overflows
}

// stop ends all pauses.
func (l *loop) stop() {
	l.stopping.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signal()
}

// task is a coroutine of a loop.
type task struct {
	loop   *loop
	next   func() (struct{}, bool)
	yield  func(struct{}) bool
	until  time.Time // the end of its pause
	parked bool
	index  int // its index in the loop's parked list
}

// park gives the thread back to the loop until the loop resumes the task.
func (t *task) park() { t.yield(struct{}{}) }

// PauseUntil implements Task.
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

// Park implements Task.
func (t *task) Park() bool {
	l := t.loop
	if l.stopping.Load() {
		return false
	}
	t.parked, t.index = true, len(l.parked)
	l.parked = append(l.parked, t)
	t.park()
	return !l.stopping.Load()
}

// Unpark implements Task.
func (t *task) Unpark() {
	if !t.parked {
		return
	}
	l := t.loop
	last := len(l.parked) - 1
	l.parked[t.index] = l.parked[last]
	l.parked[t.index].index = t.index
	l.parked[last] = nil
	l.parked = l.parked[:last]
	t.parked = false
	l.ready = append(l.ready, t)
}

// Await implements Task.
func (t *task) Await(f func()) {
	go func() {
		f()
		l := t.loop
		l.mu.Lock()
		defer l.mu.Unlock()
		l.woken = append(l.woken, t)
		l.signal()
	}()
	t.park()
}

// Adopt implements Task.
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

// Release implements Task.
func (t *task) Release(list *Connections) error {
	var err error
	for _, c := range list.all() {
		err = errors.Join(err, c.release())
	}
	return err
}

// sleepers is a heap of the pausing tasks, ordered by the end of their pause.
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
