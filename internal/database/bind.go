package database

import (
	"fmt"
	"reflect"
	"slices"

	"sledge/internal/sqlfile"
)

// BindParams returns pointers to the fields of in that the query names, in
// placeholder order: *int64, *float64 or *string.
func BindParams(q sqlfile.Query, in any) ([]any, error) {
	fields, err := tagged(in)
	if err != nil {
		return nil, fmt.Errorf("sql %s: %w", q.Name, err)
	}
	pointers := make([]any, len(q.Params))
	for i, name := range q.Params {
		p, ok := fields[name]
		if !ok {
			return nil, fmt.Errorf("sql %s: no input field is tagged sql:%q", q.Name, name)
		}
		pointers[i] = p
	}
	return pointers, nil
}

// Row takes every column that a query returns, whatever its name, as text. It is
// an out for Prepare where answers are shown rather than worked with. A NULL is
// the empty text.
type Row struct{ Columns, Values []string }

// BindColumns returns, for each result column, a pointer to the field of out
// that is tagged with its name, or nil where none is. Every field must have its
// column.
func BindColumns(q sqlfile.Query, columns []string, out any) ([]any, error) {
	if row, ok := out.(*Row); ok {
		return row.bind(columns), nil
	}
	fields, err := tagged(out)
	if err != nil {
		return nil, fmt.Errorf("sql %s: %w", q.Name, err)
	}
	for name := range fields {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("sql %s: it returns no column %s", q.Name, name)
		}
	}
	pointers := make([]any, len(columns))
	for i, name := range columns {
		pointers[i] = fields[name]
	}
	return pointers, nil
}

// bind makes room for a row of these columns. It returns nil where there are none.
func (r *Row) bind(columns []string) []any {
	if len(columns) == 0 {
		return nil
	}
	r.Columns, r.Values = slices.Clone(columns), make([]string, len(columns))
	pointers := make([]any, len(columns))
	for i := range pointers {
		pointers[i] = &r.Values[i]
	}
	return pointers
}

// tagged returns pointers to the fields of a struct by their sql tag. An
// embedded struct lends its fields.
func tagged(structure any) (map[string]any, error) {
	fields := map[string]any{}
	if structure == nil {
		return fields, nil
	}
	return fields, addTagged(fields, reflect.ValueOf(structure).Elem())
}

func addTagged(fields map[string]any, v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			if err := addTagged(fields, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		name := field.Tag.Get("sql")
		if name == "" {
			continue
		}
		switch p := v.Field(i).Addr().Interface().(type) {
		case *int64, *float64, *string:
			fields[name] = p
		default:
			return fmt.Errorf("field %s is a %s, not an int64, float64 or string", name, field.Type)
		}
	}
	return nil
}
