package dictionaries

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sledge/internal/option"
)

// dictionary holds the settings of one database, or the generic ones.
type dictionary struct {
	name     string // the database's name in the file, or "generic"
	of       string // name in messages: "PostgreSQL", or "generic"
	prefix   string // the database's prefix for dbset; "" for the generic dictionary
	sections []*section
}

type section struct {
	name    string
	entries []*entry
}

// entry is one setting.
type entry struct {
	option.Description        // Name is the key
	option             string // the option's name
	fresh              any    // the option struct that declares it
	own                string // the option's own default; HammerDB's may differ

	text      string // as typed by the user
	canonical string // in canonical form
}

// masked is shown instead of a secret.
const masked = "****"

// shown returns the value, masked if it is secret.
func (e *entry) shown(text string) string {
	if e.Secret {
		return masked
	}
	return text
}

// longest is the largest size of a value in bytes, more than any path or list of parameters needs.
const longest = 4096

// check returns the canonical form of a value, or an error if the setting cannot have it.
func (e *entry) check(text string) (canonical string, err error) {
	// A control character would break the lines that print the value, and no server needs one.
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return "", errors.New("the value holds a line break or another character that cannot be printed")
	}
	if len(text) > longest {
		return "", fmt.Errorf("the value is %d bytes long, and at most %d are allowed", len(text), longest)
	}
	canonical, err = option.Check(e.fresh, e.option, text)
	if err != nil && (e.Kind == "int" || e.Kind == "float64") {
		return "", fmt.Errorf("%w; allowed: %s", err, e.Limits())
	}
	return canonical, err
}

// add adds the options of a new struct, except those that dictionaries do not have, and those whose key
// exists already: the options of the connection occur for every workload. An option without a section goes into the section otherwise.
// defaultOf returns HammerDB's default of an option, given the option's own; if it is nil, options
// keep their own defaults.
func (d *dictionary) add(key func(option string) string, fresh any, otherwise string, defaultOf func(option, own string) string) {
	for _, o := range option.Describe(fresh) {
		if o.Unlisted {
			continue
		}
		name := o.Name
		o.Name = key(name)
		if _, there := d.find(o.Name); there != nil {
			continue
		}
		o.Section = cmp.Or(o.Section, otherwise)
		s := d.section(o.Section)
		if s == nil {
			s = &section{name: o.Section}
			d.sections = append(d.sections, s)
		}
		own := o.Default
		if defaultOf != nil {
			o.Default = defaultOf(name, own)
		}
		s.entries = append(s.entries, &entry{Description: o, option: name, fresh: fresh, own: own, text: o.Default, canonical: o.Default})
	}
}

// sort moves the entries listed in first to the beginning of the section and those in last to the
// end, in that order.
func (s *section) sort(first, last []string) {
	rank := func(e *entry) int {
		if i := slices.Index(first, e.Name); i >= 0 {
			return i
		}
		return len(first) + 1 + slices.Index(last, e.Name)
	}
	slices.SortStableFunc(s.entries, func(x, y *entry) int { return rank(x) - rank(y) })
}

// section returns the section of that name, or nil.
func (d *dictionary) section(name string) *section {
	i := slices.IndexFunc(d.sections, func(s *section) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return d.sections[i]
}

// entry returns the entry of that name, or nil.
func (s *section) entry(key string) *entry {
	i := slices.IndexFunc(s.entries, func(e *entry) bool { return e.Name == key })
	if i < 0 {
		return nil
	}
	return s.entries[i]
}

// find returns the entry of that name and the section it is in, or nil.
func (d *dictionary) find(key string) (*section, *entry) {
	for _, s := range d.sections {
		if e := s.entry(key); e != nil {
			return s, e
		}
	}
	return nil, nil
}

// lookup returns an entry, or an error that says where to look.
func (d *dictionary) lookup(dict, key string, others []*dictionary) (*entry, error) {
	s := d.section(dict)
	if s == nil {
		var names []string
		for _, s := range d.sections {
			names = append(names, s.name)
		}
		return nil, &UnknownDictError{Dict: dict, Of: d.database(), Nearest: nearest(dict, names)}
	}
	if e := s.entry(key); e != nil {
		return e, nil
	}
	wrong := &UnknownKeyError{Dict: dict, Key: key, Of: d.database()}
	if elsewhere, _ := d.find(key); elsewhere != nil {
		wrong.Elsewhere = elsewhere.name
		return nil, wrong
	}
	for _, other := range others {
		if s, _ := other.find(key); s != nil {
			wrong.Owner, wrong.OwnerPrefix = other.of, other.prefix
			return nil, wrong
		}
	}
	wrong.Nearest = nearest(key, s.keys())
	return nil, wrong
}

// nearest returns the name that the user probably meant: a similar one, or else the first name that
// contains the typed text, such as pg_count_ware for count_ware.
func nearest(typed string, names []string) string {
	if name := option.Nearest(typed, names); name != "" {
		return name
	}
	const fewest = 3 // letters; fewer occur in too many names
	i := slices.IndexFunc(names, func(name string) bool { return len(typed) >= fewest && strings.Contains(name, strings.ToLower(typed)) })
	if i < 0 {
		return ""
	}
	return names[i]
}

func (s *section) keys() []string {
	var names []string
	for _, e := range s.entries {
		names = append(names, e.Name)
	}
	return names
}

// database returns the database's name in messages, or "" for the generic dictionary.
func (d *dictionary) database() string {
	if d.prefix == "" {
		return ""
	}
	return d.of
}
