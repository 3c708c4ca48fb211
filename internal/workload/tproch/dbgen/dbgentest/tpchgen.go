// Package dbgentest finds tpchgen-cli, a generator in Rust that also writes dbgen's files. Tests
// compare the rows of TPROC-H with its output.
package dbgentest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Tpchgen returns the path of tpchgen-cli. If it is not installed, Tpchgen skips the test, or fails
// it if SLEDGE_TEST_REQUIRE lists tpchgen.
func Tpchgen(t testing.TB) string {
	t.Helper()
	path, found := Find()
	if !found {
		const reason = "tpchgen-cli is not installed: run scripts/test-servers"
		for required := range strings.SplitSeq(os.Getenv("SLEDGE_TEST_REQUIRE"), ",") {
			if strings.TrimSpace(required) == "tpchgen" {
				t.Fatalf("SLEDGE_TEST_REQUIRE lists tpchgen, but %s", reason)
			}
		}
		t.Skip(reason)
	}
	return path
}

// Find returns the path of tpchgen-cli, in the folder of scripts/test-servers, which is
// .cache/servers of the tested module, or in PATH. Versions before 4 take other arguments.
func Find() (path string, found bool) {
	for folder, err := os.Getwd(); err == nil && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			own := filepath.Join(folder, ".cache", "servers", "tpchgen-cli", "bin", "tpchgen-cli")
			if _, err := os.Stat(own); err == nil {
				return own, true
			}
			break
		}
	}
	path, err := exec.LookPath("tpchgen-cli")
	return path, err == nil && exec.Command(path, "tbl", "--help").Run() == nil
}
