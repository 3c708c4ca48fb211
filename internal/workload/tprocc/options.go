package tprocc

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"sledge/internal/meter"
	"sledge/internal/option"
)

// Options are the options of TPROC-C that every database has.
type Options struct {
	option.Naming
	Warehouses int      `opt:"warehouses" group:"schema" main:"true" unit:"warehouses" flag:"warehouses" for:"build|check" min:"1" max:"100000" help:"number of warehouses"`
	Builders   int      `opt:"builders" group:"schema" main:"true" unit:"virtual users" flag:"builders" for:"build" min:"1" max:"1000" help:"number of virtual users that build the schema in parallel, at most one for each warehouse"`
	LoadTime   loadTime `opt:"load_time" group:"schema" for:"build" help:"date and time (UTC) in the initial rows, or now. The default is fixed, so that the same seed gives the same rows"`

	KeyAndThink   bool    `opt:"key_and_think" group:"load" for:"run" needs:"nothing" help:"pause for the keying time before each transaction and for the thinking time after it"`
	Keying        seconds `opt:"keying_time" group:"load" unit:"seconds" for:"run" needs:"key_and_think" help:"keying times of new order, payment, delivery, stock level and order status, in seconds; fractions are allowed"`
	Thinking      seconds `opt:"think_time" group:"load" unit:"seconds" for:"run" needs:"key_and_think" help:"mean thinking times in the same order, in seconds; each pause is drawn from an exponential distribution, limited to ten times the mean"`
	Mix           weights `opt:"mix" group:"load" for:"run" needs:"nothing" help:"weights of new order, payment, delivery, stock level and order status, or the name of a mix: default, standard (the minimum shares of TPC-C), read-only, write-only"`
	Deck          bool    `opt:"deck" group:"load" for:"run" needs:"nothing" help:"deal transactions from a shuffled deck that has as many cards of each kind as its weight, instead of drawing each at random"`
	Homes         string  `opt:"home_warehouses" group:"load" choices:"dealt|random" for:"run" needs:"!all_warehouses" help:"how users get their home warehouses: dealt gives each user a different one, if there are enough, in an order from the seed; random lets users share one"`
	AllWarehouses bool    `opt:"all_warehouses" group:"load" for:"run" needs:"nothing" help:"each user works on its share of all warehouses instead of on one home warehouse"`
	NoStoredProcs bool    `opt:"client_sql" group:"client" flag:"client-sql" for:"run" needs:"nothing" help:"send every statement from the client, prepared, instead of calling stored routines"`
}

// The choices of Homes.
const (
	dealtHomes  = "dealt"
	randomHomes = "random"
)

func newOptions() any {
	return &Options{
		Warehouses: 1, Builders: 1, LoadTime: loadTime{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		Keying: seconds{18, 3, 2, 2, 2}, Thinking: seconds{12, 12, 5, 5, 10},
		Mix: weights{10, 10, 1, 1, 1}, Homes: dealtHomes,
	}
}

// Validate implements option.Validator.
func (o *Options) Validate(names option.Names) error {
	if o.Builders > o.Warehouses {
		return names.Wrong("builders", strconv.Itoa(o.Builders), "%d is more than the %d of %s: each builder needs a warehouse",
			o.Builders, o.Warehouses, names.Of("warehouses"))
	}
	if o.Mix == (weights{}) {
		return names.Wrong("mix", "0,0,0,0,0", "at least one weight must be more than 0")
	}
	return nil
}

// perKind parses five values, one for each kind of transaction in order, or any number of
// kind=value, which leave the other kinds unchanged.
func perKind[T any](text []byte, values *[kinds]T, parse func(string) (T, error)) error {
	fields := strings.Split(string(text), ",")
	named := strings.Contains(fields[0], "=")
	if !named && len(fields) != int(kinds) {
		return fmt.Errorf("%q has %d values instead of five: %s", text, len(fields), kindList())
	}
	read := *values
	for i, field := range fields {
		kind := meter.Kind(i)
		if named {
			name, value, _ := strings.Cut(field, "=")
			var known bool
			if kind, known = Workload.KindNamed(strings.TrimSpace(name)); !known {
				return fmt.Errorf("%q is not one of %s", strings.TrimSpace(name), kindList())
			}
			field = value
		}
		value, err := parse(strings.TrimSpace(field))
		if err != nil {
			return err
		}
		read[kind] = value
	}
	*values = read
	return nil
}

func kindList() string { return strings.Join(Workload.KindNames(), ", ") }

// seconds is a time for each kind of transaction.
type seconds [kinds]float64

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *seconds) UnmarshalText(text []byte) error {
	return perKind(text, (*[kinds]float64)(s), func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || !(n >= 0 && n <= 86_400) {
			return 0, fmt.Errorf("%q is not a number of seconds from 0 to 86400", s)
		}
		return n, nil
	})
}

// MarshalText implements encoding.TextMarshaler.
func (s seconds) MarshalText() ([]byte, error) {
	var text []byte
	for i, n := range s {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendFloat(text, n, 'f', -1, 64)
	}
	return text, nil
}

// Kind names the type for people.
func (seconds) Kind() string { return "5 times" }

// loadTime is the date and time in the initial rows.
type loadTime struct {
	time.Time
	now bool // keeps the word "now", which means the moment of binding
}

// UnmarshalText parses "now", a date, or a date and time, in UTC.
func (l *loadTime) UnmarshalText(text []byte) error {
	if string(text) == "now" {
		*l = loadTime{time.Now().UTC().Truncate(time.Second), true}
		return nil
	}
	for _, layout := range []string{time.DateTime, time.DateOnly, "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			*l = loadTime{Time: t.UTC()}
			return nil
		}
	}
	return fmt.Errorf("%q is neither now nor a date such as 2026-01-01 or 2026-01-01 12:00:00", text)
}

// MarshalText implements encoding.TextMarshaler.
func (l loadTime) MarshalText() ([]byte, error) {
	if l.now {
		return []byte("now"), nil
	}
	return []byte(l.Format(time.DateTime)), nil
}

// Kind names the type for people.
func (loadTime) Kind() string { return "time" }

// Settled implements option.Relative.
func (l loadTime) Settled() string {
	if !l.now {
		return ""
	}
	return l.Format(time.DateTime)
}
