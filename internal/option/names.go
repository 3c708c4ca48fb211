package option

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Names maps options to the names that a front end uses: "host" is "pg_host". Options that are
// not listed keep their own name.
type Names map[string]string

// Of returns the front end's name of an option.
func (n Names) Of(option string) string {
	if other, ok := n[option]; ok {
		return other
	}
	return option
}

// Naming is embedded in option structs whose methods mention options in messages. Bind fills it
// in.
type Naming struct{ names Names }

// Name returns the front end's name of an option.
func (n *Naming) Name(option string) string { return n.names.Of(option) }

// Wrong makes an Error about an option, as Names.Wrong does.
func (n *Naming) Wrong(option, value, format string, args ...any) error {
	return n.names.Wrong(option, value, format, args...)
}

func (n *Naming) setNames(names Names) { n.names = names }

// Error is a mistake in the value of an option.
type Error struct {
	Option string // its name
	Called string // the front end's name
	Value  string // the value; "" for a secret
	Err    error  // the mistake, and the remedy
}

// Error names the option and the mistake.
func (e *Error) Error() string { return "option " + e.Called + ": " + e.Err.Error() }

// Unwrap returns the mistake without the option's name.
func (e *Error) Unwrap() error { return e.Err }

// Wrong makes an Error about an option and its value. The format names the mistake and the remedy.
func (n Names) Wrong(option, value, format string, args ...any) error {
	return &Error{Option: option, Called: n.Of(option), Value: value, Err: fmt.Errorf(format, args...)}
}

// UnknownError reports that no option has a name.
type UnknownError struct {
	Name    string
	Nearest string // the nearest name; "" if none is near enough
}

// Error names the option and the nearest known name.
func (e *UnknownError) Error() string {
	text := "option " + e.Name + " is not known"
	if e.Nearest != "" {
		text += ": did you mean " + e.Nearest + "?"
	}
	return text
}

// CheckNames returns an UnknownError, with the nearest known name, for the first name in values
// that is not known. It returns nil if all names are known.
func CheckNames(values Values, known []Description) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.ContainsFunc(known, func(d Description) bool { return d.Name == name }) {
			continue
		}
		names := make([]string, len(known))
		for i, d := range known {
			names[i] = d.Name
		}
		return &UnknownError{Name: name, Nearest: Nearest(name, names)}
	}
	return nil
}

// SameName reports whether two names are equal apart from case and separators, as new_order,
// NewOrder and "new order" are.
func SameName(a, b string) bool { return compact(a) == compact(b) }

// compact returns a name without separators, in lower case.
func compact(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

// Suggest returns ": did you mean x?" with the nearest known name, or "" if name cannot be a typo
// of any known name.
func Suggest(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" {
		return ": did you mean " + nearest + "?"
	}
	return ""
}

// Nearest returns the known name with the smallest edit distance from name, in lower case, or "" if
// name cannot be a typo of any: x is not a typo of pg, because they share no letter, and path is
// not a typo of rate. Among equals it prefers a name with the same first letter, because typos
// seldom affect it, and then a name of the same length, because two swapped letters count as two
// edits.
func Nearest(name string, known []string) string {
	const longest = 100
	if len(name) > longest {
		return ""
	}
	name = strings.ToLower(name)
	const edit, begins, long = 4, 2, 1
	nearest, least := "", edit*max(2, len(name)/3)+1
	for _, k := range known {
		edits := levenshtein.ComputeDistance(name, k)
		beginsAlike := k != "" && strings.Contains(name[:min(2, len(name))], k[:1])
		if edits >= max(len(name), len(k)) || !beginsAlike && edits > max(1, len(name)/4) {
			continue
		}
		d := edit * edits
		if beginsAlike {
			d -= begins
		}
		if len(name) == len(k) {
			d -= long
		}
		if d < least {
			nearest, least = k, d
		}
	}
	return nearest
}

// NameOfFile makes a name of that of a file: at most 40 lower-case letters, digits and underscores, and a letter first.
func NameOfFile(path string) string {
	const longest = 40
	base := filepath.Base(path)
	base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, base)
	if name == "" || name[0] < 'a' {
		name = "script_" + name
	}
	return name[:min(len(name), longest)]
}
