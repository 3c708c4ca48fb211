// Package option turns tagged structs into named, typed, documented options. It knows no
// particular option.
//
// An option is declared once, as a struct field; its default is the value of the field in a
// fresh struct:
//
//	type Options struct {
//		Warehouses int `opt:"warehouses" flag:"warehouses" min:"1" help:"number of warehouses"`
//	}
//
//	func newOptions() any { return &Options{Warehouses: 1} }
//
// Describe lists the declarations for people (help, completion, web forms, the manual); Bind
// fills the struct for the program.
//
// An option has one name for all databases that have it: warehouses, host, user. A front end
// may call it differently, and messages then use that name: see Names.
//
// Tags:
//
//	opt      the option's name
//	flag     its plain command-line flag
//	min, max the bounds of a number
//	choices  the allowed words, divided by "|"
//	secret   keep the value out of everything that is shown or stored
//	help     what it is
//	unit     the unit of a number
//	list     it takes several values, separated by commas
//	for      the actions in which it has an effect, divided by "|"; all if left out
//	needs    the settings with which it has an effect: reconnect if that is on, !reconnect if it
//	         is off, driver=timed and driver!=test by value; "|" between alternatives, a comma
//	         between conditions that all must hold; "nothing" if it always has one
//	main     one of the few options that most people set
//	instead  the options that this one replaces, divided by "|"
//	windows  the option that this one replaces on Windows
//	address  the text names a server, and so holds no account and no password
//
// Four tags are for a field or for all fields of an embedded struct: group is the heading under
// which the option is shown; soon marks an option that is accepted but not built yet; dict is
// its section in a dictionary, or "-" if dictionaries do not have it; and for.
package option

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Description is one option as every front end shows it.
type Description struct {
	Name    string   `json:"name"`
	Flag    string   `json:"flag,omitempty"` // the plain flag's name, without dashes
	Kind    string   `json:"kind"`
	Default string   `json:"default"`
	Help    string   `json:"help"`
	Group   string   `json:"group"`          // one of Groups
	Unit    string   `json:"unit,omitempty"` // of a number: "seconds"
	Min     string   `json:"min,omitempty"`
	Max     string   `json:"max,omitempty"`
	Choices []string `json:"choices,omitempty"`
	Secret  bool     `json:"secret,omitempty"`

	// Main marks one of the few options that most people set.
	Main bool `json:"main,omitempty"`

	// Soon marks an option whose feature does not exist yet: settings and scripts may contain it,
	// jobs that set it are refused, and lists of options leave it out.
	Soon bool `json:"soon,omitempty"`

	// Section is the section of the console's dictionaries that contains the option, or "" for the
	// section of the workload.
	Section string `json:"section,omitempty"`

	// Unlisted keeps the option out of the console's dictionaries, which another program defined.
	Unlisted bool `json:"-"`

	// List marks an option that takes several values, separated by commas.
	List bool `json:"list,omitempty"`

	// Actions are the actions in which the option has an effect; empty means all.
	Actions []string `json:"actions,omitempty"`

	// Needs is the tag of that name: the settings with which the option has an effect. The value
	// "nothing" means any settings.
	Needs string `json:"-"`

	// Instead lists the options that this one replaces: a socket replaces host and port. If both
	// come from several sources, the strongest source decides.
	Instead []string `json:"-"`

	// OnWindows names the option that this one replaces on Windows; elsewhere it has no effect. If
	// both are set, the stronger source decides.
	OnWindows string `json:"-"`

	// Address means that the value names a server and must contain no account and no password.
	Address bool `json:"-"`
}

// Groups lists the headings of options, in their order.
var Groups = []Group{
	{Connection, "Connection: where the server is and how to reach it"},
	{Accounts, "Accounts: users, passwords and the database"},
	{Schema, "Schema: what is built"},
	{Load, "Load: the work of the virtual users, and its duration"},
	{Client, "Client: how Sledge sends the load and handles failures"},
}

// Group is a heading of options.
type Group struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// The groups, as tags name them.
const (
	Connection = "connection"
	Accounts   = "accounts"
	Schema     = "schema"
	Load       = "load"
	Client     = "client"
)

// MainTitle is the heading of the main options, which come before all groups.
const MainTitle = "Most used options"

// Part is a heading with its options.
type Part struct {
	Title   string
	Options []Description
}

// Parts returns the built options in parts: the main options first, then the others by group. It
// leaves out empty parts.
func Parts(all []Description) []Part {
	parts := []Part{{Title: MainTitle}}
	for _, g := range Groups {
		parts = append(parts, Part{Title: g.Title})
	}
	for _, d := range all {
		at := 1 + slices.IndexFunc(Groups, func(g Group) bool { return g.Name == d.Group })
		switch {
		case d.Soon:
			continue
		case d.Main:
			at = 0
		}
		parts[at].Options = append(parts[at].Options, d)
	}
	return slices.DeleteFunc(parts, func(p Part) bool { return len(p.Options) == 0 })
}

