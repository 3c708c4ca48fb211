//go:build unix

// Package calltest measures the client's cost of a call through Sledge's session and through the
// driver alone, for databases whose server cannot be started here. A stand-in responds at once. It
// is a separate process, so that its own cost does not count.
package calltest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asStandIn is the environment variable that makes a test program a stand-in.
const asStandIn = "SLEDGE_TEST_AS_STANDIN"

// StandIn must be called in an init function of the tests. If Beside has started the program as a
// stand-in, StandIn serves clients with the function serve until the program's input ends, and then
// exits. Otherwise it returns at once.
func StandIn(serve func(net.Conn)) {
	if os.Getenv(asStandIn) == "" {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			if conn, err := l.Accept(); err == nil {
				go serve(conn)
			}
		}
	}()
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// Beside starts this test program again as a stand-in, and returns its port on this machine. The
// stand-in ends with the test.
func Beside(t testing.TB) int {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), program)
	process.Env = append(os.Environ(), asStandIn+"=1")
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = process.Wait()
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// NoMoreAllocations fails the test if a call through Sledge's session allocates more often than a
// call through the driver alone.
func NoMoreAllocations(t *testing.T, ours, bare func() error) {
	t.Helper()
	count := func(call func() error) float64 {
		return testing.AllocsPerRun(1000, func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		})
	}
	driverAlone := count(bare)
	if got := count(ours); got > driverAlone {
		t.Errorf("a call allocates %.0f times, want at most %.0f times, as the driver alone does", got, driverAlone)
	}
}

// Compare reports the client's CPU time of a call through Sledge's session and through the driver
// alone. It calls them in turn; an operation is a number of calls of each. The times are the
// kernel's, for this process.
func Compare(b *testing.B, ours, bare func() error) {
	b.Helper()
	const calls = 500
	var byUs, byDriver time.Duration
	n := 0
	measure := func(sum *time.Duration, call func() error) {
		began := used(b)
		for range calls {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
		*sum += used(b) - began
	}
	for b.Loop() {
		measure(&byUs, ours)
		measure(&byDriver, bare)
		n += calls
	}
	each := func(sum time.Duration) float64 { return float64(sum.Microseconds()) / float64(n) }
	b.ReportMetric(each(byUs), "cpu-µs/call")
	b.ReportMetric(each(byDriver), "cpu-µs/call-of-driver")
	b.ReportMetric(byUs.Seconds()/byDriver.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op") // hide it: it includes both calls and the waits
}

// used returns the CPU time of this process so far.
func used(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
