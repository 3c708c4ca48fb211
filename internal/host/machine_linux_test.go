package host

import (
	"fmt"
	"maps"
	"math"
	"testing"
	"testing/fstest"
	"time"
)

func TestMachine_SplitsTheUse(t *testing.T) {
	file := func(format string, args ...any) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, format, args...)}
	}
	process := func(name string, own, ofDead int) *fstest.MapFile {
		return file("7 (%s) S 1 7 7 0 -1 4194560 1 0 0 0 %d 0 %d 0 20 0 1 0 1\n", name, own, ofDead)
	}
	read := func(fs fstest.MapFS) machine {
		m, known := readMachine(fs)
		if !known {
			t.Fatal("readMachine: got no figures")
		}
		return m
	}
	common := fstest.MapFS{"proc/uptime": file("1"), "proc/8/comm": file("has no stat")}
	begun := fstest.MapFS{
		"proc/stat": file("cpu  100 0 100 9000 0 50 50 10 0 0\ncpu0 1 1 1\n"), "proc/pressure/cpu": file("some avg10=0.00 total=1000000\nfull total=9\n"),
		"proc/self/task/1/schedstat": file("5 1000000000 7\n"),
		"proc/1/stat":                process("postgres", 100, 0), "proc/2/stat": process("postgres", 300, 0), "proc/3/stat": process("a (b) c", 50, 0), "proc/9/stat": process("sledge", 10, 0),
	}
	ended := fstest.MapFS{ // backend 2 has ended with 400, which now count for its parent
		"proc/stat": file("cpu  600 0 600 9000 0 900 900 110 0 0\n"), "proc/pressure/cpu": file("some avg10=0.00 total=6000000\n"),
		"proc/self/task/1/schedstat": file("5 3000000000 7\n"),
		"proc/1/stat":                process("postgres", 200, 400), "proc/3/stat": process("a (b) c", 350, 5000), "proc/9/stat": process("sledge", 110, 0),
	}
	maps.Copy(begun, common)
	maps.Copy(ended, common)
	load := read(begun).load(read(ended), 9, 1, 10, 2)
	load.Attribute([]string{"postgres"})
	for name, figure := range map[string]struct{ got, want float64 }{
		"busy": {load.Busy, 1}, "client": {load.Client, 0.1}, "server": {load.Server, 0.2}, "others": {load.Others, 0.7},
		"steal": {load.Steal, 0.1}, "waited": {load.Waited, 2}, "pressure": {load.Pressure, 0.5}, "the other process": {load.Processes[0].Cores, 0.3},
	} {
		if math.Abs(figure.got-figure.want) > 1e-9 {
			t.Errorf("%s: got %g, want %g", name, figure.got, figure.want)
		}
	}
	if len(load.Processes) != 1 || load.Processes[0].Name != "a (b) c" || !load.Disturbed() || load.Unknown != "" {
		t.Errorf("got %+v, want it disturbed by one process", load)
	}
	unseen := read(begun).load(read(ended), 9, 1, 10, 2)
	if unseen.Attribute([]string{"mysqld"}); unseen.Unknown == "" || unseen.Disturbed() {
		t.Errorf("a server that is not visible: got %+v, want unknown others", unseen)
	}

	// The watch has the part of the time in which another process used most.
	watch := machineWatch{root: ended, begun: read(begun), newest: read(begun)}
	watch.second(4*time.Second, 0.5, 2) // too soon
	watch.second(10*time.Second, 1, 2)
	watch.second(20*time.Second, 2, 2) // nothing has been used since
	whole := watch.end(2, 20, 2)
	if whole.Attribute([]string{"postgres"}); len(watch.parts) != 2 || whole.Peak == nil || whole.Peak.From != 0 || whole.Peak.Seconds != 10 || math.Abs(whole.Peak.Others-0.7) > 1e-9 || whole.Peak.Name != "a (b) c" || math.Abs(whole.Others-0.3) > 1e-9 {
		t.Errorf("got %+v with the peak %+v, want the first of two parts", whole, whole.Peak)
	}
	if _, known := readMachine(fstest.MapFS{}); known {
		t.Error("no /proc: got figures")
	}
}
