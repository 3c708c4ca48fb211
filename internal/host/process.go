package host

import (
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// Process is a process on a host. Its start time distinguishes it from a later process with the
// same pid.
type Process struct {
	Host  string
	PID   int
	Begun time.Time
}

// beganWithin is the tolerance between two readings of a start time. Linux derives the start time
// from the time of day, which may be adjusted.
const beganWithin = 2 * time.Second

// Self returns this process.
func Self() (Process, error) { return ProcessOf(os.Getpid()) }

// ProcessOf returns the process with a pid on this host.
func ProcessOf(pid int) (Process, error) {
	name, err := os.Hostname()
	if err != nil {
		return Process{}, fmt.Errorf("find the name of this host: %w", err)
	}
	begun, _, err := look(pid)
	if err != nil {
		return Process{}, fmt.Errorf("find the start time of process %d: %w", pid, err)
	}
	return Process{name, pid, begun}, nil
}

// look returns the start time of the process with a pid, and whether it still runs. A zombie does
// not run.
func look(pid int) (begun time.Time, runs bool, err error) {
	if pid < 0 || pid > math.MaxInt32 {
		return time.Time{}, false, fmt.Errorf("there is no process %d", pid)
	}
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return time.Time{}, false, err
	}
	ms, err := p.CreateTime()
	if err != nil {
		return time.Time{}, false, err
	}
	status, err := p.Status()
	zombie := err == nil && slices.Contains(status, process.Zombie)
	return time.UnixMilli(ms), !zombie, nil
}

// Alive reports whether the process still runs. It must be on this host.
func (p Process) Alive() bool {
	begun, runs, err := look(p.PID)
	return err == nil && runs && begun.Sub(p.Begun).Abs() <= beganWithin
}
