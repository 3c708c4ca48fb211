package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// parseURL parses a database's URL, or returns nil if there is none. Its error does not contain the
// URL, which may contain a password.
func parseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return nil, errors.New("--url is not a URL: write scheme://user:password@host:port/database, with %XX for special characters in the password")
	}
	return u, nil
}

// overriding holds overrides.
type overriding struct {
	own        source     // settings that are not options, such as users
	connection source     // the saved connection that own names; nil if it names none
	options    []Override // in order
}

// readOverrides sorts overrides.
func readOverrides(list []Override) (overriding, error) {
	o := overriding{own: source{}}
	for _, one := range list {
		switch {
		case one.Name == keyLabels:
			return o, fmt.Errorf("%s: labels make no difference to a run: name an option", one.Origin)
		case slices.Contains(plainKeys, one.Name):
			o.own[one.Name] = entry{text: one.Value, key: one.Name, origin: one.Origin}
		default:
			o.options = append(o.options, one)
		}
	}
	return o, nil
}

// ParseOverrides parses the values "name=value" of a flag: "--against".
func ParseOverrides(flag string, pairs []string) (list []Override, err error) {
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || name == "" {
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("%[1]s: write %[1]s name=value", flag))
		}
		list = append(list, Override{name, text, flag})
	}
	return list, nil
}

// strongest returns the entry for name from the last source that has one.
func strongest(sources []source, name string) (entry, bool) {
	for _, p := range slices.Backward(sources) {
		if e, ok := p[name]; ok {
			return e, true
		}
	}
	return entry{}, false
}

// takeConnection returns the settings of the saved connection that a source names, and the index of
// that source. kept is nil if no source names a connection.
func (r Resolver) takeConnection(general []source, s Sources) (kept source, at int, err error) {
	for i, p := range slices.Backward(general) {
		e, named := p[keyConnection]
		if !named {
			continue
		}
		if s.Connections == nil {
			return nil, 0, e.wrong("connections are saved beside the job repository, and there is no folder for them")
		}
		c, err := s.Connections.Get(e.text)
		if err != nil {
			return nil, 0, e.wrong("%w", err)
		}
		if other, said := strongest(general[i:], keyDatabase); said {
			if d, err := r.Database(other.text); err == nil && d.Name != c.Database {
				return nil, 0, e.wrong("the connection %s is for %s, but %s chooses %s: leave out one of the two", c.Name, c.Database, cmp.Or(other.key, other.origin), d.Name)
			}
		}
		return c.source(), i, nil
	}
	return nil, 0, nil
}

// ErrNoDatabase means that no source names a database.
var ErrNoDatabase = errors.New("no database chosen")

// chooseDatabase returns the database that a source names, or that the URL's scheme names. If they
// contradict each other, it returns an error if both are on the command line; otherwise the URL
// wins.
func (r Resolver) chooseDatabase(general []source, u *url.URL) (*database.Database, error) {
	var named *database.Database
	e, ok := strongest(general, keyDatabase)
	if ok {
		var err error
		if named, err = r.Database(e.text); err != nil {
			return nil, e.wrong("%w", err)
		}
	}
	switch {
	case u == nil && named == nil:
		return nil, fmt.Errorf("%w: give --db with one of %s", ErrNoDatabase, strings.Join(r.databaseNames(), ", "))
	case u == nil:
		return named, nil
	case named != nil && slices.Contains(catalog.Schemes(named), u.Scheme):
		return named, nil
	}
	d, err := r.ByScheme(u.Scheme)
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	if named != nil && onCommandLine(e.origin) {
		return nil, fmt.Errorf("%s chooses %s, but the URL is for %s: leave out one of the two, or change the URL", e.origin, named.Title, d.Title)
	}
	return d, nil
}

func (r Resolver) databaseNames() []string {
	var names []string
	for _, d := range r.Databases {
		name := d.Name
		if len(d.Aliases) > 0 {
			name += " (" + strings.Join(d.Aliases, ", ") + ")"
		}
		names = append(names, name)
	}
	return names
}

func (r Resolver) chooseWorkload(general []source) (*workload.Workload, error) {
	e, ok := strongest(general, keyWorkload)
	if !ok {
		return r.DefaultWorkload(), nil
	}
	w, err := r.Workload(e.workload())
	if err != nil {
		return nil, e.wrong("%w", err)
	}
	return w, nil
}

// workload returns the name of a workload, or the path of its folder.
func (e entry) workload() string {
	if !catalog.IsFolder(e.text) {
		return e.text
	}
	return filepath.Join(relativeTo(e.folder, e.text), e.text) + string(filepath.Separator)
}

// withOwn returns the resolver with the user's own workloads that entries name, so that sources may have
// their options. It leaves out those that cannot be read: choosing them is an error.
func (r Resolver) withOwn(entries ...entry) Resolver {
	for _, e := range entries {
		if !catalog.IsFolder(e.text) {
			continue
		}
		if w, err := r.Workload(e.workload()); err == nil {
			r.Workloads = append(slices.Clone(r.Workloads), w)
		}
	}
	return r
}

func chooseSeed(general []source) (uint64, error) {
	e, ok := strongest(general, keySeed)
	if !ok {
		return defaultSeed, nil
	}
	seed, err := strconv.ParseUint(e.text, 10, 64)
	if err != nil {
		return 0, e.wrong("%q is not a whole number from 0 to 18446744073709551615", e.text)
	}
	return seed, nil
}

// chooseLabels returns the labels of the strongest setting labels, and those given one by one, which
// win over labels of the same name.
func chooseLabels(general []source, given []string) (map[string]string, error) {
	labels, err := parseLabels(given)
	if err != nil {
		return nil, fmt.Errorf("--label: %w", err)
	}
	e, ok := strongest(general, keyLabels)
	if !ok || strings.TrimSpace(e.text) == "" {
		return labels, nil
	}
	all, err := Labels(e.text)
	if err != nil {
		return nil, e.wrong("%w", err)
	}
	maps.Copy(all, labels)
	return all, nil
}

// Labels parses the setting labels: "name=value", separated by commas.
func Labels(text string) (map[string]string, error) { return parseLabels(strings.Split(text, ",")) }

// parseLabels parses labels and refuses duplicates.
func parseLabels(texts []string) (map[string]string, error) {
	var labels map[string]string
	for _, text := range texts {
		name, value, err := job.ParseLabel(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		if _, twice := labels[name]; twice {
			return nil, fmt.Errorf("%s is given twice: leave out one", name)
		}
		if labels == nil {
			labels = map[string]string{}
		}
		labels[name] = value
	}
	return labels, nil
}

// chooseUsers parses numbers of virtual users, separated by commas.
func chooseUsers(general []source) ([]int, error) {
	e, ok := strongest(general, keyUsers)
	if !ok {
		return []int{1}, nil
	}
	var counts []int
	for word := range strings.SplitSeq(e.text, ",") {
		users, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, e.wrong("%q is not a whole number", strings.TrimSpace(word))
		}
		if users < 1 {
			return nil, e.wrong("%d is less than 1", users)
		}
		counts = append(counts, users)
	}
	return counts, nil
}
