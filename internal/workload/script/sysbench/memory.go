package sysbench

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// mostMemory is how much memory the process may use before scripts are ended.
const mostMemory = 8 << 30

// errMemory means that scripts need too much memory.
var errMemory = errors.New("scripts have filled the memory, so this one was ended: does it add to a table or a text in every event?")

// live is the memory that was in use after the last garbage collection, in bytes. Fast growth causes a collection
// whenever the memory has doubled.
var live atomic.Uint64

// watchMemory begins to set live.
var watchMemory = sync.OnceFunc(func() { (&collected{}).again() })

// collected is garbage whose finalizer makes the next one.
type collected struct{ _ *collected }

func (*collected) again() {
	runtime.SetFinalizer(&collected{}, func(c *collected) {
		live.Store(inUse())
		c.again()
	})
}

// isFull reports whether more memory is in use than a limit. Then it collects garbage first, which may be what an
// earlier script has left.
func isFull(most uint64) bool {
	if live.Load() <= most {
		return false
	}
	runtime.GC()
	live.Store(inUse())
	return live.Load() > most
}

func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
