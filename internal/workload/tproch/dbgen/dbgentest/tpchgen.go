// Package dbgentest finds tpchgen-cli, a generator in Rust that also writes dbgen's files. Tests
// compare the rows of TPROC-H with its output.
package dbgentest

import (
	"os/exec"
	"testing"

	"sledge/internal/testserver"
)

// Tpchgen returns the path of tpchgen-cli. If it is not installed, Tpchgen skips the test, or fails
// it if SLEDGE_TEST_REQUIRE lists tpchgen.
func Tpchgen(t testing.TB) string {
	t.Helper()
	path, found := Find()
	if !found {
		testserver.Lack(t, "tpchgen", "tpchgen-cli is not installed: run scripts/test-servers")
	}
	return path
}

// Find returns the path of tpchgen-cli, in the folder of scripts/test-servers, which is
// .cache/servers of the tested module, or in PATH. Versions before 4 take other arguments.
func Find() (path string, found bool) {
	if own := testserver.Fetched("tpchgen-cli/bin/tpchgen-cli"); own != "" {
		return own, true
	}
	path, err := exec.LookPath("tpchgen-cli")
	return path, err == nil && exec.Command(path, "tbl", "--help").Run() == nil
}
