package files

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/option"
	"sledge/internal/schema"
)

// columnType is the type of a column or a parameter, as a definition writes it.
type columnType struct{ schema.Column }

// typeNames are the names of types, and how many numbers in parentheses they have.
var typeNames = map[string]struct {
	of      schema.Type
	numbers int
}{
	"int": {schema.Integer, 0}, "smallint": {schema.SmallInteger, 0}, "bigint": {schema.BigInteger, 0},
	"decimal": {schema.Decimal, 2}, "char": {schema.Char, 1}, "varchar": {schema.Varchar, 1},
	"date": {schema.Date, 0}, "timestamp": {schema.Timestamp, 0},
}

const typesInWords = "int, smallint, bigint, decimal(digits, decimals), char(n), varchar(n), date, timestamp"

var typeText = regexp.MustCompile(`^([a-z]+)\s*(?:\(\s*([0-9]{1,5})\s*(?:,\s*([0-9]{1,2})\s*)?\))?$`)

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *columnType) UnmarshalText(text []byte) error {
	m := typeText.FindStringSubmatch(strings.ToLower(strings.TrimSpace(string(text))))
	if m == nil {
		return fmt.Errorf("%q is not a type: write one of %s", text, typesInWords)
	}
	known, is := typeNames[m[1]]
	if !is {
		names := []string{"int", "smallint", "bigint", "decimal", "char", "varchar", "date", "timestamp"}
		return fmt.Errorf("%q is not a type%s (write one of %s)", text, option.Suggest(m[1], names), typesInWords)
	}
	given := len(slices.DeleteFunc(slices.Clone(m[2:]), func(s string) bool { return s == "" }))
	if given != known.numbers {
		return fmt.Errorf("%q is not complete: write one of %s", text, typesInWords)
	}
	t.Column = schema.Column{Type: known.of}
	t.Size, _ = strconv.Atoi(m[2]) // the expression matches only numbers
	t.Scale, _ = strconv.Atoi(m[3])
	if t.Scale > t.Size || known.of == schema.Decimal && t.Size > 18 || known.numbers > 0 && t.Size < 1 {
		return fmt.Errorf("%q is not possible: a decimal has at most 18 digits, and no more decimals than digits; a text has at least 1 character", text)
	}
	return nil
}

// isText reports whether the type is a text.
func isText(c schema.Column) bool { return c.Type == schema.Char || c.Type == schema.Varchar }

// isWhole reports whether the type is a whole number.
func isWhole(c schema.Column) bool {
	return c.Type == schema.Integer || c.Type == schema.SmallInteger || c.Type == schema.BigInteger
}
