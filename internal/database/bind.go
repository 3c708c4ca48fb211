package database

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"sledge/internal/sqlfile"
)

// Param is a parameter of a query, bound to a field of the struct for input.
type Param struct {
	// Pointer points to the field: *int64, *float64, *string, *[]byte or *time.Time, or *sql.Null
	// of one of them except []byte, whose nil is NULL.
	Pointer any
	Mode    Mode
}

// Mode is the direction of a parameter.
type Mode int

// The modes. Out and InOut are output parameters of routines.
const (
	In Mode = iota
	Out
	InOut
)

// modes maps the text after the name in a tag, such as sql:"total,out", to a mode.
var modes = map[string]Mode{"": In, "out": Out, "inout": InOut}

// BindParams returns the fields of in that the query names, in the order of the placeholders.
func BindParams(q sqlfile.Query, in any) ([]Param, error) {
	fields, err := tagged(in)
	if err != nil {
		return nil, fmt.Errorf("sql %s: %w", q.Name, err)
	}
	params := make([]Param, len(q.Params))
	for i, name := range q.Params {
		p, ok := fields[name]
		if !ok {
			return nil, fmt.Errorf("sql %s: no input field is tagged sql:%q", q.Name, name)
		}
		params[i] = p
	}
	return params, nil
}

// Outputs returns pointers to the fields of the output parameters, in the order of the
// placeholders.
func Outputs(params []Param) []any {
	var pointers []any
	for _, p := range params {
		if p.Mode != In {
			pointers = append(pointers, p.Pointer)
		}
	}
	return pointers
}

// NoOutputs returns an error that is errors.ErrUnsupported if a parameter is for output, for
// databases without such parameters.
func NoOutputs(q sqlfile.Query, params []Param) error {
	if len(Outputs(params)) > 0 {
		return fmt.Errorf("sql %s: output parameters: %w", q.Name, errors.ErrUnsupported)
	}
	return nil
}

// Value returns the value of a field that Param.Pointer points to, and nil for NULL.
func Value(pointer any) any {
	switch p := NotNull(pointer).(type) {
	case *int64:
		return *p
	case *float64:
		return *p
	case *string:
		return *p
	case *[]byte:
		return *p
	case *time.Time:
		return *p
	}
	return nil
}

// NotNull returns a pointer to the value of a field. For an sql.Null it returns the pointer to the
// value within, or nil if it is NULL. It allocates nothing.
func NotNull(pointer any) any {
	switch p := pointer.(type) {
	case *[]byte:
		if *p == nil {
			return nil
		}
	case *sql.Null[int64]:
		if !p.Valid {
			return nil
		}
		return &p.V
	case *sql.Null[float64]:
		if !p.Valid {
			return nil
		}
		return &p.V
	case *sql.Null[string]:
		if !p.Valid {
			return nil
		}
		return &p.V
	case *sql.Null[time.Time]:
		if !p.Valid {
			return nil
		}
		return &p.V
	}
	return pointer
}

// SetNull sets a field to NULL, or to its zero value if it cannot be NULL; or it marks the field as
// not NULL. It returns the pointer to the value.
func SetNull(pointer any, null bool) any {
	switch p := pointer.(type) {
	case *int64:
		if null {
			*p = 0
		}
	case *float64:
		if null {
			*p = 0
		}
	case *string:
		if null {
			*p = ""
		}
	case *[]byte:
		switch {
		case null:
			*p = nil
		case *p == nil:
			*p = []byte{}
		}
	case *time.Time:
		if null {
			*p = time.Time{}
		}
	case *sql.Null[int64]:
		if p.Valid = !null; null {
			p.V = 0
		}
		return &p.V
	case *sql.Null[float64]:
		if p.Valid = !null; null {
			p.V = 0
		}
		return &p.V
	case *sql.Null[string]:
		if p.Valid = !null; null {
			p.V = ""
		}
		return &p.V
	case *sql.Null[time.Time]:
		if p.Valid = !null; null {
			p.V = time.Time{}
		}
		return &p.V
	}
	return pointer
}

