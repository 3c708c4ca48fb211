//go:build bench

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// sledgeProgram is the path of the program under test, built from this tree.
var sledgeProgram string

func TestMain(m *testing.M) {
	if role := os.Getenv("SLEDGE_BENCH_ROLE"); role != "" {
		if err := play(role); err != nil {
			fmt.Fprintln(os.Stderr, role, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	folder, err := os.MkdirTemp("", "sledge-bench")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sledgeProgram = filepath.Join(folder, "sledge")
	build := exec.Command("go", "build", "-o", sledgeProgram, "../cmd/sledge")
	build.Stderr = os.Stderr
	code := 1
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build sledge:", err)
	} else {
		code = run(m)
	}
	os.RemoveAll(folder)
	os.Exit(code)
}

// run runs the tests and then prints the figures. The servers that tests share end with this
// process (see testserver).
func run(m *testing.M) int {
	code := m.Run()
	if err := report(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		return 1
	}
	return code
}

// rounds returns how many times two programs are measured in turn. The figure is the median of the
// rounds.
func rounds() int {
	if testing.Short() {
		return 1
	}
	return 3
}

// trial returns the measured time of a program. With -short it only tests the harness, and the
// figures are hints.
func trial() time.Duration {
	if testing.Short() {
		return 3 * time.Second
	}
	return 10 * time.Second
}

// startUp is the length of the run that is subtracted from a trial, so that starting, connecting
// and preparing do not count.
const startUp = time.Second
