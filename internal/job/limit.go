package job

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// The limits of texts from a server, in bytes: LongestText in an event or a result, and
// LongestInList in a line of a list.
const (
	LongestText   = 4 << 10
	LongestInList = 300
)

// Cut returns a text, or, if it is longer than a limit in bytes, its beginning and the amount of the
// rest: "… 19,996 KiB more". The text may have been cut before; its own rest then counts, too.
func Cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	end := longest - len("… 999,999,999 KiB more")
	earlier := 0
	if len(text) <= 2*LongestText { // Cut returns no longer texts
		for _, at := range rests.FindAllStringSubmatchIndex(text, -1) {
			if at[1] <= end {
				continue
			}
			end = min(end, at[0])
			amount, _ := strconv.Atoi(strings.ReplaceAll(text[at[2]:at[3]], ",", ""))
			if text[at[4]:at[5]] == "KiB" {
				amount <<= 10
			}
			earlier += amount - (at[1] - at[0])
		}
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	rest := len(text) - end + earlier
	amount := humanize.Comma(int64(rest)) + " bytes"
	if rest >= 10<<10 {
		amount = humanize.Comma(int64(rest+512)>>10) + " KiB"
	}
	return text[:end] + "… " + amount + " more"
}

// rests finds the ends of texts that Cut has cut.
var rests = regexp.MustCompile(`… ([0-9,]{1,11}) (KiB|bytes) more`)

// Limit shortens the texts of an event, because a server may send texts of any length. Texts that
// are kept in full, such as plans, have the tag long.
func (e *Event) Limit() {
	if e.Second == nil {
		limit(reflect.ValueOf(e).Elem())
	}
}

// Limit shortens the texts of a result, as Event.Limit does.
func (r *Result) Limit() { Limit(r) }

// Limit shortens the texts of a value, as Event.Limit does.
func Limit[T any](of *T) { limit(reflect.ValueOf(of).Elem()) }

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
