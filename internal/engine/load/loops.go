package load

import (
	"fmt"
	"runtime"
	"strconv"

	"sledge/internal/loop"
)

// loops is a number of event loops; 0 means goroutines.
type loops int

// Automatic means one event loop for every two cores, if the database's driver can wait on an event
// loop. The other cores are for other processes, such as a server on this machine.
const Automatic = -1

const automatic loops = Automatic

// mostLoops exceeds the number of cores of any machine.
const mostLoops = 4096

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *loops) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*l = automatic
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || n > mostLoops {
		return fmt.Errorf("%q is neither auto nor a number from 0 to %d", text, mostLoops)
	}
	if n > 0 && !loop.Supported() {
		return fmt.Errorf("there are no event loops on %s: set it to auto or 0", runtime.GOOS)
	}
	*l = loops(n)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (l loops) MarshalText() ([]byte, error) {
	if l == automatic {
		return []byte("auto"), nil
	}
	return strconv.AppendInt(nil, int64(l), 10), nil
}

// Kind returns the name of the type for people.
func (loops) Kind() string { return "auto or a number" }
