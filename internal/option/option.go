// Package option turns tagged structs into named, typed, documented options. It knows no
// particular option.
//
// An option is declared once, as a struct field; its default is the value of the field in a
// fresh struct:
//
//	type Options struct {
//		Warehouses int `opt:"warehouses" flag:"warehouses" min:"1" help:"warehouses to build"`
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
// its section in a dictionary; and for.
package option

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

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

	// Soon marks an option that is not built yet: settings and scripts may contain it, jobs that
	// set it are refused, and lists of options leave it out.
	Soon bool `json:"soon,omitempty"`

	// Section is where the console's dictionaries have the option, or "" for the
	// section of the workload.
	Section string `json:"section,omitempty"`

	// List means that it takes several values, separated by commas.
	List bool `json:"list,omitempty"`

	// Actions are the actions in which the option has an effect; empty means all.
	Actions []string `json:"actions,omitempty"`

	// Needs is the tag of that name: the settings with which the option has an effect. Nothing
	// means any.
	Needs string `json:"-"`

	// Instead lists the options that this one replaces: a socket replaces host and port. If both
	// come from several sources, the strongest source decides.
	Instead []string `json:"-"`

	// OnWindows names the option that this one replaces on Windows; elsewhere it has no effect. If
	// both are set, the stronger source decides.
	OnWindows string `json:"-"`

	// Address means that the value names a server, and so holds no account and no password.
	Address bool `json:"-"`
}

// Groups are the headings that options are shown under, in their order.
var Groups = []Group{
	{Connection, "Connection: where the server is and how to reach it"},
	{Accounts, "Accounts: users, passwords and the database"},
	{Schema, "Schema: what is built"},
	{Load, "Load: the work of the virtual users, and its duration"},
	{Client, "Client: how Sledge sends the load and handles failures"},
}

// Group is a heading that options are shown under.
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

// Part is options that are shown under one heading.
type Part struct {
	Title   string
	Options []Description
}

// Parts divides the options that are built: the main ones first, then the others by group.
// Empty parts are left out.
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

// Built returns the options that are built.
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

// Values holds what the user has set, by the options' names.
type Values map[string]string

// Clone returns a copy of v that may be written to, even when v is nil.
func (v Values) Clone() Values {
	c := Values{}
	maps.Copy(c, v)
	return c
}

// Error is a mistake in the value of an option.
type Error struct {
	Option string // its name
	Called string // the front end's name
	Value  string // the value; "" for a secret
	Err    error  // what is wrong, and the way out
}

