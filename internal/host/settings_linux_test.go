package host

import (
	"maps"
	"testing"
	"testing/fstest"
)

func TestSettings_AreThoseOfTheKernel(t *testing.T) {
	root := fstest.MapFS{}
	for name, text := range map[string]string{
		"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n", "proc/sys/vm/swappiness": "60\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n", "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
		"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor": "powersave\n", "sys/devices/system/cpu/intel_pstate/no_turbo": "1\n",
		"sys/devices/system/node/node0/cpulist": "0-3\n", "sys/devices/system/node/node1/cpulist": "4-7\n",
		"sys/devices/system/cpu/vulnerabilities/meltdown": "Mitigation: PTI\n", "sys/devices/system/cpu/vulnerabilities/mds": "Not affected\n",
		"sys/block/sda/device/model": "SAMSUNG MZ7KH480   \n", "sys/block/sda/size": "937703088\n", "sys/block/sr0/device/model": "DVD\n", "sys/block/sr0/size": "8\n",
		"sys/class/net/eth0/speed": "25000\n", "sys/class/net/eth1/speed": "-1\n", "sys/class/net/lo/mtu": "65536\n", "sys/block/sda/queue/scheduler": "none [mq-deadline] kyber\n", "sys/block/sda/queue/read_ahead_kb": "128\n",
		"sys/block/loop0/queue/scheduler": "[none]\n", "proc/cpuinfo": "processor\t: 0\nmicrocode\t: 0x1f\nprocessor\t: 1\nmicrocode\t: 0x20\n",
		"proc/self/status": "Name:\tsledge\nCpus_allowed_list:\t0-1\n", "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n",
	} {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	want := map[string]string{
		"transparent huge pages": "madvise", "vm.swappiness": "60", "governor of the CPU": "performance, powersave", "boost of the CPU": "0", "NUMA nodes": "2",
		"mitigation of meltdown": "Mitigation: PTI", "model of sda": "SAMSUNG MZ7KH480", "size of sda": "480 GB", "model of sr0": "DVD", "speed of eth0": "25 Gbps", "scheduler of sda": "mq-deadline", "read-ahead of sda": "128", "microcode of the CPU": "0x1f",
		"cores of this process": "0-1", "cores that control groups allow": "1.5",
	}
	if got := settingsBelow(root); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if here := This().Settings; here["vm.swappiness"] == "" || here["cores of this process"] == "" {
		t.Errorf("got %v of this machine", here)
	}
}
