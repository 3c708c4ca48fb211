package host

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sledge/internal/host/hosttest"
	"sledge/internal/job"
)

// sampledOver samples this machine while load runs. It returns the amount that series have counted.
func sampledOver(t *testing.T, load func(), of func(job.Series) bool) float64 {
	t.Helper()
	s := NewMachineSampler()
	if _, err := s.Sample(); err != nil {
		t.Fatal(err)
	}
	before := s.at
	load()
	samples, err := s.Sample()
	if err != nil {
		t.Fatal(err)
	}
	sum, found := 0.0, false
	for _, one := range samples {
		if of(one.Series) {
			sum, found = sum+one.Value, true
		}
	}
	if !found {
		t.Fatalf("there is no such series in %+v", samples)
	}
	return sum * s.at.Sub(before).Seconds()
}

// throughput returns a function that selects a series of disks or networks.
func throughput(name, of, direction string) func(job.Series) bool {
	return func(s job.Series) bool {
		return s.Name == name && (s.Labels["disk"] == of || s.Labels["interface"] == of) && s.Labels["direction"] == direction
	}
}

// least fails the test if less than 97 % of a known amount was measured. More is correct, because
// other work on the machine counts too; "make bench RUN=Sampler" requires an idle machine and compares
// both ways.
func least(t *testing.T, what string, measured, known float64) {
	t.Helper()
	t.Logf("%s: measured %.4g of %.4g (%+.2f %%)", what, measured, known, 100*(measured/known-1))
	if measured < 0.97*known {
		t.Errorf("%s: measured %.4g, want at least 97 %% of %.4g", what, measured, known)
	}
}

func TestSampler_MeasuresKnownLoads(t *testing.T) {
	t.Run("CPU", func(t *testing.T) {
		text, err := os.ReadFile("/proc/stat")
		if err != nil {
			t.Fatal(err)
		}
		cores := float64(strings.Count(string(text), "\ncpu"))
		name := fmt.Sprintf("burn%d", os.Getpid())
		var load *job.MachineLoad
		var own, known float64
		busy := sampledOver(t, func() {
			own = CPUSeconds()
			watch := watchMachine()
			b := hosttest.Burn(t, name)
			b.WorkFor(1200 * time.Millisecond)
			load = watch.end(0, 1, 1) // with an elapsed second, cores are CPU seconds
			own = CPUSeconds() - own
			known = b.End()
		}, func(s job.Series) bool {
			return s.Name == "CPU" && (s.Labels["mode"] == "user" || s.Labels["mode"] == "system")
		})
		process, others := 0.0, own
		for _, p := range load.Processes {
			if p.Name == name {
				process = p.Cores
			} else {
				others += p.Cores + p.Ended
			}
		}
		least(t, "CPU seconds of the machine, others included", busy*cores/100, known)
		t.Logf("others used %.3g s", others) // without processes that ended and that their parents ignored
		t.Logf("CPU seconds of the process: measured %.4g of %.4g (%+.2f %%)", process, known, 100*(process/known-1))
		if process < 0.97*known || process > 1.03*known {
			t.Errorf("CPU seconds of the process: measured %.4g, want %.4g", process, known)
		}
	})
	t.Run("disk", func(t *testing.T) {
		folder, err := os.MkdirTemp("/var/tmp", "sledge-known-load-") // the usual folder may be in memory
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		disk, found := hosttest.Disk(folder)
		if !found {
			t.Skip("/var/tmp is on no disk")
		}
		const megabytes = 64
		var path string
		written := sampledOver(t, func() { path = hosttest.Write(t, folder, megabytes) }, throughput("disk throughput", disk, "written"))
		least(t, "MB written", written, megabytes)
		read := sampledOver(t, func() { hosttest.Read(t, path) }, throughput("disk throughput", disk, "read"))
		least(t, "MB read", read, megabytes)
	})
	t.Run("network", func(t *testing.T) {
		const megabytes = 64
		for _, direction := range []string{"sent", "received"} {
			moved := sampledOver(t, func() { hosttest.Send(t, megabytes) }, throughput("network throughput", "lo", direction))
			least(t, "MB "+direction, moved, megabytes)
		}
	})
}
