package option

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Idle is an option that differs from its default and has no effect with the other settings.
type Idle struct {
	Option string
	Value  string // "" for a secret

	// Elsewhere means that the option has an effect only in other actions.
	Elsewhere bool

	because, wayOut string
}

// Warning explains why the option has no effect.
func (i Idle) Warning(names Names) string {
	return "option " + names.Of(i.Option) + ": " + i.value() + " has no effect, because " + i.because
}

// Refusal returns the error for a job that sets the option.
func (i Idle) Refusal(names Names) error {
	return names.Wrong(i.Option, i.Value, "%s would have no effect, because %s: %s", i.value(), i.because, i.wayOut)
}

func (i Idle) value() string { return cmp.Or(i.Value, "it") }

// Nothing is the value of Needs for an option that always has an effect in its actions.
const Nothing = "nothing"

// term is a condition on another option: it is on or off, or it has or lacks a value.
type term struct {
	option string
	value  string // "" is a condition on whether the option is on
	not    bool
}

// readTerm parses reconnect, !reconnect, driver=timed or driver!=test.
func readTerm(text string) term {
	name, value, _ := strings.Cut(text, "=")
	name, differs := strings.CutSuffix(name, "!")
	name, off := strings.CutPrefix(name, "!")
	return term{name, value, differs || off}
}

// holds reports whether the option values meet the condition.
func (t term) holds(all Values) bool {
	is := all[t.option] == t.value
	if t.value == "" {
		is = !slices.Contains([]string{"", "false", "0", "none", "null"}, all[t.option])
	}
	return is != t.not
}

// wayOut describes how to meet the condition.
func (t term) wayOut(all Values, names Names) string {
	name := names.Of(t.option)
	_, err := ParseBool(all[t.option])
	switch {
	case t.value != "" && t.not:
		return "set " + name + " to something other than " + t.value
	case t.value != "":
		return "set " + name + " to " + t.value
	case t.not:
		return "set " + name + " to false"
	case err == nil && all[t.option] != "0":
		return "set " + name + " to true"
	}
	return "set " + name
}

// NeededBy lists the options that the needs of an option mention.
func (d Description) NeededBy() (options []string) {
	for _, clause := range d.clauses() {
		for _, t := range clause {
			options = append(options, t.option)
		}
	}
	return options
}

// clauses returns the needs: at least one term of each clause must hold.
func (d Description) clauses() (list [][]term) {
	if d.Needs == "" || d.Needs == Nothing {
		return nil
	}
	for clause := range strings.SplitSeq(d.Needs, ",") {
		var terms []term
		for text := range strings.SplitSeq(clause, "|") {
			terms = append(terms, readTerm(text))
		}
		list = append(list, terms)
	}
	return list
}

// FindIdle returns the options that set sets without effect in an action. all has the values of all
// options, and other facts that needs may mention.
func FindIdle(known []Description, action string, set, all Values, names Names) (list []Idle) {
	for _, d := range known {
		if _, said := set[d.Name]; !said || d.Soon || all[d.Name] == d.Default {
			continue
		}
		i := Idle{Option: d.Name, Value: d.public(set[d.Name])}
		if len(d.Actions) > 0 && !slices.Contains(d.Actions, action) {
			i.Elsewhere, i.because, i.wayOut = true, "this is a "+action+", and the option is for "+strings.Join(d.Actions, " and "), "leave it out"
			list = append(list, i)
			continue
		}
		at := slices.IndexFunc(d.clauses(), func(clause []term) bool {
			return !slices.ContainsFunc(clause, func(t term) bool { return t.holds(all) })
		})
		if at < 0 {
			continue
		}
		var because, wayOut []string
		for _, t := range d.clauses()[at] {
			if is := names.Of(t.option) + " is " + cmp.Or(all[t.option], "empty"); !slices.Contains(because, is) {
				because = append(because, is)
			}
			wayOut = append(wayOut, t.wayOut(all, names))
		}
		i.because, i.wayOut = strings.Join(because, " and "), strings.Join(append(wayOut, "leave out "+names.Of(d.Name)), ", or ")
		list = append(list, i)
	}
	return list
}

// Texts returns the values of all options of a struct, as the options format them.
func Texts(bound any) Values {
	texts := Values{}
	_ = walk(reflect.ValueOf(bound).Elem(), fields{}, func(_ reflect.StructTag, f fields, v reflect.Value) error {
		texts[f.name], _ = write(f.name, v)
		return nil
	})
	return texts
}
