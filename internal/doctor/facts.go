package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"sledge/internal/job"
)

// Facts are what a check reads. If a value is missing, reading it returns a zero value and leaves the
// check unmade, with the reason; so a check never passes because it could read nothing.
type Facts struct {
	// Severity, Wanted and Mend are those of the check. Its function may replace them.
	Severity     job.Severity
	Wanted, Mend string

	subject     *Subject
	check       Check
	machine     *Machine
	missing     error
	unconcerned bool

	before map[string]float64 // counters at the first reading; nil if the check does not watch
	passed float64            // seconds between the readings; 0 at the first
}

// Machine is a machine, as its checks read it. Values of Linux are files below Root. Tests have a
// folder of files in its place.
type Machine struct {
	Root  fs.FS // nil if the system has no such files
	Cores int

	// What sledge ceiling measured for the load, in transactions a second, and how much of it the last run
	// reached, in percent. 0 means that it is not known.
	Ceiling, Reached float64

	MaxProcs   int                                                // GOMAXPROCS of this process
	Repository string                                             // folder of the job repository; "" if there is none
	Folder     string                                             // in which Flush writes
	Space      func(path string) (free, size uint64, err error)   // bytes of the file system
	Real       func(path string) string                           // the path without symbolic links
	Clock      func() (nanoseconds float64)                       // of one reading of the clock
	Speed      func() (seconds float64)                           // of a fixed loop on one core
	Flush      func(folder string) (seconds []float64, err error) // of writing and flushing 8 KiB, each time
	Synced     func() (synchronised bool, err error)              // whether the clock is
}

// where finds the machine of the check. Without a database this machine stands for both.
func (f *Facts) where() {
	f.machine = &f.subject.Client
	if f.check.On == ServerMachine && f.subject.Load != nil {
		f.machine = f.subject.Host
		if f.machine == nil {
			f.missing = errors.New(f.subject.Elsewhere)
		}
	}
}

// lack notes why a value is missing. The first reason counts.
func (f *Facts) lack(format string, args ...any) {
	if f.missing == nil {
		f.missing = fmt.Errorf(format, args...)
	}
}

// Missing leaves the check unmade, with a reason.
func (f *Facts) Missing(why string) string {
	f.lack("%s", why)
	return ""
}

// Unconcerned says that the check does not concern this machine, server or load. It returns "".
func (f *Facts) Unconcerned() string {
	f.unconcerned = true
	return ""
}

// Machine returns the machine that the check reads: the client's, unless its place is the server's
// machine. It is the server's machine in a check of a server, and nil if that cannot be read.
func (f *Facts) Machine() *Machine {
	if f.check.On == Server {
		return f.subject.Host
	}
	return f.machine
}

// Load returns the planned load. Without a database the check is unconcerned, and the load is empty.
func (f *Facts) Load() *Planned {
	if f.subject.Load == nil {
		f.unconcerned = true
		return &Planned{}
	}
	return f.subject.Load
}

// Connections returns the number of connections that are planned; 0 without a database.
func (f *Facts) Connections() int {
	if f.subject.Load == nil {
		return 0
	}
	return f.subject.Load.Connections
}

// Local reports whether the server is on the client's machine.
func (f *Facts) Local() bool { return f.subject.Local() }

// Has reports whether the machine has a file.
func (f *Facts) Has(file string) bool {
	_, has := f.Optional(file)
	return has
}

// Optional returns the text of a file of the machine without the space around it, or false.
func (f *Facts) Optional(file string) (text string, has bool) {
	m := f.Machine()
	if m == nil || m.Root == nil {
		return "", false
	}
	data, err := fs.ReadFile(m.Root, file)
	return strings.TrimSpace(string(data)), err == nil
}

// File returns the text of a file of the machine without the space around it.
func (f *Facts) File(file string) string {
	switch m := f.Machine(); {
	case m == nil:
		f.lack("%s", f.subject.Elsewhere)
		return ""
	case m.Root == nil:
		f.lack("only Linux reports it")
		return ""
	}
	text, has := f.Optional(file)
	if !has {
		f.lack("the system has no /%s, or does not show it", file)
	}
	return text
}

