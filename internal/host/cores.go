package host

import (
	"os"
	"runtime"
	"sync"
)

// Cores is how many cores Go could use when the process started: GOMAXPROCS of the environment,
// or else those that the machine and the control groups allow. It never changes.
func Cores() int { return initialCores }

var (
	initialCores = runtime.GOMAXPROCS(0)
	fixedCores   = os.Getenv("GOMAXPROCS") != "" // the user has said how many
)

// CoreUse is what a job does with cores while its virtual users work.
type CoreUse struct {
	Loops int  // event loops, each of which keeps a core to itself
	All   bool // a database works inside this process
}

// Threads is how many threads run the job's virtual users at the same time.
func (u CoreUse) Threads() int {
	switch {
	case u.Loops > 0:
		return u.Loops
	case u.All, fixedCores:
		return initialCores
	}
	return max(1, initialCores/2)
}

// busy is the one owner of GOMAXPROCS, and knows what the jobs of this process use.
var busy struct {
	sync.Mutex
	uses map[*CoreUse]struct{}
}

// UseCores gives a job its cores and returns the function that gives them back. When no job has
// any, GOMAXPROCS is what it was when the process started.
//
// Each event loop has a core, and one more is left for everything else. Virtual users that are
// goroutines have half the cores: one core drives tens of thousands of transactions a second, and
// with more than the load needs, Go wakes a thread for nearly every answer, which costs the client
// half as much again, and the server its cores where it shares them. A GOMAXPROCS of the environment
// is never lowered. The cores of jobs that overlap add up.
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

// setCores sets GOMAXPROCS to what the jobs use. The caller holds busy.
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
