package option

import (
	"maps"
	"reflect"
)

// Relative is implemented by the type of an option whose value may mean something else
// each time it is bound, such as a time that is "now".
type Relative interface {
	// Settled spells what the value has come to mean; or it returns "" where it always
	// means the same.
	Settled() string
}

// Settle returns values that were bound to a struct with the relative ones as they were
// settled there: to bind them again gives the same struct.
func Settle(values Values, bound any) Values {
	all := values.Clone()
	maps.Copy(all, Settled(bound))
	return all
}

// Settled returns the relative values alone of a struct, as they were settled there.
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
