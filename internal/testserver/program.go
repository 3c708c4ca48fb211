package testserver

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// built is the program that this test binary has built.
var built struct {
	sync.Mutex
	folder string
	err    error
}

// Program returns the path of the program sledge, which it builds once for all tests of a test
// binary. A test may link to the file, but must not change it.
func Program(t testing.TB) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.folder == "" && built.err == nil {
		built.folder, built.err = os.MkdirTemp("", "sledge-program")
	}
	if built.err != nil {
		t.Fatal(built.err)
	}
	path := filepath.Join(built.folder, "sledge")
	if _, err := os.Stat(path); err != nil {
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "sledge/cmd/sledge") // without the data for debuggers, as make test links
		build.Env = append(os.Environ(), "CGO_ENABLED=0")                                       // also if the tests need C, as the race detector does
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	return path
}

// removeProgram removes the program.
func removeProgram() {
	built.Lock()
	defer built.Unlock()
	_ = os.RemoveAll(built.folder) // an empty path removes nothing
}

// listenToSignals makes SIGHUP and SIGINT work in programs that tests start, even if the tests were
// started with these signals ignored, as by nohup or in the background of a script. A child
// inherits an ignored signal; a signal that the parent handles is reset in the child.
func listenToSignals() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
