package option

import "reflect"

// Placed is implemented by the type of an option whose value may name a file.
type Placed interface {
	// In returns what a text that stands in a file of a folder is anywhere else: a path
	// in it that is not absolute begins in that folder.
	In(folder, text string) string
}

// In returns the text of an option of a struct, which stands in a file of a folder, as it
// is anywhere else.
func In(folder string, bound any, name, text string) string {
	_ = walk(reflect.ValueOf(bound).Elem(), fields{}, func(_ reflect.StructTag, f fields, v reflect.Value) error {
		if p, is := v.Interface().(Placed); is && f.name == name {
			text = p.In(folder, text)
		}
		return nil
	})
	return text
}
