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

// entry is the value of a name in a source.
type entry struct {
	text   string
	origin string // the source, as messages name it: "--port", "SLEDGE_PG_PORT", "line 3 of sledge.toml"
	key    string // the name in the source, if the origin does not contain it
	folder string // the folder of relative paths in text
	file   string // the path of the file from which text, a secret, was read; otherwise ""
}

// wrong returns an error about the value of a setting that is not an option.
func (e entry) wrong(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if e.key == "" {
		return fmt.Errorf("%s: %w", e.origin, err)
	}
	return fmt.Errorf("%s: %w (it is from %s)", e.key, err, e.origin)
}

// source is a source of settings, by option name, or db, workload, users, seed.
type source map[string]entry

// secretFile ends the name that gives the file of a secret instead of the secret: password_file,
// SLEDGE_PG_PASS_FILE.
const secretFile = "_file"

// maxSecret limits the size of a password file in bytes, so that a wrong path, such as a device, is
// not read for ever.
const maxSecret = 64 << 10

// find returns the entry of an option and its name in the source. It tries the option's names in
// order: a file for several databases may have rampup for all of them and pg_rampup for one.
func (p source) find(o option.Description, called []string) (e entry, name string, err error) {
	for _, name := range called {
		e, ok, err := p.findCalled(o, name)
		if ok || err != nil {
			return e, name, err
		}
	}
	return entry{}, "", nil
}

// findCalled returns the entry of an option under one name. A secret may be given as the name of
// its file.
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
	text, err := ReadSecret(path)
	if err != nil {
		return entry{}, false, fmt.Errorf("%s%s: %w (it is from %s)", name, secretFile, err, file.origin)
	}
	return entry{text: text, origin: file.origin, file: path}, true, nil
}

// relativeTo returns the folder of a relative path.
func relativeTo(folder, path string) string {
	if filepath.IsAbs(path) {
		return ""
	}
	return folder
}

// ReadSecret reads a password from a file, without the newline at its end.
func ReadSecret(path string) (string, error) {
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
		return "", fmt.Errorf("password file %s: it contains more than one line", path)
	}
	return secret, nil
}

// nameSet is a set of the names that settings can have.
type nameSet map[string]bool

func (n nameSet) list() []string { return slices.Sorted(maps.Keys(n)) }

// knownNames returns every name that a configuration file or the environment may have, including
// options of other databases and of those that this build lacks, so that one file or environment
// can serve several.
func (r Resolver) knownNames() nameSet {
	known := nameSet{}
	for _, name := range plainKeys {
		known[name] = true
	}
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

// listNames returns the names of options that have several values.
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
	EnvConfig         = "SLEDGE_CONFIG"      // the configuration file
	EnvRepository     = "SLEDGE_REPO"        // the job repository
	EnvSettings       = "SLEDGE_SETTINGS"    // the file of the console's settings
	EnvAgentToken     = "SLEDGE_AGENT_TOKEN" // the token of an agent that sledge agent add saves
	EnvPython         = "SLEDGE_PYTHON"      // the Python that runs the console's scripts
	envTests          = "SLEDGE_TEST_"       // variables of Sledge's own tests
)

// Variable returns the value of a variable in an environment of lines "NAME=value", or "". If it
// occurs twice, the last one wins, as in os/exec.
func Variable(environ []string, name string) string {
	for _, line := range slices.Backward(environ) {
		key, value, _ := strings.Cut(line, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// readGiven reads settings that another machine may have sent, by the names of a configuration
// file. It refuses names of password files: the sender must not learn which files exist here, and
// must not be able to send a password from a file to a server.
func (r Resolver) readGiven(s Sources) (source, error) {
	p := source{}
	known, secrets := r.knownNames(), r.secretNames()
	for _, name := range slices.Sorted(maps.Keys(s.Given)) {
		if before, inFile := strings.CutSuffix(name, secretFile); inFile && slices.Contains(secrets, before) {
			return nil, fmt.Errorf("%s: Sledge reads no file for %s: give %s itself, or save a connection with it", name, s.GivenBy, before)
		}
		if !known[name] {
			wrong := &option.UnknownError{Name: name, Nearest: option.Nearest(name, known.list())}
			return nil, fmt.Errorf("%w (it is from %s)", wrong, s.GivenBy)
		}
		p[name] = entry{text: s.Given[name], key: name, origin: s.GivenBy}
	}
	return p, nil
}

// readEnvironment reads Sledge's variables from an environment of lines "NAME=value". Empty values
// are ignored. It warns about names that are probably mistyped; other unknown names are ignored,
// because Kubernetes, for example, sets variables for its services.
func (r Resolver) readEnvironment(environ []string) (p source, warnings []string) {
	p = source{}
	known := r.knownNames()
	for _, line := range environ {
		variable, text, _ := strings.Cut(line, "=")
		name, ours := strings.CutPrefix(variable, EnvironmentPrefix)
		if !ours || text == "" || variable == EnvConfig || variable == EnvRepository || variable == EnvAgentToken || strings.HasPrefix(variable, envTests) {
			continue
		}
		name = strings.ToLower(name)
		if name == "port" && strings.Contains(text, "://") {
			continue // Kubernetes sets it if there is a service named sledge
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
