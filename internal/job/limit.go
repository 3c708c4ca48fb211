package job

import (
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// The limits of texts from a server, in bytes: LongestText in an event or a result, and
// LongestInList in a line of a list.
const (
	LongestText   = 4 << 10
	LongestInList = 300
)

// Cut returns the first bytes of a text and a mark, if the text is longer than the limit.
func Cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	const mark = " (truncated)"
	end := longest - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + mark // so that the rest of the text can be freed
}

// Limit shortens the texts of an event, because a server may send texts of any length. Texts that
// are kept in full, such as plans, have the tag long.
func (e *Event) Limit() {
	if e.Second == nil {
		limit(reflect.ValueOf(e).Elem())
	}
}

// Limit shortens the texts of a result, as Event.Limit does.
func (r *Result) Limit() { limit(reflect.ValueOf(r).Elem()) }

// limit shortens the texts within a value.
func limit(v reflect.Value) {
	if !holdsText(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() > LongestText && v.CanSet() {
			v.SetString(Cut(v.String(), LongestText))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			limit(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("long") != "true" {
				limit(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			limit(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			limit(value)
			v.SetMapIndex(key, value)
		}
	}
}

// textual reports whether values of a type may contain texts. No type is recursive.
var textual sync.Map

func holdsText(t reflect.Type) bool {
	if known, ok := textual.Load(t); ok {
		return known.(bool)
	}
	holds := false
	switch t.Kind() {
	case reflect.String:
		holds = true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		holds = holdsText(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			holds = holds || t.Field(i).IsExported() && holdsText(t.Field(i).Type)
		}
	}
	textual.Store(t, holds)
	return holds
}
