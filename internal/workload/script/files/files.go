// Package files reads a workload that a user has written: a folder with workload.toml, which
// describes options, tables and transactions, and SQL files with the statements of the transactions.
// docs/own-workload.md describes the format.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sledge/internal/workload"
)

// definitionFile is the file that makes a folder a workload.
const definitionFile = "workload.toml"

// Limits on what is read, so that a wrong folder is refused before all of it is in memory.
const (
	mostFiles = 500
	mostBytes = 4 << 20 // of all files together
)

// Read reads the workload in a folder. Its errors name the file, and the line if there is one.
func Read(folder string) (*workload.Workload, error) {
	texts, err := collect(folder)
	if err != nil {
		return nil, err
	}
	name, err := NameOf(folder)
	if err != nil {
		return nil, err
	}
	return New(name, texts)
}

// NameOf returns the name of the workload in a folder, which need not exist. The error says that no workload may be
// called so.
func NameOf(folder string) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	name := strings.ToLower(filepath.Base(absolute))
	return name, checkName(name)
}

// collect reads the definition and the SQL files of a folder and of its subfolders for databases, by
// their paths with slashes. It ignores other files, and hidden ones.
func collect(folder string) (map[string]string, error) {
	if _, err := os.Stat(filepath.Join(folder, definitionFile)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is not a workload: it has no %s (sledge workload new makes a folder with one)", folder, definitionFile)
		}
		return nil, err
	}
	texts, size := map[string]string{}, 0
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(path.Base(name), "."), entry.IsDir() && strings.Count(name, "/") > 0:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || name != definitionFile && path.Ext(name) != ".sql" && path.Ext(name) != ".lua":
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", filepath.Join(folder, name))
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if size += int(info.Size()); size > mostBytes || len(texts) == mostFiles {
			return fmt.Errorf("%s has more than %d files or %d MiB: a workload is smaller", folder, mostFiles, mostBytes>>20)
		}
		text, err := fs.ReadFile(root, name)
		texts[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
		return err
	})
	return texts, err
}

// folderName matches the names of workloads, which also name accounts and databases.
var folderName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,29}$`)

// sqlFile matches the path of an SQL file.
var sqlFile = regexp.MustCompile(`^([a-z0-9]+/)?[A-Za-z0-9_][A-Za-z0-9_.-]*\.sql$`)

// luaFile matches the path of a file in Lua.
var luaFile = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*\.lua$`)

func checkName(name string) error {
	if !folderName.MatchString(name) {
		return fmt.Errorf("the folder of a workload is called %q: its name must begin with a letter, and have at most 30 lower-case letters, digits and underscores", name)
	}
	return nil
}

// New returns the workload with the given name and files, by their paths in its folder.
func New(name string, texts map[string]string) (*workload.Workload, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	for file := range texts {
		if file != definitionFile && !sqlFile.MatchString(file) && !luaFile.MatchString(file) {
			return nil, fmt.Errorf("a workload has no file %q: it has %s, NAME.sql, DATABASE/NAME.sql and NAME.lua", file, definitionFile)
		}
	}
	d, err := parse(name, texts)
	if err != nil {
		return nil, err
	}
	return d.workload(), nil
}

// fileSystem has the SQL of a workload in the folders that package plan expects: sql/ansi for the
// folder itself, and sql/<database> for its subfolders. It implements fs.ReadDirFS and
// fs.ReadFileFS, and is only used through them.
type fileSystem map[string]string

// place returns the folder within a workload for a path below sql, without the slash at its end.
func place(name string) (string, bool) {
	rest, of := strings.CutPrefix(name, "sql/")
	if rest == "ansi" || strings.HasPrefix(rest, "ansi/") {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "ansi"), "/")
	}
	return rest, of
}

// Open implements fs.FS.
func (f fileSystem) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements fs.ReadFileFS.
func (f fileSystem) ReadFile(name string) ([]byte, error) {
	inside, of := place(name)
	if text, is := f[inside]; of && is {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements fs.ReadDirFS.
func (f fileSystem) ReadDir(name string) (list []fs.DirEntry, err error) {
	inside, of := place(name)
	if !of {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	for _, file := range slices.Sorted(maps.Keys(f)) {
		if path.Dir(file) == path.Clean(inside) && path.Ext(file) == ".sql" {
			list = append(list, entry(path.Base(file)))
		}
	}
	if list == nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return list, nil
}

// entry is the name of a file in a fileSystem.
type entry string

// Name implements fs.DirEntry.
func (e entry) Name() string { return string(e) }

// IsDir implements fs.DirEntry.
func (e entry) IsDir() bool { return false }

// Type implements fs.DirEntry.
func (e entry) Type() fs.FileMode { return 0 }

// Info implements fs.DirEntry.
func (e entry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
