package sysbench

import (
	"errors"
	"runtime/metrics"
)

// mostMemory is how much memory the process may use before scripts are ended.
const mostMemory = 8 << 30

// errMemory means that scripts need too much memory.
var errMemory = errors.New("scripts have filled the memory, so this one was ended: does it add to a table or a text in every event?")

// inUse returns the memory of the process in use, in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
