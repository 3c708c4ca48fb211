package datagen_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sledge/internal/datagen"
	"sledge/internal/job"
)

func TestGenerate_ExplainsThatTheFolderIsGone(t *testing.T) {
	for name, folder := range map[string]string{
		"an existing folder": t.TempDir(),
		"a new folder":       filepath.Join(t.TempDir(), "made"),
	} {
		t.Run(name, func(t *testing.T) {
			var once sync.Once
			_, err := datagen.Generate(t.Context(), datagen.Config{
				Plan: offline(t, special, nil), Folder: folder,
				Tell: func(e job.Event) {
					if e.Step != nil && e.Step.Name == job.StepRows {
						once.Do(func() {
							if err := os.RemoveAll(folder); err != nil {
								t.Error(err)
							}
						})
					}
				},
			})
			if err == nil || !strings.HasSuffix(err.Error(), "no file was left behind: the folder was removed or renamed meanwhile: generate the files again") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got error %v, want one line that says that the folder is gone", err)
			}
			if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder exists again: %v", err)
			}
		})
	}
}

func TestGenerate_ExplainsTheErrorsOfDisks(t *testing.T) {
	for _, tt := range []struct {
		cause error
		want  string
	}{
		{syscall.ENOSPC, "choose a folder with more room, or compress the files"},
		{syscall.EDQUOT, "choose a folder with more room, or compress the files"},
		{syscall.EFBIG, "ulimit -f"},
		{syscall.ESTALE, "the folder was removed or renamed meanwhile"},
		{syscall.EROFS, "the disk has a problem"},
		{syscall.EIO, "the disk has a problem"},
	} {
		err := fmt.Errorf("write a.tbl: %w", tt.cause)
		if got := datagen.Explain(t.Context(), err).Error(); !strings.HasPrefix(got, err.Error()+": no file was left behind: ") || !strings.Contains(got, tt.want) {
			t.Errorf("got %q, want that no file was left behind, and %q", got, tt.want)
		}
	}
}