// Row receives all columns of a query as text. Pass it to Prepare as out if the rows are only
// displayed. NULL becomes "".
type Row struct{ Columns, Values []string }

// Cells receives all columns of a query as the bytes of their texts, which the next row overwrites; nil is NULL. Pass
// it to Prepare as out if a script reads the rows. Columns is empty after a statement that returns no rows.
type Cells struct {
	Columns []string
	Values  [][]byte
}

// Bind makes room for rows of these columns, and returns pointers to their values; nil if there are no columns.
func (c *Cells) Bind(columns []string) []any {
	c.Columns = append(c.Columns[:0], columns...)
	if len(columns) == 0 {
		return nil
	}
	c.Values = slices.Grow(c.Values[:0], len(columns))[:len(columns)]
	pointers := make([]any, len(columns))
	for i := range pointers {
		pointers[i] = &c.Values[i]
	}
	return pointers
}

// returning are the words that begin statements that return rows.
var returning = map[string]bool{
	"SELECT": true, "SHOW": true, "WITH": true, "VALUES": true, "TABLE": true, "EXPLAIN": true, "DESCRIBE": true, "DESC": true, "CALL": true,
	"EXECUTE": true, "ANALYZE": true, "CHECK": true, "OPTIMIZE": true, "REPAIR": true, "CHECKSUM": true, "PRAGMA": true, "FETCH": true, "HELP": true,
}

// ReturnsRows reports whether a statement may return rows, by its words, for drivers that must be told.
func ReturnsRows(statement string) bool {
	word := strings.TrimLeft(statement, " \t\r\n(")
	if end := strings.IndexFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }); end >= 0 {
		word = word[:end]
	}
	const longest = len("DESCRIBE")
	if len(word) <= longest && returning[strings.ToUpper(word)] {
		return true
	}
	return strings.HasPrefix(strings.TrimLeft(statement, " \t\r\n"), "/*") || strings.Contains(strings.ToUpper(statement), "RETURNING")
}

// BindColumns returns, for each result column, a pointer to the field of out with its name as the
// tag, or nil if no field has it. It fails if a field has no column.
func BindColumns(q sqlfile.Query, columns []string, out any) ([]any, error) {
	switch row := out.(type) {
	case *Row:
		return row.bind(columns), nil
	case *Cells:
		return row.Bind(columns), nil
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
		if field, ok := fields[name]; ok {
			pointers[i] = field.Pointer
		}
	}
	return pointers, nil
}

// bind makes room for a row of these columns. It returns nil if there are no columns.
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

// tagged returns the fields of a struct by the names in their sql tags, including those of embedded
// structs.
func tagged(structure any) (map[string]Param, error) {
	fields := map[string]Param{}
	if structure == nil {
		return fields, nil
	}
	return fields, addTagged(fields, reflect.ValueOf(structure).Elem())
}

func addTagged(fields map[string]Param, v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag := field.Tag.Get("sql")
		if field.Anonymous && tag == "" {
			if err := addTagged(fields, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		if tag == "" {
			continue
		}
		name, word, _ := strings.Cut(tag, ",")
		mode, known := modes[word]
		if !known {
			return fmt.Errorf("field %s is tagged %q: only out and inout may follow the name", field.Name, tag)
		}
		switch p := v.Field(i).Addr().Interface().(type) {
		case *int64, *float64, *string, *[]byte, *time.Time, *sql.Null[int64], *sql.Null[float64], *sql.Null[string], *sql.Null[time.Time]:
			fields[name] = Param{p, mode}
		default:
			return fmt.Errorf("field %s is a %s, not an int64, float64, string, []byte, time.Time or an sql.Null of one", name, field.Type)
		}
	}
	return nil
}
