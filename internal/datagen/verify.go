package datagen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/host"
	"sledge/internal/job"
)

// Difference is a file that differs from the manifest.
type Difference struct {
	File string `json:"file"` // its name in the folder
	Why  string `json:"why"`  // "has 12 bytes instead of 15"
}

// Verify compares the files of a folder with its manifest. It returns the manifest and the files
// that differ, in the manifest's order. Unlisted files of the tables differ, too, because a loader
// of all files of a table would load them.
//
// Verify calls tell with the progress, from one goroutine; tell may be nil.
func Verify(ctx context.Context, folder string, tell func(job.Event)) (Manifest, []Difference, error) {
	m, err := ReadManifest(folder)
	if err != nil {
		return m, nil, err
	}
	v := verification{folder: folder, files: m.Files, why: make([]string, len(m.Files)), tell: tell}
	if err := v.run(ctx); err != nil {
		if ctx.Err() != nil {
			err = job.WithExit(job.ExitStopped, errors.New("stopped: not all files were compared"))
		}
		return m, nil, err
	}
	var differ []Difference
	for i, why := range v.why {
		if why != "" {
			differ = append(differ, Difference{m.Files[i].Name, why})
		}
	}
	strangers, err := unlisted(folder, m.Files)
	return m, append(differ, strangers...), err
}

// verification is one call of Verify.
type verification struct {
	folder string
	files  []File
	why    []string // how each file differs; "" if it is equal
	tell   func(job.Event)
	read   atomic.Int64 // bytes
}

// run compares all files, with one goroutine per processor.
func (v *verification) run(ctx context.Context) error {
	stop := v.watch()
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(host.Cores())
	for i := range v.files {
		group.Go(func() (err error) {
			v.why[i], err = v.compare(ctx, v.files[i])
			return err
		})
	}
	return group.Wait()
}

// compare returns how a file differs, or "". It returns an error if the file cannot be read or the
// context ends.
func (v *verification) compare(ctx context.Context, f File) (string, error) {
	path := filepath.Join(v.folder, f.Name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing", nil
	case err != nil:
		return "", fmt.Errorf("open %s: %w", path, cause(err))
	case !info.Mode().IsRegular(): // opening a pipe would wait for a writer
		return "is not a regular file", nil
	case info.Size() != f.Stored:
		return fmt.Sprintf("has %d bytes instead of %d", info.Size(), f.Stored), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", path, cause(err))
	}
	defer file.Close()
	hash, buf := sha256.New(), make([]byte, bufferSize)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := file.Read(buf)
		hash.Write(buf[:n])
		v.read.Add(int64(n))
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read %s: %w", path, cause(err))
		}
	}
	if hex.EncodeToString(hash.Sum(nil)) != f.SHA256 {
		return "has another SHA-256", nil
	}
	return "", nil
}

// watch reports the progress until stop is called.
func (v *verification) watch() (stop func()) {
	if v.tell == nil {
		return func() {}
	}
	var total int64
	for _, f := range v.files {
		total += f.Stored
	}
	tell := func() {
		v.tell(job.Event{At: time.Now(), Progress: &job.Progress{Step: "verify", Done: v.read.Load() / 1e6, Total: total / 1e6, Unit: "MB"}})
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		show := time.NewTicker(showEvery)
		defer show.Stop()
		for {
			select {
			case <-show.C:
				tell()
			case <-quit:
				return
			}
		}
	})
	return func() { close(quit); done.Wait() }
}

// unlisted lists the files in the folder that have names of the tables' files but do not belong to
// this generation.
func unlisted(folder string, files []File) ([]Difference, error) {
	var tables []string
	listed := map[string]bool{}
	for _, f := range files {
		tables, listed[f.Name] = append(tables, f.Table), true
	}
	slices.Sort(tables)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, cause(err))
	}
	ofRows := namesOfRows(slices.Compact(tables))
	var strangers []Difference
	for _, e := range entries {
		if ofRows.MatchString(e.Name()) && !listed[e.Name()] {
			strangers = append(strangers, Difference{e.Name(), "is not in the manifest"})
		}
	}
	return strangers, nil
}
