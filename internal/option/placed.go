package option

import "reflect"

// Placed is implemented by option types whose value may name a file.
type Placed interface {
	// In resolves the paths in a text: a path that is not absolute is relative to the folder.
	In(folder, text string) string
}

// In resolves the paths in the text of an option: those that are not absolute are relative to
// the folder.
func In(folder string, bound any, name, text string) string {
	_ = walk(reflect.ValueOf(bound).Elem(), fields{}, func(_ reflect.StructTag, f fields, v reflect.Value) error {
		if p, is := v.Interface().(Placed); is && f.name == name {
			text = p.In(folder, text)
		}
		return nil
	})
	return text
}
