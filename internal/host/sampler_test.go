package host

import (
	"errors"
	"testing"
	"time"

	"sledge/internal/job"
)

func TestSampler_ComparesFiguresWithThoseBefore(t *testing.T) {
	named := func(name string, kind figureKind, value, of float64) figure {
		return figure{job.Series{Name: name}, kind, value, of}
	}
	readings := [][]figure{
		{named("level", level, 5, 0), named("rate", rate, 100, 0), named("ratio", ratio, 10, 4), named("reset", rate, 9, 0), named("idle", ratio, 1, 7)},
		{named("level", level, 6, 0), named("rate", rate, 140, 0), named("ratio", ratio, 16, 6), named("reset", rate, 1, 0), named("idle", ratio, 1, 7), named("new", rate, 3, 0)},
	}
	now := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	broken := errors.New("broken")
	s := &Sampler{now: func() time.Time { return now }}
	sample := func(n int) map[string]float64 {
		s.read = func() ([]figure, error) { return readings[n], broken }
		samples, err := s.Sample()
		if !errors.Is(err, broken) {
			t.Errorf("got the error %v, want %v beside the samples", err, broken)
		}
		got := map[string]float64{}
		for _, one := range samples {
			if one.Labels == nil {
				got[one.Name] = one.Value
			}
		}
		return got
	}
	if got := sample(0); len(got) != 1 || got["level"] != 5 {
		t.Errorf("the first sample: got %v, want only the level", got)
	}
	now = now.Add(2 * time.Second)
	if got := sample(1); len(got) != 3 || got["level"] != 6 || got["rate"] != 20 || got["ratio"] != 3 {
		t.Errorf("got %v, want the level 6, the rate 20 and the ratio 3", got)
	}
}

// A loop on one core, and memory that this process fills, have known figures.
func TestSampler_MeasuresThisMachine(t *testing.T) {
	s := NewSampler()
	if _, err := s.Sample(); err != nil {
		t.Fatal(err)
	}
	cpu := CPUSeconds()
	began := time.Now()
	for time.Since(began) < time.Second { // computes
	}
	used := CPUSeconds() - cpu
	samples, err := s.Sample()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, one := range samples {
		got[one.Name+" "+one.Unit] += one.Value
		if one.Labels["machine"] != "client" {
			t.Errorf("got %+v, want the machine named", one.Series)
		}
	}
	elapsed := time.Since(began).Seconds()
	if own := got["Sledge's CPU cores"]; own < 0.97*used/elapsed || own > 1.03*used/elapsed+0.05 {
		t.Errorf("got %g cores used by this process, want %g", own, used/elapsed)
	}
	if all := got["CPU %"]; all <= 0 || all > 101 {
		t.Errorf("got %g %% of the machine's CPU used", all)
	}
	if got["memory MiB"] <= 0 || got["Sledge's memory MiB"] <= 0 {
		t.Errorf("got %v, want memory in use", got)
	}
}
