package datagen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/job"
)

// unfinished is the subfolder that holds the files until all are complete. Creating it claims
// the folder: otherwise the files of two generations would mix.
const unfinished = "datagen.unfinished"

// stage is the place where files are written before they are moved.
type stage struct {
	folder string
	made   bool   // whether the folder did not exist before
	inside string // the subfolder of unfinished files
	old    []string
	done   bool
}

// CheckFolder returns an error unless files can be written in the folder.
func CheckFolder(folder string) error {
	probe, err := os.MkdirTemp(folder, "datagen.probe")
	if err == nil {
		err = os.Remove(probe)
	}
	if err != nil {
		return notWritable(folder, err)
	}
	return nil
}

func notWritable(folder string, err error) error {
	return job.WithExit(job.ExitUsage, fmt.Errorf("directory %s is not a writable location: %w", folder, cause(err)))
}

// cause returns an error of the file system without its path, for messages that name the path
// themselves.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// openStage claims the folder. It refuses a folder that already has files of these tables, even
// with other part numbers, because a loader of all files of a table would load both generations.
func openStage(folder string, tables, names []string, overwrite bool) (*stage, error) {
	s := &stage{folder: folder, inside: filepath.Join(folder, unfinished)}
	s.made = os.Mkdir(folder, 0o777) == nil
	old, err := filesInTheWay(folder, tables, names)
	switch {
	case err != nil:
		return nil, notWritable(folder, err)
	case len(old) > 0 && !overwrite:
		return nil, job.WithExit(job.ExitExists, ExistsError{s.final(old[0])})
	}
	s.old = old
	if overwrite {
		if err := os.RemoveAll(s.inside); err != nil {
			return nil, notWritable(folder, err)
		}
	}
	err = os.Mkdir(s.inside, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil, job.WithExit(job.ExitExists, ExistsError{s.inside})
	}
	if err != nil {
		return nil, notWritable(folder, err)
	}
	return s, nil
}

// filesInTheWay lists the existing files of the tables' rows in any format, the files in an earlier
// generation's manifest, and the files with one of the names.
func filesInTheWay(folder string, tables, names []string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	inTheWay := map[string]bool{}
	for _, name := range names {
		inTheWay[name] = true
	}
	if earlier, err := ReadManifest(folder); err == nil {
		for _, f := range earlier.Files {
			inTheWay[f.Name] = true
		}
	}
	ofRows := namesOfRows(tables)
	var rows, others []string
	for _, e := range entries {
		switch {
		case ofRows.MatchString(e.Name()):
			rows = append(rows, e.Name())
		case inTheWay[e.Name()]:
			others = append(others, e.Name())
		}
	}
	return append(rows, others...), nil
}

// namesOfRows matches the numbered file names that a generation uses for the tables. It does not
// match names in dbgen's format, because such files may be dbgen's own.
func namesOfRows(tables []string) *regexp.Regexp {
	quoted := make([]string, len(tables))
	for i, t := range tables {
		quoted[i] = regexp.QuoteMeta(t)
	}
	return regexp.MustCompile(`^(` + strings.Join(quoted, "|") + `)_[0-9]+\.(tbl|csv|parquet)(\.gz|\.zst)?$`)
}

// final returns the final path of a file.
func (s *stage) final(name string) string { return filepath.Join(s.folder, name) }

// create opens a file for writing.
func (s *stage) create(name string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(s.inside, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("could not open file to write %s: %w", s.final(name), cause(err))
	}
	return file, nil
}

// publish removes the files of an earlier generation and moves the new ones into the folder. If one
// cannot be moved, it removes all of them. The manifest is removed first and written last, so a
// folder with a manifest is complete.
func (s *stage) publish() error {
	entries, err := os.ReadDir(s.inside)
	if err != nil {
		return fmt.Errorf("publish the files: %w", err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	for _, name := range manifestFirst(s.old) {
		if err := os.Remove(s.final(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file of an earlier generation: %w", err)
		}
	}
	var published []string
	for _, name := range slices.Backward(manifestFirst(names)) {
		if err := os.Rename(filepath.Join(s.inside, name), s.final(name)); err != nil {
			for _, name := range published {
				err = errors.Join(err, os.Remove(name))
			}
			return fmt.Errorf("publish the files: %w", err)
		}
		published = append(published, s.final(name))
	}
	s.done = true
	return nil
}

// manifestFirst sorts file names so that the manifest comes first.
func manifestFirst(names []string) []string {
	slices.SortStableFunc(names, func(a, b string) int {
		switch ManifestName {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return names
}

// close removes the unpublished files, and also the folder if openStage created it and nothing was
// published.
func (s *stage) close() error {
	err := os.RemoveAll(s.inside)
	if s.made && !s.done {
		if removed := os.Remove(s.folder); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	if err != nil {
		return fmt.Errorf("remove the unfinished files: %w", err)
	}
	return nil
}
