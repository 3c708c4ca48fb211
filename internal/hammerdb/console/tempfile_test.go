//go:build !windows

package console

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sledge/internal/job"
)

func TestTemporaryFolder_ForeignFilesAreNotWritten(t *testing.T) {
	folder := t.TempDir()
	victim := filepath.Join(folder, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		put  func(path string) error
		want string
	}{
		{"a symbolic link", func(path string) error { return os.Symlink(victim, path) }, "symbolic link"},
		{"a link to nothing", func(path string) error { return os.Symlink(filepath.Join(folder, "none"), path) }, "symbolic link"},
		{"a hard link", func(path string) error { return os.Link(victim, path) }, "another name"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		{"a pipe without a reader", func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		{"another user's file", func(path string) error {
			if os.Geteuid() != 0 {
				return errors.ErrUnsupported // only root can change a file's owner
			}
			return errors.Join(os.WriteFile(path, []byte("theirs"), 0o666), os.Chown(path, 65534, 65534))
		}, "another user"},
	} {
		path := filepath.Join(folder, strings.ReplaceAll(c.name, " ", "_"))
		if err := c.put(path); errors.Is(err, errors.ErrUnsupported) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for _, flags := range []int{os.O_WRONLY, os.O_WRONLY | os.O_APPEND} {
			file, err := openOurs(path, flags, 0o600)
			if !errors.As(err, new(notOursError)) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v and error %v, want an error that names the file and says %s", c.name, file, err, c.want)
			}
		}
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("got %q, %v, want the file as it was", text, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "none")); err == nil {
		t.Error("the target of a link was created")
	}
}

func TestTemporaryFiles_AreOverwrittenIfOurs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script.tcl")
	for _, text := range []string{"a long text", "short"} {
		if err := writeOurs(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
}

// Every command that writes into the temporary folder refuses links.
func TestCommandsRefuseLinksInTheTemporaryFolder(t *testing.T) {
	w := newJobsWorld(t)
	w.fill(t)
	victim := filepath.Join(w.folder, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	built := string(w.ids["$BUILD"])
	for _, c := range []struct {
		file     string
		commands [][]string
	}{
		{"hammerdb.log", [][]string{{"dbset", "db", "sqlite"}, {"vuset", "logtotemp", "1"}, {"loadscript"}, {"vuset", "vu", "1"}, {"vucreate"}}},
		{"hdbtcount.log", [][]string{{"tcset", "logtotemp", "1"}, {"tcstart"}}},
		{"script.tcl", [][]string{{"savescript", "script"}}},
		{"hdb_" + built + ".json", [][]string{{"jobs", built, "save"}}},
	} {
		if err := os.Symlink(victim, filepath.Join(w.folder, c.file)); err != nil {
			t.Fatal(err)
		}
		before := w.failures()
		w.out.Reset()
		for _, words := range c.commands {
			if _, err := w.Call(t.Context(), Call{Name: words[0], Args: words[1:], Folder: w.folder}); err != nil {
				t.Fatal(err)
			}
		}
		if out := w.out.String(); w.failures() == before || !strings.Contains(out, c.file+" is a symbolic link") || job.ExitOf(w.Failure()) != job.ExitError {
			t.Errorf("%s: got %d failures, %v and\n%s\nwant an error that names the file", c.file, w.failures()-before, w.Failure(), out)
		}
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("got %q, %v, want the file as it was", text, err)
	}
}
