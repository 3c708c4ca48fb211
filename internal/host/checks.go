package host

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"sledge/internal/doctor"
)

// Checks are the checks of machines, of the client and of a server, by group. Sections of a server's
// readings that they use: "place" has the bytes of its buffer memory and of each session's working
// memory, and the pid; "paths" has the folders of data and log.
var Checks = slices.Concat(cpuChecks, loadChecks, memoryChecks, diskChecks, networkChecks, limitChecks, clockChecks, systemChecks)

// The manuals and guides in which advice has its source.
const (
	fromTuned    = "Red Hat's tuned profiles"
	fromHammerDB = "HammerDB's guides: configuration of the system under test"
	fromKernel   = "Documentation of the Linux kernel"
	fromPractice = "Common practice"
)

// serverPID returns the process of the server on its machine.
func serverPID(f *doctor.Facts) string {
	if pid, has := f.Told("place", "pid"); has {
		return pid
	}
	file := f.Reading("place", "pid_file")
	text, has := f.Optional(strings.TrimPrefix(file, "/"))
	if !has {
		f.Missing("the file with the server's pid cannot be read")
	}
	return text
}

// paths returns the folders of the server's data and log, without symbolic links.
func paths(f *doctor.Facts) (list []string) {
	for _, name := range []string{"data", "log"} {
		folder := f.Reading("paths", name)
		if folder == "" {
			continue
		}
		if m := f.Machine(); m != nil && m.Real != nil {
			folder = m.Real(folder)
		}
		if !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}

// mount is a line of /proc/self/mountinfo (proc(5)).
type mount struct {
	point, kind, device, number string
	options                     []string
}

// mountOf returns the file system of a path.
func mountOf(f *doctor.Facts, folder string) (found mount) {
	for line := range strings.Lines(f.File("proc/self/mountinfo")) {
		before, after, _ := strings.Cut(line, " - ")
		own, of := strings.Fields(before), strings.Fields(after)
		if len(own) < 6 || len(of) < 3 {
			continue
		}
		point := own[4]
		if folder != point && !strings.HasPrefix(folder, strings.TrimSuffix(point, "/")+"/") || len(point) < len(found.point) {
			continue
		}
		found = mount{point: point, kind: of[0], device: of[1], number: own[2], options: append(strings.Split(own[5], ","), strings.Split(of[2], ",")...)}
	}
	if found.point == "" {
		f.Missing("no file system has " + folder)
	}
	return found
}

// blockDevice returns the name of the block device of a file system: "sda" for /dev/sda1, or "" if it has
// none.
func blockDevice(f *doctor.Facts, m mount) string {
	text, has := f.Optional("sys/dev/block/" + m.number + "/uevent")
	if !has {
		return ""
	}
	name := ""
	for line := range strings.Lines(text) {
		if value, is := strings.CutPrefix(strings.TrimSpace(line), "DEVNAME="); is {
			name = value
		}
	}
	if f.Has("sys/block/" + name + "/queue/scheduler") {
		return name
	}
	found, _ := fs.Glob(f.Machine().Root, "sys/block/*/"+name+"/partition")
	if len(found) == 0 {
		return ""
	}
	return path.Base(path.Dir(path.Dir(found[0])))
}

// disks returns the block devices below the server's data and log.
func disks(f *doctor.Facts) (names []string) {
	for _, folder := range paths(f) {
		if name := blockDevice(f, mountOf(f, folder)); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		f.Missing("the block device of the server's files cannot be found")
	}
	return names
}

// field returns the first value of a field in a file of lines such as "microcode : 0x1".
func field(root fs.FS, file, name string) string {
	text, _ := fs.ReadFile(root, file)
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
