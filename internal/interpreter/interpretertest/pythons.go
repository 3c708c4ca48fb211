// Package interpretertest finds interpreters for tests.
package interpretertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Pythons returns a program for each installed version of Python that Sledge supports, 3.9 and
// later. If none is installed, it skips the test, or fails it if SLEDGE_TEST_REQUIRE lists python.
func Pythons(t testing.TB) []string {
	t.Helper()
	var found []string
	for minor := 9; minor < 20; minor++ {
		name := fmt.Sprintf("python3.%d", minor)
		home, _ := os.UserHomeDir()
		installed, _ := filepath.Glob(filepath.Join(home, ".pyenv", "versions", fmt.Sprintf("3.%d.*", minor), "bin", name))
		if path, err := exec.LookPath(name); err == nil {
			installed = append(installed, path)
		}
		for _, path := range installed {
			if exec.Command(path, "-c", "").Run() == nil {
				found = append(found, path)
				break
			}
		}
	}
	if len(found) == 0 {
		if strings.Contains(os.Getenv("SLEDGE_TEST_REQUIRE"), "python") {
			t.Fatal("there is no Python of version 3.9 or later")
		}
		t.Skip("there is no Python of version 3.9 or later")
	}
	return found
}
