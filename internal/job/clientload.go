package job

import (
	"slices"
)

// ClientLoad is what Sledge's own process used of its machine over some time, and what it
// might have used. A client that is near its limit measures itself.
type ClientLoad struct {
	CPUSeconds float64 `json:"cpu_seconds"` // user and system time
	CoresUsed  float64 `json:"cores_used"`  // that is, in each second
	Cores      float64 `json:"cores"`       // that it might have used: the least of the machine's and the two limits

	// OtherJobs is how many other jobs the same process did at the same time, at most. It is read from
	// jobs of an earlier Sledge; now each job of the web application has its own process.
	OtherJobs int `json:"other_jobs,omitempty"`

	MaxProcs    int     `json:"gomaxprocs"`             // how many Go ran its code on at most
	CgroupCores float64 `json:"cgroup_cores,omitempty"` // how many Linux's control groups allow; 0 for no limit

	// WithDatabase says that the database worked inside this process, as SQLite does:
	// what it used is in these figures.
	WithDatabase bool `json:"with_database,omitempty"`

	// Pauses are the times in which this process did not run at all: it was stopped, its machine was
	// suspended, or it got no core. What users waited meanwhile is not the server's doing.
	Pauses []ClientPause `json:"pauses,omitempty"`

	// ThrottledSeconds is for how long Linux kept it from cores because a control group had
	// used what it may, added up over the cores.
	ThrottledSeconds float64 `json:"throttled_seconds,omitempty"`

	Machine *MachineLoad `json:"machine,omitempty"` // nil where the system does not tell

	// The pauses in which Go's garbage collector held up all of the process.
	GCPauses              int64   `json:"gc_pauses"`
	GCPauseSeconds        float64 `json:"gc_pause_seconds"`         // in all
	GCLongestPauseSeconds float64 `json:"gc_longest_pause_seconds"` // the longest lasted no longer, and up to a quarter less
}

// NearLimit reports whether the client may have been what was measured. One that was busy for a
// moment alone, as in a run of which the first query fails, was not.
func (c ClientLoad) NearLimit() bool {
	const near, moment = 0.8, 0.1 // of its cores; seconds of CPU time
	return !c.WithDatabase && c.CoresUsed >= near*c.Cores && c.CPUSeconds >= moment
}

// HadRoom reports whether the client had what it needed all the time: it was not near its
// limit, was never stopped, and was not throttled for a twentieth of the time.
func (c ClientLoad) HadRoom() bool {
	return !c.NearLimit() && len(c.Pauses) == 0 && !c.Throttled()
}

// Throttled reports whether control groups kept the client from its cores for more than a
// twentieth of the time that it worked and waited for them.
func (c ClientLoad) Throttled() bool {
	return c.ThrottledSeconds > 0.05*(c.CPUSeconds+c.ThrottledSeconds) && c.ThrottledSeconds >= 0.1
}

// Paused returns for how many seconds in all the client did not run.
func (c ClientLoad) Paused() (seconds float64) {
	for _, p := range c.Pauses {
		seconds += p.Seconds
	}
	return seconds
}

// MachineLoad says who used the cores of the client's machine, in cores: seconds of CPU time in each
// second. They do not contain the time of interrupts.
type MachineLoad struct {
	Cores  int     `json:"cores"`  // of the machine
	Busy   float64 `json:"busy"`   // used by all processes
	Client float64 `json:"client"` // by this one
	Server float64 `json:"server"` // by the database's server, where it is on this machine
	Others float64 `json:"others"` // by all else
	Steal  float64 `json:"steal"`  // that a host gave to other machines

	Waited   float64 `json:"waited_seconds"` // that threads of this process waited for a core, added up
	Pressure float64 `json:"pressure"`       // share of the time in which some process waited for one, by Linux's pressure stall information

	// Unknown says why Server, and so Others, is not known; "" if it is known.
	Unknown string `json:"unknown,omitempty"`

	Processes []ProcessLoad `json:"processes,omitempty"` // those of the others that used most, by their names
}

// ProcessLoad is what processes of a name used.
type ProcessLoad struct {
	Name  string  `json:"name"`
	Cores float64 `json:"cores"`
	Ended float64 `json:"-"` // by their children that ended, where those have the same name
}

// Disturbed reports whether others used so many of the cores that figures may be theirs: a twentieth of all
// cores, and a quarter of one, or as much stolen by the host.
func (m MachineLoad) Disturbed() bool {
	enough := max(0.25, 0.05*float64(m.Cores))
	return m.Unknown == "" && m.Others >= enough || m.Steal >= enough
}

// Attribute splits what other processes used into the server's part and the others'. Server are the names of
// the server's programs, if it is on this machine, and else nil.
func (m *MachineLoad) Attribute(server []string) {
	seen := false
	var others []ProcessLoad
	for _, p := range m.Processes {
		if slices.Contains(server, p.Name) {
			seen, m.Server = true, m.Server+p.Cores+max(0, p.Ended)
		} else if len(others) < mostProcesses && p.Cores >= 0.01 {
			others = append(others, p)
		}
	}
	m.Processes, m.Others = others, max(0, m.Busy-m.Client-m.Server)
	if server != nil && !seen {
		m.Unknown = "the server is on this machine, and its processes cannot be seen"
	}
}

const mostProcesses = 3

// ClientPause is a time in which Sledge's own process did not run.
type ClientPause struct {
	From    float64 `json:"from_seconds"` // since the measurement began
	Seconds float64 `json:"seconds"`

	// CPUSeconds is what it used meanwhile. If that is most of the time, the process was not stopped:
	// it was too busy to look at its clock.
	CPUSeconds float64 `json:"cpu_seconds"`
}