// Built returns the options whose features exist.
func Built(all []Description) []Description {
	return slices.DeleteFunc(slices.Clone(all), func(d Description) bool { return d.Soon })
}

// Limits describes the values that the option takes.
func (d Description) Limits() string {
	kind := d.Kind
	switch {
	case len(d.Choices) > 0:
		return strings.Join(d.Choices, ", ")
	case d.Kind == "bool":
		return "true or false"
	case d.Kind == "string":
		kind = "text"
	case d.Kind == "int":
		kind = "whole number"
	case d.Kind == "float64":
		kind = "number"
	case d.Kind == "duration":
		kind = "time such as 500ms or 90s"
	}
	switch {
	case d.Min != "" && d.Max != "":
		kind += fmt.Sprintf(" from %s to %s", d.Min, d.Max)
	case d.Min != "":
		kind += ", at least " + d.Min
	case d.Max != "":
		kind += ", at most " + d.Max
	}
	if d.Secret {
		kind += ", secret"
	}
	return kind
}

// Values holds the values that the user has set, by the options' names.
type Values map[string]string

// Clone returns a copy of v that may be written to, even when v is nil.
func (v Values) Clone() Values {
	c := Values{}
	maps.Copy(c, v)
	return c
}

// Validator is implemented by option structs with rules across fields. Its errors use names.
type Validator interface{ Validate(names Names) error }

// Minutes is a duration given as a number of minutes, as in the console, or with a unit: "2",
// "0.5", "90s", "1h30m".
type Minutes time.Duration

// UnmarshalText reads a number of minutes or a duration with units.
func (m *Minutes) UnmarshalText(text []byte) error {
	if n, err := strconv.ParseFloat(string(text), 64); err == nil {
		if !(n >= 0 && n <= 1e6) { // also refuses NaN
			return fmt.Errorf("%s minutes is not between 0 and a million", text)
		}
		*m = Minutes(n * float64(time.Minute))
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q is neither a number of minutes nor a duration such as 90s or 1h30m", text)
	}
	*m = Minutes(d)
	return nil
}

// MarshalText writes whole or fractional minutes.
func (m Minutes) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(m).Minutes(), 'f', -1, 64), nil
}

// Kind names the type for people.
func (Minutes) Kind() string { return "minutes" }

// Describe lists the options declared in fresh, a pointer to a fresh struct.
func Describe(fresh any) []Description {
	var list []Description
	_ = walk(reflect.ValueOf(fresh).Elem(), fields{}, func(tag reflect.StructTag, f fields, v reflect.Value) error {
		list = append(list, describe(tag, f, v))
		return nil
	})
	return list
}

// Bind sets the options of fresh that values mention, and checks them. Its errors, and those of
// fresh, use the names in names.
func Bind(names Names, values Values, fresh any) error {
	err := walk(reflect.ValueOf(fresh).Elem(), fields{}, func(tag reflect.StructTag, f fields, v reflect.Value) error {
		d := describe(tag, f, v)
		text, ok := values[d.Name]
		if !ok {
			return nil
		}
		if err := assign(d, text, v); err != nil {
			return &Error{Option: d.Name, Called: names.Of(d.Name), Value: d.public(text), Err: err}
		}
		return nil
	})
	if n, ok := fresh.(interface{ setNames(Names) }); ok {
		n.setNames(names)
	}
	if v, ok := fresh.(Validator); ok && err == nil {
		return v.Validate(names)
	}
	return err
}

// Check reads one value as Bind would, without the rules across options, and returns it as the
// option itself formats it. It panics if fresh has no option of that name.
func Check(fresh any, name, text string) (canonical string, err error) {
	found := false
	err = walk(reflect.ValueOf(fresh).Elem(), fields{}, func(tag reflect.StructTag, f fields, v reflect.Value) error {
		d := describe(tag, f, v)
		if d.Name != name {
			return nil
		}
		found = true
		target := reflect.New(v.Type()).Elem()
		target.Set(v)
		if err := assign(d, text, target); err != nil {
			return err
		}
		canonical, _ = write(d.Name, target)
		return nil
	})
	if !found {
		panic("option: no option is named " + name)
	}
	return canonical, err
}

// public returns a value in the form that an error may show.
func (d Description) public(text string) string {
	if d.Secret || d.Address { // a refused address may hold a password
		return ""
	}
	return text
}
