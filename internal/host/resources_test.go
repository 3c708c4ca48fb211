package host

import (
	"math"
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
)

func TestUses_HaveSources(t *testing.T) {
	for _, r := range uses {
		if r.Resource == "" || r.Aspect == "" || r.Measure == "" || len(r.source) < 15 || r.series == "" && r.Aspect != job.Errors {
			t.Errorf("%+v: a measure needs a resource, an aspect, a series and a source", r)
		}
	}
	for name, own := range map[string]string{"event loops": "busy", "cores": "cores that it may use", "waits for cores": "its threads wait for a core", "start lag": "start lag"} {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.Rule == name })
		u := slices.IndexFunc(ownUses, func(u ownUse) bool { return u.Measure == own })
		if i < 0 || u < 0 || rules[i].Limit != ownUses[u].Limit {
			t.Errorf("the limit of %q is not that of the rule %q", own, name)
		}
	}
}

// Each measure of a machine is the sum of its series in a second, and counts only in the measured time.
func TestResources_SumUpTheMeasuredTime(t *testing.T) {
	began := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	r := Resources{From: began, Find: func(machine string) job.Host {
		return map[string]job.Host{"client": {CPUs: 4, MemoryBytes: 8 << 30}, "db1": {CPUs: 2}}[machine]
	}}
	sample := func(machine, name, unit string, value float64, labels ...string) job.Sample {
		s := job.Sample{Series: job.Series{Name: name, Unit: unit, Labels: map[string]string{"machine": machine}}, Value: value}
		for i := 0; i < len(labels); i += 2 {
			s.Labels[labels[i]] = labels[i+1]
		}
		return s
	}
	second := func(n int, user, waiting, disk, errors float64) {
		r.Add(began.Add(time.Duration(n)*time.Second+950*time.Millisecond), []job.Sample{
			sample("client", "CPU", "%", user, "mode", "user"), sample("client", "CPU", "%", 10, "mode", "system"), sample("client", "CPU", "%", 50, "mode", "waiting for disks"),
			sample("client", "threads waiting for a core", "", waiting),
			sample("client", "memory", "MiB", 2048, "use", "used"),
			sample("client", "disk in use", "%", disk, "disk", "sda"), sample("client", "disk in use", "%", 0, "disk", "sdb"),
			sample("client", "disk queue", "requests", disk/10, "disk", "sda"), sample("client", "disk queue", "requests", 0, "disk", "sdb"),
			sample("client", "network problems", "a second", errors, "problem", "errors"),
			{Series: job.Series{Name: "server's WAL"}, Value: 7},
		})
	}
	second(-2, 90, 90, 90, 90) // the ramp-up
	second(0, 20, 2, 10, 0)
	second(1, 85, 6, 30, 2)
	second(2, 30, 4, 20, 0)
	r.Until = began.Add(3 * time.Second)
	second(3, 90, 90, 90, 90)                                                                            // after the measured time
	r.Add(began.Add(1500*time.Millisecond), []job.Sample{sample("db1", "CPU", "%", 40, "mode", "user")}) // comes late

	if got := r.Machines(); !slices.Equal(got, []string{"client", "db1"}) {
		t.Fatalf("got the machines %q", got)
	}
	find := func(list []job.ResourceUse, resource, measure string) *job.ResourceUse {
		i := slices.IndexFunc(list, func(u job.ResourceUse) bool { return u.Resource == resource && u.Measure == measure })
		if i < 0 {
			t.Fatalf("got no %s of %s in %+v", measure, resource, list)
		}
		return &list[i]
	}
	list := r.List("client")
	for _, tt := range []struct {
		resource, measure    string
		mean, worst, worstAt float64
		over                 int
	}{
		{"CPU", "in use", 55, 95, 1, 1},
		{"CPU", "threads that wait for each core", 1, 1.5, 1, 2},
		{"memory", "in use", 25, 25, 0, 0},
		{"disk", "in use", 20, 30, 1, 0},
		{"disk", "requests in the queue", 2, 3, 1, 0},
		{"network", "errors", 2.0 / 3, 2, 1, 1},
	} {
		u := find(list, tt.resource, tt.measure)
		if v := u.Values; v == nil || math.Abs(v.Mean-tt.mean) > 1e-9 || v.Worst != tt.worst || v.WorstAt != tt.worstAt || v.Over != tt.over || v.Seconds != 3 {
			t.Errorf("%s of %s: got %+v, want %+v in 3 seconds", tt.measure, tt.resource, v, tt)
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(list), func(u job.ResourceUse) bool { return u.Of == "" })); n != 2 {
		t.Errorf("got %d measures of disks in %+v, want those of the disk in use", n, list)
	}
	if u := find(list, "memory", "some thread waits"); u.Values != nil {
		t.Errorf("got %+v, want no value of what was not sampled", u.Values)
	}
	if u := find(r.List("db1"), "CPU", "in use"); u.Values == nil || u.Values.Mean != 40 || u.Values.WorstAt != 1 {
		t.Errorf("got %+v, want the late sample of the other machine", u.Values)
	}
}

func TestOwnUses_AreThoseOfSeconds(t *testing.T) {
	s := seconds{uses: make([]useSum, len(ownUses))}
	for i, own := range ownUses {
		for n, busy := range []float64{0.5, 0.95} {
			if value, known := own.figure(quiet(func(s *second) { s.busy = busy })); known {
				s.uses[i].add(value, float64(n), own.ResourceUse)
			}
		}
	}
	list := s.used()
	if len(list) != 3 { // no user pauses, so there is no start lag
		t.Errorf("got %+v, want three measures", list)
	}
	if u := list[0]; u.Machine != job.ClientMachine || u.Resource != "event loops" || u.Values.Mean != 72.5 || u.Values.WorstAt != 1 || u.Values.Over != 1 {
		t.Errorf("got %+v %+v, want loops that were busy for 72.5 %% of the time, and over their limit in a second", u, u.Values)
	}
}
