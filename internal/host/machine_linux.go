package host

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

// machine is the use of this machine's cores up to an instant, in seconds summed over the
// cores.
type machine struct {
	busy, steal float64 // used by any process; given to other machines by the host
	pressure    float64 // time in which some process waited for a core
	waited      float64 // time in which threads of this process waited for a core
	processes   map[int]processUse
}

// processUse is the CPU time of a process, and of its children that have ended.
type processUse struct {
	name            string
	seconds, ofDead float64
}

// ticks is the number of Linux clock ticks per second in /proc.
const ticks = 100

// readMachine reads Linux's figures below root; false if there are none.
func readMachine(root fs.FS) (m machine, known bool) {
	text, err := fs.ReadFile(root, "proc/stat")
	if err != nil {
		return m, false
	}
	// "cpu user nice system idle iowait irq softirq steal guest": interrupt time is left out,
	// because much of it comes from the network, and so from the run itself.
	first, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return m, false
	}
	m.busy = (doctor.Number(fields[1]) + doctor.Number(fields[2]) + doctor.Number(fields[3])) / ticks
	m.steal = doctor.Number(fields[8]) / ticks
	if text, err := fs.ReadFile(root, "proc/pressure/cpu"); err == nil { // "some avg10=0.00 avg60=0.00 avg300=0.00 total=61128745"
		first, _, _ := strings.Cut(string(text), "\n")
		if _, total, found := strings.Cut(first, "total="); found {
			m.pressure = doctor.Number(total) / 1e6
		}
	}
	m.waited, _ = waitedSeconds(root)
	m.processes = map[int]processUse{}
	folders, _ := fs.ReadDir(root, "proc")
	for _, folder := range folders {
		pid, err := strconv.Atoi(folder.Name())
		if err != nil {
			continue
		}
		text, err := fs.ReadFile(root, path.Join("proc", folder.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// "17812 (postgres) S ppid …": the fields after the name begin with the third.
		from, to := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
		if from < 0 || to < from {
			continue
		}
		fields := strings.Fields(string(text[to+1:]))
		if len(fields) < 15 {
			continue
		}
		own, ofDead := doctor.Number(fields[11])+doctor.Number(fields[12]), doctor.Number(fields[13])+doctor.Number(fields[14])
		m.processes[pid] = processUse{string(text[from+1 : to]), own / ticks, ofDead / ticks}
	}
	return m, true
}

// waitedSeconds returns the total time in which threads of this process waited for a core, and false
// if the kernel does not report it.
func waitedSeconds(root fs.FS) (seconds float64, known bool) {
	threads, _ := fs.ReadDir(root, "proc/self/task")
	for _, thread := range threads { // "ran waited slices", in nanoseconds
		text, _ := fs.ReadFile(root, path.Join("proc/self/task", thread.Name(), "schedstat"))
		if fields := strings.Fields(string(text)); len(fields) == 3 {
			seconds, known = seconds+doctor.Number(fields[1])/1e9, true
		}
	}
	return seconds, known
}

// machineWatch measures the use of this machine's cores from an instant on, and in parts of that time. A nil
// watch measures nothing.
type machineWatch struct {
	root   fs.FS
	begun  machine
	parts  []machinePart
	newest machine       // at the end of the last part
	client float64       // CPU seconds of this process until then
	until  time.Duration // since the beginning
	took   time.Duration // to read it
}

// machinePart is the use in a part of the time.
type machinePart struct {
	from, length time.Duration
	load         job.MachineLoad
}

// watchMachine begins to measure, and returns nil if there are no figures.
func watchMachine() *machineWatch {
	w := &machineWatch{root: os.DirFS("/")}
	began := time.Now()
	var known bool
	if w.begun, known = readMachine(w.root); !known {
		return nil
	}
	w.newest, w.took = w.begun, time.Since(began)
	return w
}

// second ends a part of the time if that is due: after five seconds, or later if a reading takes more than half
// a percent of that, or if there are already many parts. client is this process' CPU time since the beginning.
func (w *machineWatch) second(now time.Duration, client float64, cores int) {
	const shortest, most, share = 5 * time.Second, 100, 200
	if w == nil || now-w.until < max(shortest, now/most, share*w.took) {
		return
	}
	began := time.Now()
	read, known := readMachine(w.root)
	if !known {
		return
	}
	part := w.newest.load(read, os.Getpid(), client-w.client, (now - w.until).Seconds(), cores)
	w.parts = append(w.parts, machinePart{w.until, now - w.until, *part})
	w.newest, w.client, w.until, w.took = read, client, now, time.Since(began)
}

// end returns the use since the beginning.
func (w *machineWatch) end(client, elapsed float64, cores int) *job.MachineLoad {
	if w == nil || elapsed <= 0 {
		return nil
	}
	now, known := readMachine(w.root)
	if !known {
		return nil
	}
	load := w.begun.load(now, os.Getpid(), client, elapsed, cores)
	for _, part := range w.parts {
		load.AddPart(part.from.Seconds(), part.length.Seconds(), part.load)
	}
	return load
}

// load returns the use between two readings, without that of this process.
func (m machine) load(now machine, self int, client, elapsed float64, cores int) *job.MachineLoad {
	load := &job.MachineLoad{
		Cores:    cores,
		Client:   client / elapsed,
		Busy:     max(client, now.busy-m.busy) / elapsed,
		Steal:    max(0, now.steal-m.steal) / elapsed,
		Waited:   max(0, now.waited-m.waited),
		Pressure: max(0, now.pressure-m.pressure) / elapsed,
	}
	byName := map[string]job.ProcessLoad{}
	for pid, p := range now.processes {
		if before := m.processes[pid]; pid != self {
			sum := byName[p.name]
			sum.Cores += max(0, p.seconds-before.seconds) / elapsed
			sum.Ended += max(0, p.ofDead-before.ofDead) / elapsed
			byName[p.name] = sum
		}
	}
	for pid, p := range m.processes { // the use of an ended process now counts for its parent
		if _, lives := now.processes[pid]; !lives {
			sum := byName[p.name]
			sum.Ended -= (p.seconds + p.ofDead) / elapsed
			byName[p.name] = sum
		}
	}
	for name, sum := range byName {
		sum.Name = name
		load.Processes = append(load.Processes, sum)
	}
	slices.SortFunc(load.Processes, func(a, b job.ProcessLoad) int {
		return cmp.Or(cmp.Compare(b.Cores, a.Cores), strings.Compare(a.Name, b.Name))
	})
	return load
}
