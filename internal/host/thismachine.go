package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/disk"

	"sledge/internal/doctor"
)

// ThisMachine returns this machine for its checks. repository is the folder of the job repository, and
// folder the one in which a check writes; both may be "". The machine's load is that of this moment,
// because the caller's own work follows.
func ThisMachine(repository, folder string) doctor.Machine {
	m := doctor.Machine{
		Cores: runtime.NumCPU(), MaxProcs: initialCores, Repository: repository, Folder: folder,
		Space: func(path string) (free, size uint64, err error) {
			for path != filepath.Dir(path) { // the folder may not exist yet
				if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
					break
				}
				path = filepath.Dir(path)
			}
			use, err := disk.Usage(path)
			if err != nil {
				return 0, 0, err
			}
			return use.Free, use.Total, nil
		},
		Real: func(path string) string {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				return real
			}
			return path
		},
		Clock: clockCost, Speed: loopTime, Flush: flushes, Synced: clockSynced,
	}
	if runtime.GOOS == "linux" {
		m.Root = withLoad(os.DirFS("/"))
	}
	return m
}

// Runs reports whether a process with one of the names is visible. Only Linux shows it: elsewhere the
// answer is true.
func Runs(names []string) bool {
	if runtime.GOOS != "linux" {
		return true
	}
	root := os.DirFS("/")
	folders, _ := fs.ReadDir(root, "proc")
	return slices.ContainsFunc(folders, func(folder fs.DirEntry) bool {
		_, err := strconv.Atoi(folder.Name())
		return err == nil && IsCalled(root, folder.Name(), names)
	})
}

// IsCalled reports whether a process below root has one of the names.
func IsCalled(root fs.FS, pid string, names []string) bool {
	text, err := fs.ReadFile(root, "proc/"+pid+"/comm")
	return err == nil && slices.Contains(names, strings.TrimSpace(string(text)))
}

// Parent returns the parent of a process below root, or "".
func Parent(root fs.FS, pid string) string {
	text, _ := fs.ReadFile(root, "proc/"+pid+"/stat") // "17812 (postgres) S ppid …"
	if fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])); len(fields) > 1 {
		return fields[1]
	}
	return ""
}

// momentary is a root whose files about the machine's load have the texts of one moment.
type momentary struct {
	fs.FS
	kept map[string][]byte
}

// withLoad returns root with the load of this moment.
func withLoad(root fs.FS) momentary {
	m := momentary{root, map[string][]byte{}}
	for _, name := range []string{"proc/loadavg", "proc/pressure/cpu"} {
		if text, err := fs.ReadFile(root, name); err == nil {
			m.kept[name] = text
		}
	}
	return m
}

// ReadFile implements fs.ReadFileFS.
func (m momentary) ReadFile(name string) ([]byte, error) {
	if text, kept := m.kept[name]; kept {
		return text, nil
	}
	return fs.ReadFile(m.FS, name)
}

// clockCost returns the nanoseconds of one reading of the clock: those of the quickest of several
// series, because others are interrupted.
func clockCost() float64 {
	const series, readings = 5, 20_000
	least := math.Inf(1)
	for range series {
		began := time.Now()
		for range readings {
			_ = time.Now()
		}
		least = min(least, float64(time.Since(began).Nanoseconds())/readings)
	}
	return least
}

// loopTime returns the seconds that a loop takes that only computes, about half a second.
func loopTime() float64 {
	const steps = 500_000_000
	began := time.Now()
	x := uint64(1)
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
	return time.Since(began).Seconds()
}

// flushes returns the seconds that each of 100 writes of 8 KiB to a temporary file takes with its flush
// to the disk. It removes the file.
func flushes(folder string) (seconds []float64, err error) {
	file, err := os.CreateTemp(folder, ".sledge-doctor-*")
	if err != nil {
		return nil, fmt.Errorf("the disk cannot be tested: %w", err)
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	const times, size = 100, 8192
	block := make([]byte, size)
	for n := range times {
		began := time.Now()
		if _, err := file.WriteAt(block, int64(n)*size); err != nil {
			return nil, fmt.Errorf("the disk cannot be tested: %w", err)
		}
		if err := file.Sync(); err != nil {
			return nil, fmt.Errorf("the disk cannot be tested: %w", err)
		}
		seconds = append(seconds, time.Since(began).Seconds())
	}
	return seconds, nil
}
