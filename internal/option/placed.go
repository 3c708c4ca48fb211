package option

import "reflect"

// Placed is implemented by option types whose value may name a file.
type Placed interface {
	// In returns text with its relative paths resolved against the folder.
	In(folder, text string) string
}

// In returns the text of an option with its relative paths resolved against the folder.
func In(folder string, bound any, name, text string) string {
	_ = walk(reflect.ValueOf(bound).Elem(), fields{}, func(_ reflect.StructTag, f fields, v reflect.Value) error {
		if p, is := v.Interface().(Placed); is && f.name == name {
			text = p.In(folder, text)
		}
		return nil
	})
	return text
}