// Chosen returns the value in brackets of a file such as "always [madvise] never".
func (f *Facts) Chosen(file string) string {
	text := f.File(file)
	if _, after, found := strings.Cut(text, "["); found {
		text, _, _ = strings.Cut(after, "]")
	}
	return text
}

// Files returns the different texts of the files that a pattern matches, sorted. At least one must
// exist.
func (f *Facts) Files(pattern string) (texts []string) {
	m := f.Machine()
	if m == nil || m.Root == nil {
		f.File(pattern)
		return nil
	}
	names, _ := fs.Glob(m.Root, pattern)
	for _, name := range names {
		if text, has := f.Optional(name); has {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		f.lack("the system has no /%s, or does not show it", pattern)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// Number returns the number in a file of the machine.
func (f *Facts) Number(file string) float64 { return f.number(file, f.File(file)) }

// Field returns the number behind a name in a file of lines such as "MemTotal: 1024 kB" or "pswpin 5".
func (f *Facts) Field(file, name string) float64 {
	for line := range strings.Lines(f.File(file)) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.TrimSuffix(fields[0], ":") == name {
			return f.number(name, fields[1])
		}
	}
	f.lack("/%s has no %s", file, name)
	return 0
}

// Memory returns the memory of the machine in bytes.
func (f *Facts) Memory() float64 { return 1024 * f.Field("proc/meminfo", "MemTotal") }

// MemoryIf returns the memory of the machine in bytes, or 0 if it cannot be read.
func (f *Facts) MemoryIf() float64 {
	if !f.Has("proc/meminfo") {
		return 0
	}
	return f.Memory()
}

// Setting returns a value of the section "settings" of the server.
func (f *Facts) Setting(name string) string { return f.Reading("settings", name) }

// Size returns a setting of the server as a number.
func (f *Facts) Size(name string) float64 { return f.number(name, f.Setting(name)) }

// Reading returns a value that the server reported.
func (f *Facts) Reading(section, name string) string {
	value, has := f.subject.Server.value(section, name)
	switch part := f.subject.Server[section]; {
	case has:
	case f.subject.Load == nil:
		f.unconcerned = true
	case part.Err != nil:
		f.lack("%w", part.Err)
	case part.Values == nil:
		f.lack("the server was not asked")
	default:
		f.lack("the server does not report %s to this user", name)
	}
	return value
}

// Count returns a value that the server reported as a number.
func (f *Facts) Count(section, name string) float64 {
	return f.number(name, f.Reading(section, name))
}

// Told returns a value that the server reported, or false.
func (f *Facts) Told(section, name string) (value string, has bool) {
	return f.subject.Server.value(section, name)
}

// Tells reports whether the server reported a value.
func (f *Facts) Tells(section, name string) bool {
	_, has := f.Told(section, name)
	return has
}

// SettingIf returns a setting that only some versions of a server have, or "".
func (f *Facts) SettingIf(name string) string {
	value, _ := f.Told("settings", name)
	return value
}

func (r Readings) value(section, name string) (value string, has bool) {
	value, has = r[section].Values[name]
	return value, has
}

// number parses a number. An empty text was missing already.
func (f *Facts) number(of, text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f.lack("%s is not a number: %q", path.Base(of), text)
		return 0
	}
	return n
}

// Growth returns how much a counter has grown a second since the first reading of a check that watches,
// and 0 at the first reading.
func (f *Facts) Growth(name string, now float64) float64 {
	if f.passed == 0 {
		f.before[name] = now
		return 0
	}
	return max(0, now-f.before[name]) / f.passed
}

// If returns the text if the condition holds, or "".
func If(condition bool, format string, args ...any) string {
	if !condition {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Bytes formats a number of bytes: "128 MiB".
func Bytes(n float64) string { return humanize.IBytes(uint64(max(0, n))) }

// Number parses a number, and returns 0 for other text.
func Number(text string) float64 {
	n, _ := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return n
}

// The units of sizes.
const (
	MiB = 1 << 20
	GiB = 1 << 30
)
