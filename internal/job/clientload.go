package job

import (
	"slices"
)

// ClientLoad is the load of Sledge's own process over some time, with the limits of its machine.
// The figures of a client near its limit describe the client, not the server.
type ClientLoad struct {
	CPUSeconds float64 `json:"cpu_seconds"` // user and system time
	CoresUsed  float64 `json:"cores_used"`  // CPU seconds used in each second
	Cores      float64 `json:"cores"`       // cores that the process may use: the least of the machine's and the two limits

	// OtherJobs is the largest number of other jobs that ran in the same process at once. Only jobs
	// of earlier versions have it, because now each job of the web application has its own process.
	OtherJobs int `json:"other_jobs,omitempty"`

	MaxProcs    int     `json:"gomaxprocs"`             // GOMAXPROCS: the cores that Go may use
	CgroupCores float64 `json:"cgroup_cores,omitempty"` // the limit of Linux's control groups, in cores; 0 without a limit

	// WithDatabase says that the database is embedded in this process, like SQLite, so these
	// figures include it.
	WithDatabase bool `json:"with_database,omitempty"`

	// Pauses are the times in which this process did not run at all: it was stopped, its machine
	// was suspended, or it got no core. The server did not cause the waits of users in these times.
	Pauses []ClientPause `json:"pauses,omitempty"`

	// ThrottledSeconds is the time in which Linux kept the process from running because a control
	// group had used up its quota, summed over the cores.
	ThrottledSeconds float64 `json:"throttled_seconds,omitempty"`

	// Judged is the number of seconds in which Sledge looked for signs that the client slowed the
	// run, and Limits are those that it found. Untold is what cannot be told, and why.
	Judged int           `json:"judged_seconds,omitempty"`
	Limits []ClientLimit `json:"limits,omitempty"`
	Untold string        `json:"untold,omitempty"`

	// Uses are the measures of the process as a resource. In a result they are among its Resources.
	Uses []ResourceUse `json:"uses,omitempty" hidden:"true" jsonschema:"-"`

	Machine *MachineLoad `json:"machine,omitempty"` // nil if the system does not report it

	// The pauses in which Go's garbage collector stopped the whole process.
	GCPauses              int64   `json:"gc_pauses"`
	GCPauseSeconds        float64 `json:"gc_pause_seconds"`         // total
	GCLongestPauseSeconds float64 `json:"gc_longest_pause_seconds"` // the longest pause was at most this long, and at least three quarters of it
}

// NearLimit reports whether the client may have limited the result. A client that was busy only for
// a moment, as in a run whose first query fails, was not near its limit.
func (c ClientLoad) NearLimit() bool {
	const near, moment = 0.8, 0.1 // share of its cores; seconds of CPU time
	return !c.WithDatabase && c.CoresUsed >= near*c.Cores && c.CPUSeconds >= moment
}

// Bound returns the first sign that the client limited the result, or nil.
func (c ClientLoad) Bound() *ClientLimit {
	if i := slices.IndexFunc(c.Limits, func(l ClientLimit) bool { return l.Bound }); i >= 0 {
		return &c.Limits[i]
	}
	return nil
}

// HadRoom reports whether the client had enough resources all the time: it was not near its limit,
// was never stopped, was not throttled, and showed no other sign that it slowed the run.
func (c ClientLoad) HadRoom() bool {
	return !c.NearLimit() && len(c.Pauses) == 0 && !c.Throttled() && len(c.Limits) == 0
}

// Throttled reports whether control groups kept the client from its cores for more than a twentieth
// of the time that it worked and waited for them.
func (c ClientLoad) Throttled() bool {
	return c.ThrottledSeconds > 0.05*(c.CPUSeconds+c.ThrottledSeconds) && c.ThrottledSeconds >= 0.1
}

// Paused returns the total seconds in which the client did not run.
func (c ClientLoad) Paused() (seconds float64) {
	for _, p := range c.Pauses {
		seconds += p.Seconds
	}
	return seconds
}

// MachineLoad is the use of the cores of the client's machine, in cores, which are seconds of CPU
// time per second. The figures exclude the time of interrupts.
type MachineLoad struct {
	Cores  int     `json:"cores"`  // cores of the machine
	Busy   float64 `json:"busy"`   // used by all processes
	Client float64 `json:"client"` // used by this process
	Server float64 `json:"server"` // used by the database's server, if it is on this machine
	Others float64 `json:"others"` // used by all other processes
	Steal  float64 `json:"steal"`  // stolen: given to other machines by the host

	Waited   float64 `json:"waited_seconds"` // total time that threads of this process waited for a core
	Pressure float64 `json:"pressure"`       // share of the time in which any process waited for a core, by Linux's pressure stall information

	// Unknown is why Server, and therefore Others, is unknown; "" if they are known.
	Unknown string `json:"unknown,omitempty"`

	Processes []ProcessLoad `json:"processes,omitempty"` // the other processes with the highest use, by name

	Peak  *MachinePeak `json:"peak,omitempty"` // the part of the time in which the other processes used most; nil if the time has no parts
	parts []machinePart
}

// MachinePeak is what other processes used in a part of the time.
type MachinePeak struct {
	From    float64 `json:"from_second"`
	Seconds float64 `json:"seconds"`
	Others  float64 `json:"others"`
	Name    string  `json:"name,omitempty"`  // of the processes of one name with the highest use
	Cores   float64 `json:"cores,omitempty"` // that they used
}

// machinePart is the load in a part of the time.
type machinePart struct {
	from, seconds float64
	load          MachineLoad
}

// AddPart adds the load in a part of the time, from which Attribute finds the peak.
func (m *MachineLoad) AddPart(from, seconds float64, load MachineLoad) {
	m.parts = append(m.parts, machinePart{from, seconds, load})
}

// ProcessLoad is the load of all processes of one name.
type ProcessLoad struct {
	Name  string  `json:"name"`
	Cores float64 `json:"cores"`
	Ended float64 `json:"-"` // used by their children that have ended, if those have the same name
}

// Disturbed reports whether other processes or the host used enough cores to change the figures: at
// least 5 % of all cores and at least a quarter of a core.
func (m MachineLoad) Disturbed() bool {
	enough := max(0.25, 0.05*float64(m.Cores))
	return m.Unknown == "" && m.Others >= enough || m.Steal >= enough
}

// Attribute splits the use of other processes into the server's part and the rest. server holds the
// names of the server's programs, or is nil if the server is on another machine.
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
		m.Unknown = "the server is on this machine, but its processes are not visible"
	}
	for _, part := range m.parts {
		part.load.Attribute(server)
		if m.Peak != nil && part.load.Others <= m.Peak.Others {
			continue
		}
		m.Peak = &MachinePeak{From: part.from, Seconds: part.seconds, Others: part.load.Others}
		if len(part.load.Processes) > 0 {
			m.Peak.Name, m.Peak.Cores = part.load.Processes[0].Name, part.load.Processes[0].Cores
		}
	}
	m.parts = nil
}

const mostProcesses = 3

// ClientPause is a time in which Sledge's own process did not run.
type ClientPause struct {
	From    float64 `json:"from_seconds"` // since the measurement began
	Seconds float64 `json:"seconds"`

	// CPUSeconds is the CPU time that the process used in the pause. If it is most of the pause,
	// the process was not stopped, but too busy to read its clock.
	CPUSeconds float64 `json:"cpu_seconds"`
}
