package settings

import (
	"maps"
	"path/filepath"
	"slices"
)

// Default is a setting from the configuration file or the environment.
type Default struct {
	Name   string `json:"name"`             // name in the source: "pg_rampup"
	Option string `json:"option"`           // name of the option: "rampup"
	Value  string `json:"value,omitempty"`  // missing for a secret
	Secret bool   `json:"secret,omitempty"` // whether it is a password
	From   string `json:"from"`             // "line 3 of sledge.toml", "SLEDGE_PG_RAMPUP"

	// BeatenBy is the stronger source that sets the same option, or "".
	BeatenBy string `json:"beaten_by,omitempty"`
}

// Defaults returns the settings of the configuration file and then of the environment, which is
// stronger, each sorted by name. It warns about variables whose names are probably mistyped. If the
// file cannot be read, it returns an error and the settings of the environment.
func (r Resolver) Defaults(s Sources) (list []Default, warnings []string, err error) {
	var config source
	if s.ConfigFile != "" {
		config, err = r.readConfig(s.ConfigFile)
	}
	environment, warnings := r.readEnvironment(s.Environ)
	meanings := r.meanings()
	defaults := func(p source) (here []Default) {
		for _, name := range slices.Sorted(maps.Keys(p)) {
			m := meanings[name]
			one := Default{Name: name, Option: m.option, Value: p[name].text, Secret: m.secret, From: p[name].origin}
			if one.Secret {
				one.Value = ""
			}
			here = append(here, one)
		}
		return here
	}
	weak, strong := defaults(config), defaults(environment)
	for i, one := range weak {
		for _, other := range strong {
			if other.Option == one.Option && (other.Name == one.Name || !meanings[other.Name].ofOne) {
				weak[i].BeatenBy = other.From
			}
		}
	}
	return append(weak, strong...), warnings, err
}

// meaning is the meaning of a known name.
type meaning struct {
	option string // the option's own name, or the name itself if it is not an option
	secret bool   // whether the value is secret: the name of a file with a secret is not
	ofOne  bool   // whether the name is the key of one database and workload
}

// meanings returns the meaning of each of knownNames.
func (r Resolver) meanings() map[string]meaning {
	list := map[string]meaning{}
	for name := range r.knownNames() {
		list[name] = meaning{option: name}
	}
	for pair := range r.Known().Pairs() {
		for _, o := range pair.Options() {
			for _, name := range Called(pair, o) {
				m := meaning{option: o.Name, secret: o.Secret, ofOne: name == Key(pair, o) && name != o.Name}
				list[name] = m
				if m.secret {
					m.secret = false
					list[name+secretFile] = m
				}
			}
		}
	}
	return list
}

// Location is a variable of the environment that names a file or folder.
type Location struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
	Used    bool   `json:"used"` // false if a flag names another file
}

// Locations returns the variables that are set. used are the values that are in use.
func Locations(environ []string, used ...string) []Location {
	list := []Location{}
	for _, p := range []Location{
		{Name: EnvConfig, Meaning: "the configuration file"},
		{Name: EnvRepository, Meaning: "the job repository"},
		{Name: EnvSettings, Meaning: "the file of the console's settings"},
		{Name: EnvPython, Meaning: "the Python that runs scripts", Used: true},
	} {
		if p.Value = Variable(environ, p.Name); p.Value != "" {
			p.Used = p.Used || slices.ContainsFunc(used, func(path string) bool { return isSameFile(path, p.Value) })
			list = append(list, p)
		}
	}
	return list
}

// isSameFile reports whether two paths mean the same file, which need not exist.
func isSameFile(a, b string) bool {
	first, errA := filepath.Abs(a)
	second, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a != "" && first == second
}

// ConsoleSettings returns the file in which consoles save their settings: the one that the
// environment names, or one beside a job repository. It returns "" if the repository is in memory.
func ConsoleSettings(environ []string, repository string) string {
	named, folder := Variable(environ, EnvSettings), FolderOf(repository)
	if named != "" || folder == "" {
		return named
	}
	return filepath.Join(folder, "settings.db")
}

// FolderOf returns the folder of a job repository, which contains other files too; "" if the
// repository is in memory.
func FolderOf(repository string) string {
	if repository == ":memory:" {
		return ""
	}
	return filepath.Dir(repository)
}
