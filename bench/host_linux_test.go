//go:build bench

package bench

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"sledge/internal/host"
	"sledge/internal/host/hosttest"
	"sledge/internal/job"
)

// growth samples this machine while load runs, and returns the sum of series multiplied by the time:
// megabytes of "throughput" series, percent-seconds of CPU.
func growth(t *testing.T, of func(job.Series) bool, load func()) float64 {
	t.Helper()
	s := host.NewMachineSampler()
	if _, err := s.Sample(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	load()
	samples, err := s.Sample()
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, one := range samples {
		if of(one.Series) {
			sum += one.Value
		}
	}
	return sum * took.Seconds()
}

// besides is growth without what other work adds in the same time, which is measured for 2 s before
// the load and for 2 s after it.
func besides(t *testing.T, of func(job.Series) bool, load func()) (amount, other float64) {
	t.Helper()
	idle := func() float64 { return growth(t, of, func() { time.Sleep(2 * time.Second) }) }
	before := idle()
	began := time.Now()
	loaded := growth(t, of, load)
	took := time.Since(began)
	other = (before + idle()) / 4 * took.Seconds()
	return loaded - other, other
}

// labelled returns a function that selects series by name and values of labels.
func labelled(name string, values ...string) func(job.Series) bool {
	return func(s job.Series) bool {
		var has []string
		for _, value := range s.Labels {
			has = append(has, value)
		}
		return s.Name == name && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(has, v) })
	}
}

// TestSampler_MeasuresKnownLoads compares the samples of this machine with loads whose amounts are
// known.
func TestSampler_MeasuresKnownLoads(t *testing.T) {
	size := 20 // of each load, in tenths of a second and in 25 MB
	if testing.Short() {
		size = 4
	}
	compare := func(what, unit string, measure func() (measured, other, known float64)) {
		var differences []float64
		var measured, other, known float64
		for range rounds() {
			measured, other, known = measure()
			differences = append(differences, 100*math.Abs(measured/known-1))
		}
		slices.Sort(differences)
		note(t, figure{
			What: what + " of a known load, difference", Value: differences[len(differences)/2], Unit: "%", Target: atMost(3),
			Detail: fmt.Sprintf("%.4g of %.4g %s; other work %.3g; rounds %.2f to %.2f %%", measured, known, unit, other, differences[0], differences[len(differences)-1]),
		})
	}
	compare("sampled CPU", "s", func() (measured, other, known float64) {
		var burners []*hosttest.Burner
		share, others := besides(t, labelled("CPU", "user"), func() {
			for range 2 {
				burners = append(burners, hosttest.Burn(t, "burner"))
			}
			for _, b := range burners {
				b.WorkFor(time.Duration(size) * 200 * time.Millisecond)
			}
		})
		for _, b := range burners {
			known += b.End()
		}
		cores := float64(runtime.NumCPU())
		return share * cores / 100, others * cores / 100, known
	})
	folder := t.TempDir()
	if disk, found := hosttest.Disk(folder); found {
		path := ""
		compare("sampled writes to a disk", "MB", func() (measured, other, known float64) {
			measured, other = besides(t, labelled("disk throughput", disk, "written"), func() { path = hosttest.Write(t, folder, 25*size) })
			return measured, other, float64(25 * size)
		})
		compare("sampled reads from a disk", "MB", func() (measured, other, known float64) {
			measured, other = besides(t, labelled("disk throughput", disk, "read"), func() { hosttest.Read(t, path) })
			return measured, other, float64(25 * size)
		})
	}
	compare("sampled network traffic", "MB", func() (measured, other, known float64) {
		measured, other = besides(t, labelled("network throughput", "lo", "sent"), func() { hosttest.Send(t, 100*size) })
		return measured, other, float64(100 * size)
	})
}
