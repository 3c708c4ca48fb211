//go:build unix

package dictionaries

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSettings_BecomePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.db")
	if got := warnings(t, path); len(got) > 0 {
		t.Fatalf("got %q for a new file", got)
	}
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		f, err := os.OpenFile(path+ending, os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, exposed := range []string{"", "-journal"} {
		if err := os.Chmod(path+exposed, 0o644); err != nil {
			t.Fatal(err)
		}
		got := warnings(t, path)
		if len(got) != 1 || !strings.Contains(got[0], path+": other users could read the passwords in it") {
			t.Errorf("settings.db%s: got warnings %q, want one line that other users could read it", exposed, got)
		}
		info, err := os.Stat(path + exposed)
		if exposed == "" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("got mode %o and %v, want 600", info.Mode().Perm(), err)
		}
		if again := warnings(t, path); len(again) > 0 {
			t.Errorf("got %q from the second start", again)
		}
	}
}

func TestOpen_KeepsTheModeOfOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is not a database ", 400)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil { // independent of the umask
		t.Fatal(err)
	}
	if b, err := Open(resolver, path); err == nil {
		t.Errorf("got settings from it, %v", b.Close())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("got mode %v and %v, want an unchanged mode", info.Mode().Perm(), err)
	}
}

// asAnother is the environment variable with the path of the settings that the test opens when it
// runs itself again as a user who does not own them.
const asAnother = "SLEDGE_TEST_ANOTHERS_SETTINGS"

func TestSettingsOfAnotherUserAreWarnedOf(t *testing.T) {
	if path := os.Getenv(asAnother); path != "" {
		fmt.Println(strings.Join(warnings(t, path), "\n"))
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can open a file as another user")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "settings.db")
	warnings(t, path)
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip("the system has no /proc/self/exe to run again")
	}
	again := filepath.Join(folder, "again")
	if err := os.WriteFile(again, program, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o666, again: 0o755, folder: 0o777, filepath.Dir(folder): 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(again, "-test.run", "^"+t.Name()+"$")
	command.Dir, command.Env = folder, append(os.Environ(), asAnother+"="+path)
	const nobody = 65534
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	said, err := command.CombinedOutput()
	if want := path + ": other users can read the passwords in it: chmod "; err != nil || !strings.Contains(string(said), want) {
		t.Errorf("got %s and %v, want %q", said, err, want)
	}
}

// warnings opens settings and returns the warnings.
func warnings(t *testing.T, path string) []string {
	t.Helper()
	b, err := Open(resolver, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Warnings()
}
