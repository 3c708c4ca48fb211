// Package interpretertest finds the interpreters that tests run scripts in.
package interpretertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Pythons lists a program of each version of Python that is installed, of those that
// Sledge runs scripts in: 3.9 and later. Without any it skips the test, unless
// SLEDGE_TEST_REQUIRE asks for python.
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