// Error names the option, and says what is wrong.
func (e *Error) Error() string { return "option " + e.Called + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Wrong makes an Error about an option and its value. The format says what is wrong with the
// value, and the way out.
func (n Names) Wrong(option, value, format string, args ...any) error {
	return &Error{Option: option, Called: n.Of(option), Value: value, Err: fmt.Errorf(format, args...)}
}

// UnknownError reports that there is no option of a name.
type UnknownError struct {
	Name    string
	Nearest string // the nearest name; "" if none is near enough
}

// Error names the option, and the nearest known name.
func (e *UnknownError) Error() string {
	text := "option " + e.Name + " is not known"
	if e.Nearest != "" {
		text += ": did you mean " + e.Nearest + "?"
	}
	return text
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

// Bind sets the options of fresh that values mention, and checks them. Its errors, and
// those of fresh, call options by names.
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

// Check reads one value as Bind would, without the rules across options, and
// returns how the option itself writes it. It panics when fresh has no option of
// that name.
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

// public is a value that an error may show.
func (d Description) public(text string) string {
	if d.Secret || d.Address { // a refused address may hold a password
		return ""
	}
	return text
}

// CheckNames returns an UnknownError for the first value, by name, that no description has, and
// suggests the nearest name.
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

// SameName reports whether two names are equal apart from case and separators: new_order,
// NewOrder and "new order" are.
func SameName(a, b string) bool { return compact(a) == compact(b) }

// compact is a name without separators, in lower case.
func compact(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

// Suggest returns ": did you mean x?" for the known name that is nearest, or "" if none is near
// enough to be a typo.
func Suggest(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" {
		return ": did you mean " + nearest + "?"
	}
	return ""
}

// Nearest returns the known name, in lower case, that is nearest to the one given, or "" if
// none is near enough to be a typo: x is too far from pg, with which it shares no letter, and
// path from rate. Among equals it prefers a name with the same first letter, because typos
// seldom affect it, and then one of the same length, because two swapped letters count as two
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

// fields is what a field inherits from the structs around it: prefix of the name, section,
// group, whether it is built. For a visited field it is complete.
type fields struct {
	name, section, group, actions string
	soon                          bool
}

// walk visits each field tagged opt. A struct field tagged opt:"tpch_*" gives its fields that
// prefix; an embedded struct gives its fields unchanged. Either passes its section, group and
// actions to fields without their own.
func walk(v reflect.Value, outer fields, visit func(reflect.StructTag, fields, reflect.Value) error) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		opt := field.Tag.Get("opt")
		inner, group := strings.CutSuffix(opt, "*")
		f := fields{
			name: outer.name + inner, section: cmp.Or(field.Tag.Get("dict"), outer.section),
			group: cmp.Or(field.Tag.Get("group"), outer.group), actions: cmp.Or(field.Tag.Get("for"), outer.actions), soon: outer.soon || field.Tag.Get("soon") == "true",
		}
		var err error
		switch {
		case group || field.Anonymous:
			err = walk(v.Field(i), f, visit)
		case opt != "":
			err = visit(field.Tag, f, v.Field(i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func describe(tag reflect.StructTag, f fields, v reflect.Value) Description {
	d := Description{
		Name:    f.name,
		Flag:    tag.Get("flag"),
		Help:    tag.Get("help"),
		Min:     tag.Get("min"),
		Max:     tag.Get("max"),
		Secret:  tag.Get("secret") == "true",
		Address: tag.Get("address") == "true",
		Group:   f.group,
		Unit:    tag.Get("unit"),
		Main:    tag.Get("main") == "true",
		Soon:    f.soon,
		List:    tag.Get("list") == "true",
		Section: f.section,
		Needs:   tag.Get("needs"),

		OnWindows: tag.Get("windows"),
	}
	d.Default, d.Kind = write(d.Name, v)
	if choices := tag.Get("choices"); choices != "" {
		d.Choices = strings.Split(choices, "|")
	}
	if f.actions != "" {
		d.Actions = strings.Split(f.actions, "|")
	}
	if instead := tag.Get("instead"); instead != "" {
		d.Instead = strings.Split(instead, "|")
	}
	return d
}

// write returns a value as the user would write it, and its kind.
func write(name string, v reflect.Value) (text, kind string) {
	text, kind = fmt.Sprint(v.Interface()), v.Kind().String()
	if v.Type() == reflect.TypeFor[time.Duration]() {
		kind = "duration"
	}
	if t, ok := v.Interface().(encoding.TextMarshaler); ok {
		marshalled, err := t.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("option %s: its value cannot be written: %v", name, err))
		}
		text, kind = string(marshalled), "text"
	}
	if k, ok := v.Interface().(interface{ Kind() string }); ok {
		kind = k.Kind()
	}
	return text, kind
}

func assign(d Description, text string, target reflect.Value) error {
	if t, ok := target.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(text))
	}
	switch d.Kind {
	case "string":
		if d.Choices != nil && !slices.Contains(d.Choices, text) {
			return fmt.Errorf("%q is not one of %s%s", text, strings.Join(d.Choices, ", "), Suggest(text, d.Choices))
		}
		if d.Address {
			if err := checkAddress(text); err != nil {
				return err
			}
		}
		target.SetString(text)
	case "bool":
		b, err := ParseBool(text)
		if err != nil {
			return err
		}
		target.SetBool(b)
	case "int":
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		if err := withinLimits(d, float64(n), text); err != nil {
			return err
		}
		target.SetInt(int64(n))
	case "float64":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != f {
			return fmt.Errorf("%q is not a number", text)
		}
		if err := withinLimits(d, f, text); err != nil {
			return err
		}
		target.SetFloat(f)
	case "duration":
		dur, err := time.ParseDuration(text)
		if err != nil || dur < 0 {
			return fmt.Errorf("%q is not a duration such as 500ms, 90s or 5m", text)
		}
		target.SetInt(int64(dur))
	default:
		panic("option: no rule for kind " + d.Kind)
	}
	return nil
}

// ParseBool accepts Tcl's booleans, because scripts use them.
func ParseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("%q is not true or false", text)
}

func withinLimits(d Description, n float64, text string) error {
	if low, err := strconv.ParseFloat(d.Min, 64); err == nil && n < low {
		return fmt.Errorf("%s is less than %s", text, d.Min)
	}
	if high, err := strconv.ParseFloat(d.Max, 64); err == nil && n > high {
		return fmt.Errorf("%s is more than %s", text, d.Max)
	}
	return nil
}

// checkAddress refuses text that may hold a password, because addresses are shown and stored.
// Its errors do not quote the text.
func checkAddress(text string) error {
	const wayOut = "give only its name or address; set the user and the password by their own options, or everything by --url"
	for one := range strings.SplitSeq(text, ",") {
		one = strings.TrimSpace(one)
		if strings.HasPrefix(one, "/") || strings.HasPrefix(text, "(") {
			continue // a folder, or Oracle's descriptor
		}
		for _, scheme := range []string{"tcp://", "tcps://"} { // of Oracle's Easy Connect
			one = strings.TrimPrefix(one, scheme)
		}
		for _, sign := range []string{"@", "://"} {
			if strings.Contains(one, sign) {
				return fmt.Errorf("it holds %s, which a server's name cannot contain: %s", sign, wayOut)
			}
		}
		if strings.ContainsFunc(one, unicode.IsSpace) {
			return fmt.Errorf("it holds a space, which a server's name cannot contain: %s", wayOut)
		}
	}
	return nil
}
