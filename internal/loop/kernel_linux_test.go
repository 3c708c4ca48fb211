package loop

import (
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbidden names the environment variable with the numbers of system calls, separated by spaces,
// that fail in this process as on an older kernel.
const forbidden = "SLEDGE_TEST_FORBIDDEN_CALLS"

func TestMain(m *testing.M) {
	if calls := os.Getenv(forbidden); calls != "" {
		if err := forbid(strings.Fields(calls)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// forbid installs a seccomp filter permanently in all threads of this process.
func forbid(calls []string) error {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the call's number
	for _, call := range calls {
		number, err := strconv.ParseUint(call, 10, 32)
		if err != nil {
			return err
		}
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(number)},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	const syncThreads = 1 // SECCOMP_FILTER_FLAG_TSYNC
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, syncThreads, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	runtime.KeepAlive(filter)
	return nil
}

// The tests of this package run again in processes in which some system calls fail.
func TestKernels(t *testing.T) {
	if os.Getenv(forbidden) != "" {
		t.Skip("this process runs without some system calls")
	}
	for _, tt := range []struct {
		name   string
		calls  []int
		expect string
	}{
		{"Linux before 5.11", []int{unix.SYS_EPOLL_PWAIT2}, "twice"},
		{"a sandbox without event loops", []int{unix.SYS_EPOLL_PWAIT2, unix.SYS_PPOLL}, "never"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls []string
			for _, call := range tt.calls {
				calls = append(calls, strconv.Itoa(call))
			}
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^(TestProbed|TestTasks|TestPauses|TestStop|TestAwait)", "-test.v")
			child.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOCOVERDIR=") }),
				forbidden+"="+strings.Join(calls, " "), expected+"="+tt.expect)
			output, err := child.CombinedOutput()
			if err != nil || !strings.Contains(string(output), "--- PASS: TestProbed") {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// expected names the environment variable with the waiter that the process must use.
const expected = "SLEDGE_TEST_EXPECTED_WAIT"

func TestProbed(t *testing.T) {
	want := map[string]waiter{"once": waitOnce, "twice": waitTwice, "never": nil}
	name := os.Getenv(expected)
	if name == "" {
		t.Skip("only in the processes of TestKernels")
	}
	if got := reflect.ValueOf(probed()).Pointer(); got != reflect.ValueOf(want[name]).Pointer() {
		t.Errorf("a loop waits with %s, want %s", runtime.FuncForPC(got).Name(), name)
	}
}
