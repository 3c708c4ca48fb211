// Package hosttest loads this machine by known amounts, for tests and benchmarks of the host sampler.
package hosttest

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Burner is a process that only computes, on one core.
type Burner struct {
	t   testing.TB
	cmd *exec.Cmd
}

// Burn starts a Burner that the system shows under a name, which has at most 15 bytes. It ends with
// the test.
func Burn(t testing.TB, name string) *Burner {
	t.Helper()
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), name) // the system shows the name of the file that was executed
	if err := os.Symlink(shell, link); err != nil {
		t.Fatal(err)
	}
	b := &Burner{t, exec.Command(link, "-c", "while :; do :; done")}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.cmd.Process.Kill() // it may have ended
		_ = b.cmd.Wait()
	})
	return b
}

// WorkFor waits until the process has used an amount of CPU time, and stops it. It still exists, so
// the system shows its use.
func (b *Burner) WorkFor(least time.Duration) {
	b.t.Helper()
	for b.used() < least {
		time.Sleep(10 * time.Millisecond)
	}
	if err := b.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		b.t.Fatal(err)
	}
	for !b.stopped() {
		time.Sleep(time.Millisecond)
	}
}

// stopped reports whether a signal has stopped the process.
func (b *Burner) stopped() bool {
	b.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.cmd.Process.Pid)) // "17812 (burn1) T ppid …"
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Contains(string(text), ") T ")
}

// used returns the CPU time so far.
func (b *Burner) used() time.Duration {
	b.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", b.cmd.Process.Pid)) // "ran waited slices", in nanoseconds
	if err != nil {
		b.t.Skipf("the kernel does not report the CPU time of a process in nanoseconds: %v", err)
	}
	ran, _, _ := strings.Cut(string(text), " ")
	nanoseconds, err := strconv.ParseInt(ran, 10, 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return time.Duration(nanoseconds)
}

// End ends the process and returns its CPU seconds, which the kernel reports to its parent.
func (b *Burner) End() float64 {
	b.t.Helper()
	if err := b.cmd.Process.Kill(); err != nil {
		b.t.Fatal(err)
	}
	_ = b.cmd.Wait() // it was killed
	return (b.cmd.ProcessState.UserTime() + b.cmd.ProcessState.SystemTime()).Seconds()
}

// Disk returns the disk that has the file system of a folder. It returns false if the file system is
// on no disk, or on a device that consists of others.
func Disk(folder string) (string, bool) {
	var stat unix.Stat_t
	if err := unix.Stat(folder, &stat); err != nil {
		return "", false
	}
	device, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev)))
	if err != nil {
		return "", false
	}
	if _, err := os.Stat(filepath.Join(device, "partition")); err == nil {
		device = filepath.Dir(device)
	}
	_, err = os.Stat(filepath.Join(device, "device"))
	return filepath.Base(device), err == nil
}

// block is the unit of the amounts, in bytes.
const block = 1e6

// Write writes a file of megabytes (10^6 bytes) to a folder, waits until the disk has it, and returns
// its path.
func Write(t testing.TB, folder string, megabytes int) string {
	t.Helper()
	file, err := os.CreateTemp(folder, "written")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data := make([]byte, block)
	for n := range megabytes {
		copy(data, strconv.Itoa(n))
		if _, err := file.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// Read reads a file from its disk, not from memory.
func Read(t testing.TB, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{file}, make([]byte, block)); err != nil {
		t.Fatal(err)
	}
}

// Send sends megabytes (10^6 bytes) by TCP over the loopback interface, and waits until they have
// arrived.
func Send(t testing.TB, megabytes int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	arrived := make(chan int64, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			arrived <- 0
			return
		}
		defer conn.Close()
		n, _ := io.Copy(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{conn}) // the number tells
		arrived <- n
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, block)
	for range megabytes {
		if _, err := conn.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if n := <-arrived; n != int64(megabytes)*block {
		t.Fatalf("%d bytes have arrived", n)
	}
}
