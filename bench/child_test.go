//go:build bench

package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/option"
)

// ended holds the output of a program that has ended, and the time that it used.
type ended struct {
	cpu    time.Duration // user and system time of the whole process
	wall   time.Duration
	output []byte
}

// execute runs a program to its end. env is added to the environment.
func execute(t *testing.T, env []string, path string, arguments ...string) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := command(t, env, path, arguments...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, lastLines(stderr.String()+stdout.String()))
	}
	return ended{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall, stdout.Bytes()}
}

// command makes a command that ends with the test.
func command(t *testing.T, env []string, path string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), path, arguments...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// sledge returns the arguments of the program for an action on a database, as a user would type
// them, without a repository.
func sledge(action, database string, values option.Values, more ...string) []string {
	arguments := []string{action, "--db", database, "--no-repo"}
	for name, value := range values {
		arguments = append(arguments, "--set", name+"="+value)
	}
	return append(arguments, more...)
}

// child is a program that runs beside the test.
type child struct {
	*exec.Cmd
	output *bytes.Buffer
}

// inBackground starts sledge.
func inBackground(t *testing.T, arguments []string) child {
	t.Helper()
	c := child{command(t, nil, sledgeProgram, arguments...), new(bytes.Buffer)}
	c.Stdout, c.Stderr = c.output, c.output
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// wait waits for the program to end.
func (c child) wait(t *testing.T) {
	t.Helper()
	if err := c.Wait(); err != nil {
		t.Fatalf("%s: %v\n%s", c.Path, err, lastLines(c.output.String()))
	}
}

// peakMemory returns the program's peak resident memory in bytes. It waits until the program has
// ended, and must be called before wait.
func (c child) peakMemory() int64 {
	var peak int64
	for {
		now, running := peakMemory(c.Process.Pid)
		if !running {
			return peak
		}
		peak = now
		time.Sleep(20 * time.Millisecond)
	}
}

// peakMemory returns the peak resident memory of a running process in bytes, or false if it has
// ended. The maximum that the system reports for ended processes is not suitable, because it
// includes the memory of the process that started the program.
func peakMemory(pid int) (int64, bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false // a zombie has no memory
}

// cpuTime returns the CPU time that a running process has used so far, or 0 if the system does not
// report it.
func cpuTime(pid int) time.Duration {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, status, _ = bytes.Cut(status, []byte(") ")) // after the program's name
	var ticks int64
	for _, field := range bytes.Fields(status)[11:13] { // user and system time
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
