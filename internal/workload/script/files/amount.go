package files

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sledge/internal/schema"
)

// amount is a number in a definition, which may depend on an option: 100, 0.5, "products",
// "10 * products", "products + 1"; or a date.
type amount struct {
	text   string // as the file has it
	option string // "" for a constant
	factor float64
	plus   float64
	date   time.Time // if it is not zero, the amount is a date or a time
}

var sum = regexp.MustCompile(`^(?:([0-9]+(?:\.[0-9]+)?)\s*\*\s*)?([a-z][a-z0-9_]*)(?:\s*([+-])\s*([0-9]+))?$`)

// UnmarshalTOML implements toml.Unmarshaler.
func (a *amount) UnmarshalTOML(value any) error {
	switch v := value.(type) {
	case int64:
		*a = amount{text: strconv.FormatInt(v, 10), plus: float64(v)}
		return nil
	case float64:
		*a = amount{text: strconv.FormatFloat(v, 'f', -1, 64), plus: v}
		return nil
	case time.Time:
		*a = amount{text: v.Format(time.DateTime), date: v.UTC()}
		return nil
	case string:
		for _, layout := range []string{time.DateOnly, time.DateTime} {
			if date, err := time.Parse(layout, v); err == nil {
				*a = amount{text: v, date: date}
				return nil
			}
		}
		m := sum.FindStringSubmatch(strings.TrimSpace(v))
		if m == nil {
			return fmt.Errorf(`%q is neither a number, an option, a sum such as "10 * products + 1", nor a date`, v)
		}
		*a = amount{text: v, option: m[2], factor: 1}
		if m[1] != "" {
			a.factor, _ = strconv.ParseFloat(m[1], 64) // the expression matches only numbers
		}
		if m[4] != "" {
			a.plus, _ = strconv.ParseFloat(m[3]+m[4], 64)
		}
		return nil
	}
	return fmt.Errorf("%v is neither a number nor a text", value)
}

// values returns the value of an option.
type values func(option string) float64

// of returns the amount.
func (a amount) of(options values) float64 {
	if a.option == "" {
		return a.plus
	}
	return a.factor*options(a.option) + a.plus
}

// in returns the amount as a number of a column: see draw.number.
func (a amount) in(c schema.Column, options values) (int64, error) {
	isDate := c.Type == schema.Date || c.Type == schema.Timestamp
	switch {
	case isDate && a.date.IsZero():
		return 0, fmt.Errorf("%s is not a date such as 2026-01-31", a.text)
	case !isDate && !a.date.IsZero():
		return 0, fmt.Errorf("%s is a date, and the type is not", a.text)
	case c.Type == schema.Date:
		return a.date.Unix() / secondsADay, nil
	case c.Type == schema.Timestamp:
		return a.date.UnixMicro(), nil
	}
	n := math.Round(a.of(options) * math.Pow10(c.Scale))
	if !(math.Abs(n) < 1<<63) {
		return 0, fmt.Errorf("%s is too large", a.text)
	}
	return int64(n), nil
}

const secondsADay = 24 * 60 * 60
