//go:build bench

package bench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"sledge/internal/schema"
	"sledge/internal/workload/tprocc"
)

// population returns the tables that sledge builds by default.
func population(warehouses int) []schema.Table {
	loadTime := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return tprocc.Population{Warehouses: warehouses, Seed: 1, LoadTime: loadTime}.Tables()
}

// TestGeneration measures the speed of making the rows of all nine tables as load text, in bytes
// per user CPU time, which does not depend on other work on the machine.
func TestGeneration(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const warehouses = 5
	var speeds []float64
	for range rounds() + 1 {
		before := userTime(t)
		var bytes int64
		for _, table := range population(warehouses) {
			for chunk := range table.Chunks {
				n, err := schema.NewReader(table.Rows(chunk)).WriteTo(io.Discard)
				if err != nil {
					t.Fatal(err)
				}
				bytes += n
			}
		}
		speeds = append(speeds, float64(bytes)/1e6/(userTime(t)-before).Seconds())
	}
	speeds = speeds[1:] // the first round warms up
	note(t, figure{
		What: "making all nine tables as load text, one core", Value: median(speeds), Unit: "MB/s",
		Target: atLeast(400), Detail: spread(speeds),
	})
}

// userTime returns the user CPU time of this process so far.
func userTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}

// loadFile is a file with a part of a table.
type loadFile struct {
	path  string
	table schema.Table
	bytes int64
}

// writeLoadFiles writes the rows of all tables into files, one for each chunk, and distributes them
// among clients: the largest file first, each to the client with the fewest bytes. Clients of equal
// speed then end at the same time, which is optimal for bare loading.
func writeLoadFiles(t *testing.T, tables []schema.Table, clients int) [][]loadFile {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var files []loadFile
	for _, table := range tables {
		for chunk := range table.Chunks {
			path := filepath.Join(folder, fmt.Sprintf("%s.%d", table.Name, chunk))
			n, err := writeLoadFile(path, table.Rows(chunk))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, loadFile{path, table, n})
		}
	}
	slices.SortStableFunc(files, func(a, b loadFile) int { return int(b.bytes - a.bytes) })
	shares, sums := make([][]loadFile, clients), make([]int64, clients)
	for _, f := range files {
		least := slices.Index(sums, slices.Min(sums))
		shares[least] = append(shares[least], f)
		sums[least] += f.bytes
	}
	return shares
}

func writeLoadFile(path string, rows schema.RowSource) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := schema.NewReader(rows).WriteTo(f)
	if err != nil {
		return n, err
	}
	return n, f.Close()
}
