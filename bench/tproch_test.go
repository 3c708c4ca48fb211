//go:build bench && linux

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"sledge/internal/workload/tproch/dbgen"
	"sledge/internal/workload/tproch/dbgen/dbgentest"
)

// scaleVariable is the environment variable with the scale factor for the child that makes the rows
// of TPROC-H.
const scaleVariable = "SLEDGE_BENCH_SCALE"

// TestTprochRows measures the CPU time of making all tables of TPROC-H at scale 1 as .tbl lines,
// with one thread and discarded output, and compares it with tpchgen-cli's. Both times include
// generating the text of the comments.
func TestTprochRows(t *testing.T) {
	program := tpchgen(t)
	var ours, theirs []float64
	for range rounds() {
		ours = append(ours, toNowhere(t, self(t, "rows", 0, scaleVariable+"=1")).Seconds())
		if program != "" {
			theirs = append(theirs, toNowhere(t, command(t, nil, program, "tbl", "-s", "1", "-n", "1", "--stdout", "-q")).Seconds())
		}
	}
	const what = "making all eight tables of TPROC-H as .tbl, scale 1, one thread: CPU time"
	note(t, figure{What: what, Value: median(ours), Unit: "s", Detail: spread(ours)})
	if program == "" {
		return
	}
	note(t, figure{
		What: what + " against tpchgen-cli", Value: median(ratios(ours, theirs)), Unit: "x", Target: atMost(1),
		Detail: fmt.Sprintf("%.2f against %.2f s; %s", median(ours), median(theirs), spread(ratios(ours, theirs))),
	})
}

// TestTprochFiles measures the CPU time of writing all tables of TPROC-H at scale 0.5, with one
// worker, as .tbl and as Parquet, and compares it with tpchgen-cli's. Both write files to a disk.
// In a second comparison tpchgen-cli discards its output, and Sledge, which can only write files,
// writes to a file system in memory. Sledge's time includes the checksums of the manifest. Both
// compress Parquet with snappy, their default.
func TestTprochFiles(t *testing.T) {
	program := tpchgen(t)
	if program == "" {
		t.Skip("there is nothing to compare with")
	}
	const memory = "/dev/shm"
	for _, c := range []struct {
		format, where, folder string
		theirs                []string
		target                float64
	}{
		{"tbl", "into files", t.TempDir(), nil, 1},
		{"parquet", "into files", t.TempDir(), nil, 0.7},
		{"parquet", "to nowhere", memory, []string{"--stdout"}, 0.7},
	} {
		var ours, theirs []float64
		for range rounds() {
			folder, err := os.MkdirTemp(c.folder, "sledge-bench")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(folder) }) // if the test ends early
			ours = append(ours, toNowhere(t, command(t, nil, sledgeProgram, "datagen", "--workload", "tproch", "--scale", "0.5", "--workers", "1",
				"--format", c.format, "--dir", filepath.Join(folder, "ours"))).Seconds())
			arguments := append([]string{c.format, "-s", "0.5", "-n", "1", "-q", "-o", folder}, c.theirs...)
			theirs = append(theirs, toNowhere(t, command(t, nil, program, arguments...)).Seconds())
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
		}
		note(t, figure{
			What:  "writing all eight tables of TPROC-H as ." + c.format + " " + c.where + ", scale 0.5, one worker: CPU time against tpchgen-cli",
			Value: median(ratios(ours, theirs)), Unit: "x", Target: atMost(c.target),
			Detail: fmt.Sprintf("%.2f against %.2f s; %s", median(ours), median(theirs), spread(ratios(ours, theirs))),
		})
	}
}

// TestTprochMemory measures the peak memory of a process that makes all tables at scale 10.
func TestTprochMemory(t *testing.T) {
	scale := 10
	if testing.Short() {
		scale = 1
	}
	c := child{Cmd: self(t, "rows", 0, scaleVariable+"="+strconv.Itoa(scale))}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	peak := c.peakMemory()
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	note(t, figure{
		What: fmt.Sprintf("resident memory while making all tables of TPROC-H at scale %d", scale), Value: float64(peak) / 1e6, Unit: "MB",
		Target: atMost(100),
	})
}

// toNowhere runs a program, discards its output, and returns its CPU time.
func toNowhere(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v", cmd.Path, err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// tpchgen returns the path of tpchgen-cli, and installs it for this test if necessary. If that
// fails, it returns "".
func tpchgen(t *testing.T) string {
	t.Helper()
	if path, found := dbgentest.Find(); found {
		return path
	}
	folder := t.TempDir()
	for _, step := range [][]string{
		{"python3", "-m", "venv", folder},
		{filepath.Join(folder, "bin", "pip"), "install", "--quiet", "--only-binary", ":all:", "tpchgen-cli>=4,<5"},
	} {
		if output, err := command(t, nil, step[0], step[1:]...).CombinedOutput(); err != nil {
			t.Logf("TPROC-H's rows are not compared, because tpchgen-cli could not be installed: %v\n%s", err, lastLines(string(output)))
			return ""
		}
	}
	return filepath.Join(folder, "bin", "tpchgen-cli")
}

// makeRows writes all tables of a scale to standard output.
func makeRows(scale string) error {
	factor, err := strconv.ParseFloat(scale, 64)
	if err != nil {
		return err
	}
	s, err := dbgen.NewScale(factor)
	if err != nil {
		return err
	}
	for _, table := range dbgen.Tables {
		if _, err := s.Source(table, dbgen.Tbl, 1, s.Count(table)).WriteTo(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}
