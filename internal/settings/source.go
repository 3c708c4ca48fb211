package settings

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"sledge/internal/option"
)

// entry is what one source says about one name.
type entry struct {
	text   string
	origin string // the source, as messages name it: "--port", "SLEDGE_PG_PORT", "line 3 of sledge.toml"
	key    string // the name the source has for it, where its origin does not tell it
	folder string // what paths in text are relative to
	file   string // the path of the file that text, a secret, was read from; "" if it was not
}

// wrong makes an error about the value of a setting that is not an option.
func (e entry) wrong(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if e.key == "" {
		return fmt.Errorf("%s: %w", e.origin, err)
	}
	return fmt.Errorf("%s: %w (it is from %s)", e.key, err, e.origin)
}

// source is one of the sources where settings come from, by the name of the
// option, or db, workload, users, seed.
type source map[string]entry

// secretFile ends the name that gives, instead of a secret, the file it is in:
// password_file, SLEDGE_PG_PASS_FILE.
const secretFile = "_file"

// maxSecret is more than any password has, in bytes. It keeps a wrong path, of
// a device for instance, from being read for ever.
const maxSecret = 64 << 10

// find returns what the source says about an option, and what it calls it. Of several
// things that an option may be called the first counts that the source has: a file for
// several databases may say rampup for all of them and pg_rampup for one.
func (p source) find(o option.Description, called []string) (e entry, name string, err error) {
	for _, name := range called {
		e, ok, err := p.findCalled(o, name)
		if ok || err != nil {
			return e, name, err
		}
	}
	return entry{}, "", nil
}

// findCalled returns what the source says about an option by one name. A secret may be
// given as the file it is in.
func (p source) findCalled(o option.Description, name string) (entry, bool, error) {
	direct, ok := p[name]
	if !o.Secret {
		return direct, ok, nil
	}
	file, inFile := p[name+secretFile]
	switch {
	case ok && inFile:
		return entry{}, false, fmt.Errorf("%s gives both %s and %s%s: leave out one", file.origin, name, name, secretFile)
	case !inFile:
		return direct, ok, nil
	}
	path := filepath.Join(relativeTo(file.folder, file.text), file.text)
	text, err := readSecret(path)
	if err != nil {
		return entry{}, false, fmt.Errorf("%s%s: %w (it is from %s)", name, secretFile, err, file.origin)
	}
	return entry{text: text, origin: file.origin, file: path}, true, nil
}

// relativeTo returns the folder that path is relative to.
func relativeTo(folder, path string) string {
	if filepath.IsAbs(path) {
		return ""
	}
	return folder
}

// readSecret reads a password from a file, without the end of its line.
func readSecret(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("password file: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("password file: %w", err)
	}
	if len(text) > maxSecret {
		return "", fmt.Errorf("password file %s: it is too long for a password", path)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("password file %s: it holds more than one line", path)
	}
	return secret, nil
}

// nameSet is a set of the names that settings can have.
type nameSet map[string]bool

func (n nameSet) list() []string { return slices.Sorted(maps.Keys(n)) }

// knownNames returns every name that a configuration file or the environment may hold,
// whatever options are called there. Options of other databases than the chosen one, and of
// those that are absent from this build, are among them, so that one file or environment
// serves several.
func (r Resolver) knownNames() nameSet {
	known := nameSet{keyDatabase: true, keyWorkload: true, keyUsers: true, keySeed: true, keyConnection: true}
	for pair := range r.Known().Pairs() {
		for _, o := range pair.Options() {
			for _, name := range Called(pair, o) {
				known[name] = true
				if o.Secret {
					known[name+secretFile] = true
				}
			}
		}
	}
	return known
}

// listNames returns the names of options that take several values.
func (r Resolver) listNames() nameSet {
	lists := nameSet{}
	for pair := range r.Known().Pairs() {
		for _, o := range pair.Options() {
			if !o.List {
				continue
			}
			for _, name := range Called(pair, o) {
				lists[name] = true
			}
		}
	}
	return lists
}

// Variables of the environment that are not settings of a job.
const (
	EnvironmentPrefix = "SLEDGE_"
	EnvConfig         = "SLEDGE_CONFIG"   // the configuration file
	EnvRepository     = "SLEDGE_REPO"     // the job repository
	EnvSettings       = "SLEDGE_SETTINGS" // the file of the console's settings
	EnvPython         = "SLEDGE_PYTHON"   // the Python that runs the console's scripts
	envTests          = "SLEDGE_TEST_"    // what Sledge's own tests use
)

// Variable returns the value of a variable in an environment of lines "NAME=value",
// or "": of two lines of one name the last counts, as it does for os/exec.
func Variable(environ []string, name string) string {
	for _, line := range slices.Backward(environ) {
		key, value, _ := strings.Cut(line, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// readGiven takes settings that were handed over by the names that a configuration file
// has for them, but for files that hold a password: who hands them over may be on another
// machine, and must not learn what files there are here, nor send one to a server.
func (r Resolver) readGiven(s Sources) (source, error) {
	p := source{}
	known, secrets := r.knownNames(), r.secretNames()
	for _, name := range slices.Sorted(maps.Keys(s.Given)) {
		if before, inFile := strings.CutSuffix(name, secretFile); inFile && slices.Contains(secrets, before) {
			return nil, fmt.Errorf("%s: no file is read for %s: give %s itself, or keep a connection with it", name, s.GivenBy, before)
		}
		if !known[name] {
			wrong := &option.UnknownError{Name: name, Nearest: option.Nearest(name, known.list())}
			return nil, fmt.Errorf("%w (it is from %s)", wrong, s.GivenBy)
		}
		p[name] = entry{text: s.Given[name], key: name, origin: s.GivenBy}
	}
	return p, nil
}

// readEnvironment takes Sledge's variables out of an environment of lines
// "NAME=value". An empty value counts as none. Names that look like a slip of
// the finger are warned of; others are left alone, since the environment is
// not ours: Kubernetes, for one, makes up names from those of services.
func (r Resolver) readEnvironment(environ []string) (p source, warnings []string) {
	p = source{}
	known := r.knownNames()
	for _, line := range environ {
		variable, text, _ := strings.Cut(line, "=")
		name, ours := strings.CutPrefix(variable, EnvironmentPrefix)
		if !ours || text == "" || variable == EnvConfig || variable == EnvRepository || strings.HasPrefix(variable, envTests) {
			continue
		}
		name = strings.ToLower(name)
		if name == "port" && strings.Contains(text, "://") {
			continue // Kubernetes sets it, where there is a service called sledge
		}
		if known[name] {
			p[name] = entry{text: text, origin: variable}
			continue
		}
		if meant := option.Nearest(name, known.list()); meant != "" {
			warnings = append(warnings, fmt.Sprintf("%s in the environment is not known: did you mean %s%s?",
				variable, EnvironmentPrefix, strings.ToUpper(meant)))
		}
	}
	slices.Sort(warnings)
	return p, warnings
}
