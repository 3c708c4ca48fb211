package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

var diskChecks = []doctor.Check{
	{
		ID: "disk.scheduler", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "none for NVMe, none or mq-deadline for SSDs",
		Why:    "A scheduler that sorts requests for moving heads delays those of a device without any.",
		Mend:   "echo none > /sys/block/DISK/queue/scheduler",
		Source: fromPractice + "; " + fromKernel + ": block/switching-sched",
		Finds: func(f *doctor.Facts) string {
			for _, name := range disks(f) {
				moving := f.File("sys/block/" + name + "/queue/rotational")
				scheduler := f.Chosen("sys/block/" + name + "/queue/scheduler")
				if moving == "0" && !slices.Contains([]string{"none", "noop", "mq-deadline", "deadline"}, scheduler) {
					f.Mend = "echo none > /sys/block/" + name + "/queue/scheduler"
					return name + " is an SSD and has the scheduler " + scheduler
				}
			}
			return ""
		},
	},
	{
		ID: "disk.readahead", On: doctor.ServerMachine, Severity: job.SeverityNote,
		Wanted: "at most 4096 KiB for short transactions, at least 128 KiB for analytic queries",
		Why:    "Reading ahead helps scans, and wastes the disk's bandwidth for single pages.",
		Mend:   "blockdev --setra SECTORS /dev/DISK (a sector has 512 bytes)",
		Source: fromTuned + ": readahead 4096",
		Finds: func(f *doctor.Facts) string {
			for _, name := range disks(f) {
				kib := f.Number("sys/block/" + name + "/queue/read_ahead_kb")
				if analytic := f.Load().Analytic; !analytic && kib > 4096 || analytic && kib < 128 {
					return fmt.Sprintf("%s reads %.0f KiB ahead", name, kib)
				}
			}
			return ""
		},
	},
	{
		ID: "disk.space", On: doctor.Client, Severity: job.SeverityStop,
		Wanted: "at least 10 % free, or 10 GiB",
		Why:    "A run adds rows, logs and samples; a full disk ends it.",
		Mend:   "Free space, or put the files on another disk",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			folders := []string{}
			if m := f.Machine(); m.Repository != "" {
				folders = append(folders, m.Repository)
			}
			if f.Local() {
				for _, name := range []string{"data", "log"} {
					if folder, has := f.Told("paths", name); has {
						folders = append(folders, folder)
					}
				}
			}
			if len(folders) == 0 {
				return f.Missing("no folder is known")
			}
			for _, folder := range folders {
				free, size, err := f.Machine().Space(folder)
				if err != nil {
					return f.Missing("the free space of " + folder + " cannot be read")
				}
				if size > 0 && float64(free) < 0.1*float64(size) && free < 10*doctor.GiB {
					return fmt.Sprintf("%s has %s free of %s", folder, doctor.Bytes(float64(free)), doctor.Bytes(float64(size)))
				}
			}
			return ""
		},
	},
	{
		ID: "disk.fs", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "ext4 or XFS on local disks, with barriers and without the options sync and data=journal",
		Why:    "The file system decides what a flush of the log costs and whether it is durable.",
		Mend:   "Move the server's files to another file system, or mount it again with other options",
		Source: "mount(8), ext4(5); HammerDB's guides",
		Finds:  unsuitable,
	},
	{
		ID: "disk.shared", On: doctor.ServerMachine, Severity: job.SeverityNote,
		Wanted: "data and log on different disks, if there are several",
		Why:    "Flushes of the log wait for writes of data.",
		Mend:   "Move the log to a disk of its own",
		Source: fromHammerDB,
		Finds: func(f *doctor.Facts) string {
			names := disks(f)
			all, _ := fs.Glob(f.Machine().Root, "sys/block/*/device")
			return doctor.If(len(names) == 1 && len(all) > 1 && f.Reading("paths", "log") != "", "data and log are on one of %d disks", len(all))
		},
	},
	{
		ID: "disk.fsync", On: doctor.Client, Cost: doctor.Disk, Severity: job.SeverityMedium,
		Wanted: "20 µs to 2 ms",
		Why:    "A user's commits wait for it one after another, so it bounds their rate.",
		Mend:   "Put the log on a disk with a protected write cache",
		Source: "PostgreSQL manual, pg_test_fsync",
		Finds: func(f *doctor.Facts) string {
			times, err := f.Machine().Flush(f.Machine().Folder)
			if err != nil {
				return f.Missing(err.Error())
			}
			slices.Sort(times)
			median := times[len(times)/2]
			text := fmt.Sprintf("writing and flushing 8 KiB in %s takes %.3g ms, half of the times", f.Machine().Folder, 1000*median)
			if median < 20e-6 {
				f.Severity, f.Mend = job.SeverityNote, "Do not rely on it: a power failure may lose commits"
				return text + ", which no disk does: it is cached"
			}
			return doctor.If(median > 2e-3, "%s", text)
		},
	},
	{
		ID: "disk.cache", On: doctor.ServerMachine, Severity: job.SeverityNote,
		Wanted: "a cache that survives a power failure",
		Why:    "The durability of commits depends on the cache of the disk.",
		Mend:   "Use disks with power-loss protection, or state it with the result",
		Source: fromKernel + ": block/writeback_cache_control",
		Finds: func(f *doctor.Facts) string {
			for _, name := range disks(f) {
				if f.File("sys/block/"+name+"/queue/write_cache") == "write back" {
					return name + " has a write cache"
				}
			}
			return ""
		},
	},
}

// unsuitable is the function of disk.fs.
func unsuitable(f *doctor.Facts) string {
	for _, folder := range paths(f) {
		m := mountOf(f, folder)
		at := folder + " is on " + m.kind
		switch kind := m.kind; {
		case kind == "tmpfs" || kind == "ramfs":
			f.Severity = job.SeverityHigh
			f.Wanted = "a disk"
			return at + ", which is memory: nothing is durable, and no log is flushed to a disk"
		case kind == "overlay":
			f.Severity = job.SeverityHigh
			f.Mend = "Give the container a volume for the server's files"
			return at + ", the layers of a container, which copy files at their first change"
		case strings.HasPrefix(kind, "nfs") || strings.HasPrefix(kind, "fuse") || slices.Contains([]string{"cifs", "smb3", "9p", "ceph", "glusterfs", "virtiofs"}, kind):
			if f.Load().Embedded {
				f.Severity = job.SeverityStop // locks of files fail there (sqlite.org, How To Corrupt)
			}
			return at + ", over a network or another process"
		case kind == "btrfs" || kind == "zfs":
			return at + ", which copies each changed block"
		}
		for _, option := range m.options {
			if slices.Contains([]string{"sync", "data=journal", "nobarrier", "barrier=0", "strictatime"}, option) {
				return at + " with the option " + option
			}
		}
	}
	return ""
}
