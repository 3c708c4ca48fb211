package db2

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"sledge/internal/database/db2/cli"
)

// libraryNames returns the file names of IBM's call level interface, in order of preference.
func libraryNames() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"db2cli64.dll"}
	case "darwin":
		return []string{"libdb2.dylib"}
	default:
		return []string{"libdb2.so.1", "libdb2.so"}
	}
}

// place is a folder that may contain the library, and why it may.
type place struct{ folder, why string }

// places returns the folders into which Db2's clients and Python's ibm_db install the library, the
// most likely first. A folder may be a glob pattern.
func places(environment func(string) string) []place {
	var list []place
	add := func(why string, parts ...string) {
		if parts[0] != "" {
			list = append(list, place{filepath.Join(parts...), why})
		}
	}
	home := environment("IBM_DB_HOME")
	for _, sub := range []string{"lib64", "lib", "bin"} {
		add("IBM_DB_HOME", home, sub)
	}
	variable := map[string]string{"windows": "PATH", "darwin": "DYLD_LIBRARY_PATH"}[runtime.GOOS]
	if variable == "" {
		variable = "LD_LIBRARY_PATH"
	}
	for _, folder := range filepath.SplitList(environment(variable)) {
		add(variable, folder)
	}
	if runtime.GOOS == "windows" {
		programs := environment("ProgramFiles")
		add("Db2's server and client", programs, "IBM", "SQLLIB", "BIN")
		add("IBM's driver package", programs, "IBM", "IBM DATA SERVER DRIVER", "bin")
		add("Python's ibm_db", environment("VIRTUAL_ENV"), "Lib", "site-packages", "clidriver", "bin")
		add("Python's ibm_db", environment("LOCALAPPDATA"), "Programs", "Python", "Python3*", "Lib", "site-packages", "clidriver", "bin")
		add("Python's ibm_db", environment("APPDATA"), "Python", "Python3*", "site-packages", "clidriver", "bin")
		return list
	}
	user := environment("HOME")
	add("Python's ibm_db", environment("VIRTUAL_ENV"), "lib", "python3*", "site-packages", "clidriver", "lib")
	add("the instance of this user", user, "sqllib", "lib64")
	if instance := environment("DB2INSTANCE"); instance != "" {
		add("DB2INSTANCE", "/home", instance, "sqllib", "lib64")
	}
	add("the usual instance", "/home/db2inst1/sqllib/lib64")
	add("Db2's server and client", "/opt/ibm/db2/*/lib64")
	add("Db2's server and client", "/opt/IBM/db2/*/lib64")
	add("IBM's driver package", "/opt/ibm/dsdriver/lib")
	add("IBM's driver package", "/opt/ibm/clidriver/lib")
	if user != "" {
		add("Python's ibm_db", user, ".local/lib/python3*/site-packages/clidriver/lib")
		add("Python's ibm_db", user, ".pyenv/versions/*/lib/python3*/site-packages/clidriver/lib")
	}
	for _, prefix := range []string{"/usr/local/lib", "/usr/lib", "/opt/homebrew/lib"} {
		add("Python's ibm_db", prefix, "python3*", "site-packages", "clidriver", "lib")
		add("Python's ibm_db", prefix, "python3*", "dist-packages", "clidriver", "lib")
	}
	return list
}

// candidates returns the paths of existing libraries, and the folders that it has searched.
func candidates(named string, environment func(string) string) (files, looked []string, err error) {
	if named != "" {
		return namedLibrary(named)
	}
	seen := map[string]bool{}
	for _, p := range places(environment) {
		if seen[p.folder] {
			continue
		}
		seen[p.folder] = true
		looked = append(looked, fmt.Sprintf("%s (%s)", p.folder, p.why))
		files = append(files, librariesIn(p.folder)...)
	}
	return files, looked, nil
}

// namedLibrary is candidates for a file or folder that the user named.
func namedLibrary(named string) (files, looked []string, err error) {
	info, err := os.Stat(named)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("there is no file or folder %s", named)
	case err != nil:
		return nil, nil, err
	case !info.IsDir():
		return []string{named}, nil, nil
	}
	for _, sub := range []string{"", "lib64", "lib", "bin"} {
		folder := filepath.Join(named, sub)
		looked = append(looked, folder)
		files = append(files, librariesIn(folder)...)
	}
	return files, looked, nil
}

// librariesIn returns the libraries in the folders that match a pattern, the newest Python first.
func librariesIn(pattern string) (files []string) {
	folders, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	for i := len(folders) - 1; i >= 0; i-- {
		for _, name := range libraryNames() {
			file := filepath.Join(folders[i], name)
			if _, err := os.Stat(file); err == nil {
				files = append(files, file)
				break
			}
		}
	}
	return files
}

// getIt says how to get the library.
const getIt = "it comes with Db2, with IBM's driver package, and with \"pip install ibm_db\""

// libraryError means that the library could not be loaded.
type libraryError struct {
	text string
	err  error
}

func (e *libraryError) Error() string { return e.text }
func (e *libraryError) Unwrap() error { return e.err }

// load loads the library that the option names, or the first one that can be loaded.
func load(named string, environment func(string) string) (*cli.Library, error) {
	if cli.Static {
		return nil, &libraryError{"Db2 needs IBM's library libdb2.so, and " + cli.ErrStatic.Error() + ": use sledge-db2, the same program linked to the system's loader (\"make build-db2\" builds it)", cli.ErrStatic}
	}
	files, looked, err := candidates(named, environment)
	if err != nil {
		return nil, &libraryError{fmt.Sprintf("IBM's library for Db2: %v", err), err}
	}
	var failures []string
	for _, file := range files {
		l, err := cli.Load(file)
		if err == nil {
			return l, nil
		}
		failures = append(failures, fmt.Sprintf("%s cannot be loaded: %v", file, err))
	}
	if named == "" {
		for _, name := range libraryNames() { // the system's loader searches its own folders
			if l, err := cli.Load(name); err == nil {
				return l, nil
			}
		}
	}
	text := "IBM's library for Db2, " + libraryNames()[len(libraryNames())-1] + ", was not found"
	switch {
	case len(failures) > 0:
		text = "IBM's library for Db2: " + strings.Join(failures, "; ")
	case len(looked) > 0:
		text += ": Sledge searched " + strings.Join(looked, ", ")
		if named == "" {
			text += " and the system's library folders"
		}
	}
	return nil, &libraryError{text + "; " + getIt, fs.ErrNotExist}
}

// libraryOf is Sessions.Library.
func libraryOf(options any) (string, error) {
	s, _ := options.(settings).common()
	l, err := load(s.Library, os.Getenv)
	if err != nil {
		return "", err
	}
	return l.Path, nil
}
