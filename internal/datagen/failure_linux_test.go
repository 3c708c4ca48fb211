package datagen_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sledge/internal/datagen"
	"sledge/internal/workload/tprocc"
)

func TestGenerate_LeavesNothingIfItReachesALimit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit func(t *testing.T, folder string)
		want  string
	}{
		{"the size of a file", limitFileSize, ": file too large: no file was left behind: write more parts"},
		{"the size of the disk", mountSmallDisk, ": no space left on device: no file was left behind: choose a folder with more room"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			tt.limit(t, folder)
			kept := filepath.Join(folder, "mine.txt")
			if err := os.WriteFile(kept, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, compression := range []datagen.Compression{datagen.Uncompressed, datagen.Zstd} {
				_, err := datagen.Generate(t.Context(), datagen.Config{Plan: offline(t, tprocc.Workload, nil), Folder: folder, Compression: compression})
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got error %v, want %q", compression, err, tt.want)
				}
				if got := texts(t, folder); len(got) != 1 || got["mine.txt"] != "mine" {
					t.Errorf("%s: got %d files in the folder, want only the file from before", compression, len(got))
				}
			}
		})
	}
}

const limit = 4 << 20

// limitFileSize limits the files of this process, as ulimit -f does, until the test ends.
func limitFileSize(t *testing.T, _ string) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	})
}

// mountSmallDisk mounts a small file system at the folder, until the test ends.
func mountSmallDisk(t *testing.T, folder string) {
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small file system needs the right to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
}
