package option

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// fields holds the tags that a field inherits from the structs around it, and the prefix of its
// name. For a visited field, name is the whole name.
type fields struct {
	name, section, group, actions string
	soon                          bool
}

// walk visits each field tagged opt. The fields of a struct field tagged opt:"tpch_*" get that
// prefix; the fields of an embedded struct keep their names. Both kinds of struct pass their
// section, group and actions to fields without their own.
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

// unlisted is the tag dict of an option that dictionaries do not have.
const unlisted = "-"

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
	if d.Section == unlisted {
		d.Section, d.Unlisted = "", true
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

// write formats a value as the user would write it, and returns its kind.
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
				return fmt.Errorf("it contains %s, which a server's name cannot contain: %s", sign, wayOut)
			}
		}
		if strings.ContainsFunc(one, unicode.IsSpace) {
			return fmt.Errorf("it contains a space, which a server's name cannot contain: %s", wayOut)
		}
	}
	return nil
}
