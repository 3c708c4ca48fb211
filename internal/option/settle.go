package option

import (
	"maps"
	"reflect"
)

// Relative is implemented by option types whose value depends on the time of binding, for example
// "now".
type Relative interface {
	// Settled returns the absolute form of the value, or "" if it does not depend on time.
	Settled() string
}

// Settle returns values with relative values replaced by their absolute form, so that binding them
// later gives the same struct.
func Settle(values Values, bound any) Values {
	all := values.Clone()
	maps.Copy(all, Settled(bound))
	return all
}

// Settled returns only the relative values of a struct, in absolute form.
func Settled(bound any) Values {
	settled := Values{}
	_ = walk(reflect.ValueOf(bound).Elem(), fields{}, func(_ reflect.StructTag, f fields, v reflect.Value) error {
		if r, is := v.Interface().(Relative); is && r.Settled() != "" {
			settled[f.name] = r.Settled()
		}
		return nil
	})
	return settled
}
