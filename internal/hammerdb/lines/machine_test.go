package lines

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
)

// add adds samples of one moment: the processors by mode, and requests and megabytes of a disk.
func add(u *Use, user, system, interrupts, steal float64, disk ...float64) {
	sample := func(name, label, value string, amount float64) {
		u.Add(job.Series{Name: name, Labels: map[string]string{"machine": "client", label: value}}, amount)
	}
	sample("CPU", "mode", "user", user)
	sample("CPU", "mode", "system", system)
	sample("CPU", "mode", "interrupts", interrupts)
	sample("CPU", "mode", "steal", steal)
	sample("memory", "use", "used", 99)
	for _, n := range disk {
		sample("disk requests", "kind", "reads", n)
		sample("disk requests", "kind", "writes", 2*n)
		sample("disk requests", "kind", "flushes", 1000)
		sample("disk throughput", "direction", "read", n/10)
		sample("disk throughput", "direction", "written", n/10)
	}
}

func TestUse_HasHammerDBsLine(t *testing.T) {
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		add  func(*Use)
		want string // "" if the use is unknown
	}{
		{"no samples", func(*Use) {}, ""},
		{"only disks", func(u *Use) { u.Add(job.Series{Name: "disk requests", Labels: map[string]string{"kind": "reads"}}, 5) }, ""},
		// 52.9 + 6.5 + 0.1 + 40.5 = 100. Of two disks: 3 × (400 + 11) requests, and 2 × (40 + 1.1) MB, which are 78.39 MiB.
		{"one moment", func(u *Use) { add(u, 52.9, 6.5, 0.1, 0, 400, 11) }, "CPU all usr%-52.90 sys%-6.50 irq%-0.10 idle%-40.50 IOPS-1233 MB/s-78.39"},
		// The geometric means of the first three would be 0, those of HammerDB.
		{"idle moments", func(u *Use) {
			for range 4 {
				add(u, 0, 0, 0, 0, 0)
			}
			add(u, 50, 10, 5, 5, 500)
		}, "CPU all usr%-10.00 sys%-2.00 irq%-1.00 idle%-86.00 IOPS-300 MB/s-19.07"},
		{"no disks", func(u *Use) { add(u, 25, 25, 0, 0) }, "CPU all usr%-25.00 sys%-25.00 irq%-0.00 idle%-50.00"},
		{"counters of another moment than their total", func(u *Use) { add(u, 90, 10.5, 0, 0) }, "CPU all usr%-90.00 sys%-10.50 irq%-0.00 idle%-0.00"},
	} {
		var u Use
		c.add(&u)
		mean, known := u.Mean(at)
		if known != (c.want != "") {
			t.Errorf("%s: got known %t", c.name, known)
			continue
		}
		if !known {
			continue
		}
		if got := Processors(mean); got != c.want || mean.At != at {
			t.Errorf("%s: got %q at %s, want %q", c.name, got, mean.At, c.want)
		}
	}
}

func TestSystemFacts_AreThoseOfTheMachine(t *testing.T) {
	known := job.Host{
		Name: "db1", OS: "debian 12", Arch: "amd64", CPU: "Intel(R) Xeon(R) Gold 6430", CPUs: 64, MemoryBytes: 256 << 30,
		Settings: map[string]string{
			"vendor of the machine": "Dell Inc.", "model of the machine": "PowerEdge R660", "governor of the CPU": "performance",
			"speed of eth0": "25 Gbps", "speed of eth1": "1 Gbps", "size of nvme0n1": "1920 GB", "model of nvme0n1": "Dell NVMe", "size of vda": "100 GB", "model of sr0": "DVD",
		},
	}
	want := map[string]string{
		"hostname": "db1", "cpumodel": "Intel(R) Xeon(R) Gold 6430", "cpucount": "64", "system_vendor": "Dell Inc.", "system_type": "PowerEdge R660", "os_name": "debian 12",
		"memory": "256 GiB", "nic": "eth0 (25 Gbps); eth1 (1 Gbps)", "storage": "Dell NVMe (1920 GB); vda (100 GB)",
	}
	if got := SystemFacts(known); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	amazon := job.Host{Settings: map[string]string{"vendor of the machine": "Amazon EC2", "model of the machine": "m7i.2xlarge"}}
	if got := SystemFacts(amazon)["cloud_instance"]; got != "AWS m7i.2xlarge" {
		t.Errorf("got the instance %q", got)
	}
	for _, c := range []struct {
		of   job.Host
		want []string
	}{
		{known, []string{"System Discovery: Dell Inc. PowerEdge R660 | OS: debian 12 | Memory: 256 GiB", "Started CPU Metrics for Intel(R) Xeon(R) Gold 6430:(64 CPUs)"}},
		{job.Host{Arch: "arm64", CPUs: 2}, []string{"System Discovery: arm64 | OS: unknown | Memory: unknown", "Started CPU Metrics for an unknown CPU:(2 CPUs)"}},
	} {
		if got := Discovered(c.of); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
