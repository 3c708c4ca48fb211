package host

import (
	"os"
	"runtime"
	"sync"
)

// Cores is the number of cores that Go could use when the process started: GOMAXPROCS of the
// environment, or the cores that the machine and the control groups allow. It never changes.
func Cores() int { return initialCores }

var (
	initialCores = runtime.GOMAXPROCS(0)
	fixedCores   = os.Getenv("GOMAXPROCS") != "" // set by the user's GOMAXPROCS
)

// CoreUse is how a job uses cores while its virtual users work.
type CoreUse struct {
	Loops int  // event loops, each of which occupies a core
	All   bool // use all cores, because a database runs inside this process
}

// Threads is the number of threads that run the job's virtual users at the same time.
func (u CoreUse) Threads() int {
	switch {
	case u.Loops > 0:
		return u.Loops
	case u.All, fixedCores:
		return initialCores
	}
	return max(1, initialCores/2)
}

// busy holds the core use of all jobs of this process. Only its owners set GOMAXPROCS.
var busy struct {
	sync.Mutex
	uses map[*CoreUse]struct{}
}

// UseCores reserves cores for a job and returns the function that releases them. When no job holds
// cores, GOMAXPROCS has its initial value.
//
// Each event loop gets a core, and one more core is for all other goroutines. Virtual users that
// are goroutines get half the cores. One core executes tens of thousands of transactions per
// second. With more cores than the load needs, Go wakes a thread for nearly every response. That
// costs the client half as much CPU time again, and takes cores from a server on the same machine.
// UseCores never lowers a GOMAXPROCS of the environment. The cores of overlapping jobs add up.
func UseCores(use CoreUse) (done func()) {
	busy.Lock()
	defer busy.Unlock()
	if busy.uses == nil {
		busy.uses = map[*CoreUse]struct{}{}
	}
	mine := &use
	busy.uses[mine] = struct{}{}
	setCores()
	return func() {
		busy.Lock()
		defer busy.Unlock()
		delete(busy.uses, mine)
		setCores()
	}
}

// setCores sets GOMAXPROCS to the total of the jobs. The caller holds busy.
func setCores() {
	n := initialCores
	if len(busy.uses) > 0 {
		loops, others := 0, 1
		for use := range busy.uses {
			if use.Loops > 0 {
				loops += use.Loops
			} else {
				others = max(others, use.Threads())
			}
		}
		n = loops + others
		if fixedCores {
			n = max(n, initialCores)
		}
	}
	if n != runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(n)
	}
}
