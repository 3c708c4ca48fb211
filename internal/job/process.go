package job

import (
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// owner is the process that does a job. The time it began tells it from a later
// process that was given the same pid.
type owner struct {
	host  string
	pid   int
	begun time.Time
}

const (
	// beganWithin is how far apart two readings of when one process began may be:
	// Linux works it out from the time of day, which is adjusted now and then.
	beganWithin = 2 * time.Second

	// silentFor is how long a job on another host, where its process cannot be
	// looked up, may show no sign of life before it counts as killed.
	silentFor = 8 * heartbeat
)

// self returns the process that this is.
func self() (owner, error) {
	host, err := os.Hostname()
	if err != nil {
		return owner{}, fmt.Errorf("find the name of this host: %w", err)
	}
	begun, _, err := look(os.Getpid())
	if err != nil {
		return owner{}, fmt.Errorf("find when this process began: %w", err)
	}
	return owner{host, os.Getpid(), begun}, nil
}

// look returns when the process with that pid began, and whether it still runs:
// one that ended stays in the list as a zombie until its parent takes note.
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

// alive reports whether the process is still there.
func (o owner) alive() bool {
	begun, runs, err := look(o.pid)
	return err == nil && runs && begun.Sub(o.begun).Abs() <= beganWithin
}
