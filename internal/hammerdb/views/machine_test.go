package views

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
	"sledge/internal/repository"
)

// withSamples returns a job of 33 seconds with samples of machines. The machine is 10 % busier in each ten
// seconds, and has a gap of ten seconds after the first ones.
func withSamples(t *testing.T, store *repository.Store, facts job.Facts, machines ...string) job.Job {
	t.Helper()
	r, err := store.Begin(t.Context(), job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 1}, reporttest.Kinds, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.Watch(job.Event{At: reporttest.Began, Facts: &facts})
	for n, machine := range machines {
		for second := range 34 {
			if second >= 11 && second <= 20 {
				continue
			}
			sample := func(name, label, value string, amount float64) job.Sample {
				return job.Sample{Series: job.Series{Name: name, Labels: map[string]string{"machine": machine, label: value}}, Value: amount}
			}
			samples := []job.Sample{sample("memory", "use", "used", 1)} // the first reading has only levels
			if second > 0 {
				busy := float64(10*n + 10*((second-1)/10+1))
				samples = append(samples, sample("CPU", "mode", "user", busy), sample("CPU", "mode", "system", 5), sample("CPU", "mode", "interrupts", 1), sample("disk requests", "kind", "writes", 100), sample("disk throughput", "direction", "written", 1.048576))
			}
			r.Watch(job.Event{At: reporttest.Began.Add(time.Duration(second) * time.Second), Samples: samples})
		}
	}
	if err := r.End(t.Context(), job.Result{Status: job.Succeeded}, nil); err != nil {
		t.Fatal(err)
	}
	j, err := store.Get(t.Context(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestMetrics_AreMeansOfRecordedSamples(t *testing.T) {
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	own := job.Facts{Host: job.Host{Name: "client", CPUs: 2}}
	watching := own
	watching.Machines = map[string]job.Host{"db2": {Name: "second", CPUs: 8}, "db1": {Name: "first", CPUs: 16}}
	ofServer := watching
	ofServer.ServerMachine = "db2"
	for _, c := range []struct {
		name     string
		facts    job.Facts
		machines []string
		first    float64 // percent of user time in the first ten seconds
		hostname string
		of       string
	}{
		{"the own machine", own, []string{"client"}, 10, "client", "the machine that Sledge ran on"},
		{"the first agent's machine", watching, []string{"client", "db1", "db2"}, 20, "first", "the machine of the agent db1"},
		{"the machine of the server's agent", ofServer, []string{"client", "db1", "db2"}, 30, "second", "the machine of the agent db2"},
		{"an agent beside a build", own, []string{"client", "db1"}, 20, "client", "the machine that Sledge ran on"},
		{"an agent that did not answer", watching, []string{"client"}, 0, "first", "the machine of the agent db1"},
	} {
		j := withSamples(t, store, c.facts, c.machines...)
		used, err := Used(t.Context(), store, j)
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		// The last interval has the three seconds that are left.
		for _, one := range []struct {
			end  int
			busy float64
		}{{10, c.first}, {30, c.first + 20}, {33, c.first + 30}} {
			at := reporttest.Began.Add(time.Duration(one.end) * time.Second).Local().Format(time.DateTime)
			fmt.Fprintf(&want, `,"%s":{"usr%%":"%.1f","sys%%":"5.0","irq%%":"1.0","idle%%":"%.1f","iops":"100.0","mbps":"1.0"}`, at, one.busy, 94-one.busy)
		}
		text := "{" + strings.TrimPrefix(want.String(), ",") + "}"
		if c.first == 0 {
			text = fmt.Sprintf(`["%s","Jobid has no metrics data"]`, j.ID)
		}
		if got := string(must(Metrics(j, used).MarshalJSON())); got != text {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, text)
		}
		system := string(must(System(j, job.ImportDetails{}).MarshalJSON()))
		for _, want := range []string{`"hostname":"` + c.hostname + `"`, `"extra":"` + c.of + `"`} {
			if !strings.Contains(system, want) {
				t.Errorf("%s: got the system %s, want %s in it", c.name, system, want)
			}
		}
		page, err := JobChart(t.Context(), store, j, "metrics", several)
		if c.first > 0 && (err != nil || !strings.Contains(page, "Processors") || !strings.Contains(page, "Disk throughput")) {
			t.Errorf("%s: got no charts of the metrics: %v", c.name, err)
		}
		artifact, err := Artifact(t.Context(), store, j, nil, several)
		if want := fmt.Sprintf(`"metrics":{"available":%t`, c.first > 0); err != nil || !strings.Contains(string(must(artifact.MarshalJSON())), want) {
			t.Errorf("%s: got the error %v and no %s in the artifact", c.name, err, want)
		}
	}
}
