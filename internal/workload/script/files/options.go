package files

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/option"
)

// The options that every workload of files has, and the names of their fields.
const (
	buildersField = "Builders"
	mixField      = "Mix"
	programsField = "Programs" // only if a script may run programs
)

// optionsType returns the type of the workload's option struct. Its fields have the tags of package
// option.
func (d *definition) optionsType() reflect.Type {
	var fields []reflect.StructField
	for i, o := range d.options {
		group, actions := option.Load, "run"
		if o.sizes != nil {
			group, actions = option.Schema, "build|check"
		} else if d.ofRows(o) {
			group, actions = option.Schema, "build|check|run"
		}
		tag := fmt.Sprintf(`opt:%q group:%q for:%q needs:"nothing" main:"true" help:%q`, o.name, group, actions, o.Help)
		if o.Unit != "" {
			tag += fmt.Sprintf(` unit:%q`, o.Unit)
		}
		for name, limit := range map[string]*float64{"min": o.Min, "max": o.Max} {
			if limit != nil {
				tag += fmt.Sprintf(` %s:%q`, name, strconv.FormatFloat(*limit, 'f', -1, 64))
			}
		}
		value := reflect.TypeOf(o.Default)
		if value.Kind() == reflect.Int64 {
			value = reflect.TypeFor[int]()
		}
		fields = append(fields, reflect.StructField{Name: fieldOf(i), Type: value, Tag: reflect.StructTag(tag)})
	}
	if d.runsPrograms() || d.programs != nil {
		fields = append(fields, reflect.StructField{Name: programsField, Type: reflect.TypeFor[bool](), Tag: `opt:"allow_programs" group:"client" for:"run" needs:"nothing" help:"let scripts run programs on this machine, and those in Lua use its files"`})
	}
	return reflect.StructOf(append(fields,
		reflect.StructField{Name: buildersField, Type: reflect.TypeFor[int](), Tag: `opt:"builders" group:"schema" main:"true" unit:"virtual users" flag:"builders" for:"build" min:"1" max:"1000" help:"number of virtual users that build the schema in parallel"`},
		reflect.StructField{Name: mixField, Type: reflect.TypeFor[mix](), Tag: `opt:"mix" group:"load" for:"run" needs:"nothing" help:"weights of the transactions, as name=weight, separated by commas; others keep theirs; or the name of a mix of the workload"`},
	))
}

// ofRows reports whether an option decides rows of tables.
func (d *definition) ofRows(o *ownOption) bool {
	for _, t := range d.tables {
		amounts := []amount{*t.Rows}
		for _, c := range t.columns {
			amounts = append(amounts, c.amounts()...)
		}
		if slices.ContainsFunc(amounts, func(a amount) bool { return a.option == o.name }) {
			return true
		}
	}
	return false
}

func fieldOf(i int) string { return "Own" + strconv.Itoa(i) }

// fresh returns a function that makes a new option struct with the defaults.
func (d *definition) fresh() func() any {
	of := d.optionsType()
	return func() any {
		v := reflect.New(of)
		for i, o := range d.options {
			field := v.Elem().Field(i)
			field.Set(reflect.ValueOf(o.Default).Convert(field.Type()))
		}
		v.Elem().FieldByName(buildersField).SetInt(1)
		v.Elem().FieldByName(mixField).Set(reflect.ValueOf(d.mix()))
		return v.Interface()
	}
}

// values returns the values of numeric options. sizes wins over options.
func (d *definition) values(options any, sizes map[string]float64) values {
	v := reflect.ValueOf(options).Elem()
	return func(name string) float64 {
		if n, is := sizes[name]; is {
			return n
		}
		at := slices.IndexFunc(d.options, func(o *ownOption) bool { return o.name == name })
		if at < 0 {
			return 0 // definitions name no other options
		}
		if field := v.Field(at); field.CanInt() {
			return float64(field.Int())
		} else if field.CanFloat() {
			return field.Float()
		}
		return 0
	}
}

func builders(options any) int {
	return int(reflect.ValueOf(options).Elem().FieldByName(buildersField).Int())
}

func mixOf(options any) mix {
	return reflect.ValueOf(options).Elem().FieldByName(mixField).Interface().(mix)
}

// mix has a weight for each kind of transaction.
type mix struct {
	names   []string
	weights []float64
	named   map[string]map[string]float64 // definition.Mixes
}

// mix returns the mix of the definition.
func (d *definition) mix() mix {
	m := mix{named: d.Mixes}
	for _, t := range d.transactions {
		m.names, m.weights = append(m.names, t.name), append(m.weights, *t.Weight)
	}
	return m
}

// UnmarshalText implements encoding.TextUnmarshaler. It also accepts the name of a mix.
func (m *mix) UnmarshalText(text []byte) error {
	weights := slices.Clone(m.weights)
	if word := strings.TrimSpace(string(text)); !strings.Contains(word, "=") && m.named != nil {
		of, is := m.named[strings.ToLower(word)]
		if !is {
			known := slices.Sorted(maps.Keys(m.named))
			return fmt.Errorf("%q is not a mix%s: name one of %s, or give weights such as %s=5", word, option.Suggest(word, known), strings.Join(known, ", "), m.names[0])
		}
		for i, name := range m.names {
			weights[i] = of[name]
		}
		m.weights = weights
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		name, value, is := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(m.names, func(other string) bool { return option.SameName(other, name) })
		if !is || at < 0 {
			return fmt.Errorf("%q is not name=weight with one of %s%s", strings.TrimSpace(part), strings.Join(m.names, ", "), option.Suggest(name, m.names))
		}
		w, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(w >= 0) {
			return fmt.Errorf("%q is not a weight: a number that is not negative", strings.TrimSpace(value))
		}
		weights[at] = w
	}
	if total(weights) <= 0 {
		return fmt.Errorf("%q leaves no transaction: give one a positive weight", text)
	}
	m.weights = weights
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (m mix) MarshalText() ([]byte, error) {
	var list []string
	for i, name := range m.names {
		list = append(list, name+"="+strconv.FormatFloat(m.weights[i], 'f', -1, 64))
	}
	return []byte(strings.Join(list, ",")), nil
}

// Kind names the type for people.
func (mix) Kind() string { return "weights" }

// isDefault reports whether the mix is that of the definition.
func (d *definition) isDefault(m mix) bool { return slices.Equal(m.weights, d.mix().weights) }

// mixOption is Mix.Option.
func (d *definition) mixOption(options any) string {
	if d.isDefault(mixOf(options)) {
		return ""
	}
	return "mix"
}
