package sysbench

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sledge/internal/option"
)

// Kind is the type of an option's value.
type Kind int

// The kinds of options, with the numbers that scripts know.
const (
	Null Kind = iota
	Bool
	Int
	Size // a whole number, perhaps with K, M or G
	Double
	String
	List // strings with commas between them
	File
)

// Option is an option of sysbench or of a script.
type Option struct {
	Name    string // with underscores
	Help    string
	Default string
	Kind    Kind
}

// Version is the version of sysbench whose defaults and texts are used.
type Version string

// The versions.
const (
	Version10 Version = "1.0"
	Version11 Version = "1.1"
)

// Text returns the version in full: "1.0.20".
func (v Version) Text() string {
	if v == Version11 {
		return "1.1.0"
	}
	return "1.0.20"
}

// General are the options of sysbench itself.
func General(v Version) []Option {
	randType := "special"
	if v == Version11 {
		randType = "uniform"
	}
	return []Option{
		{"threads", "number of threads", "1", Int},
		{"events", "limit of events of all threads; 0 for none", "0", Int},
		{"time", "limit of the duration in seconds; 0 for none", "10", Int},
		{"warmup_time", "seconds before statistics begin", "0", Int},
		{"forced_shutdown", "seconds to wait after --time for events that run; or off", "off", String},
		{"thread_stack_size", "has no effect", "64K", Size},
		{"thread_init_timeout", "has no effect", "30", Int},
		{"rate", "mean number of events a second; 0 for as many as possible", "0", Int},
		{"report_interval", "report statistics every so many seconds; 0 for never", "0", Int},
		{"report_checkpoints", "report all statistics at these seconds, with commas between them", "", List},
		{"debug", "has no effect", "off", Bool},
		{"validate", "has no effect", "off", Bool},
		{"verbosity", "0 to 5: fewer or more messages", "3", Int},
		{"percentile", "percentile of latencies in reports, 1 to 100; 0 for none", "95", Int},
		{"histogram", "report a histogram of latencies", "off", Bool},
		{"luajit_cmd", "has no effect", "", String},

		{"rand_type", "distribution of random numbers: uniform, gaussian, special, pareto, zipfian", randType, String},
		{"rand_seed", "seed of random numbers; 0 for the time", "0", Int},
		{"rand_spec_iter", "numbers that are averaged for gaussian and special", "12", Int},
		{"rand_spec_pct", "percentage of the values that are special", "1", Int},
		{"rand_spec_res", "percentage of the draws that are special", "75", Int},
		{"rand_pareto_h", "shape of pareto", "0.2", Double},
		{"rand_zipfian_exp", "shape of zipfian", "0.8", Double},

		{"db_driver", "database: mysql or pgsql", "", String},
		{"db_ps_mode", "prepared statements: auto or disable", "auto", String},
		{"db_debug", "has no effect", "off", Bool},

		{"mysql_host", "host of MySQL", "localhost", List},
		{"mysql_port", "port of MySQL", "3306", List},
		{"mysql_socket", "socket of MySQL", "", List},
		{"mysql_user", "user of MySQL", "sbtest", String},
		{"mysql_password", "password of MySQL", "", String},
		{"mysql_db", "database of MySQL", "sbtest", String},
		{"mysql_ssl", "whether connections are encrypted, or how", "off", String},
		{"mysql_ssl_cipher", "has no effect", "", String},
		{"mysql_compression", "has no effect", "off", Bool},
		{"mysql_debug", "has no effect", "off", Bool},
		{"mysql_ignore_errors", "numbers of errors after which an event is repeated, or all", "1213,1020,1205", List},
		{"mysql_dry_run", "has no effect", "off", Bool},

		{"pgsql_host", "host of PostgreSQL", "localhost", List},
		{"pgsql_port", "port of PostgreSQL", "5432", List},
		{"pgsql_user", "user of PostgreSQL", "sbtest", String},
		{"pgsql_password", "password of PostgreSQL", "", String},
		{"pgsql_db", "database of PostgreSQL", "sbtest", String},
		{"pgsql_sslmode", "sslmode of PostgreSQL", "prefer", String},
	}
}

// Driver returns the name by which scripts know a database: mysql, pgsql, or Sledge's own.
func Driver(database string) string {
	switch database {
	case "postgresql":
		return "pgsql"
	case "mariadb":
		return "mysql"
	}
	return database
}

// Secret reports whether the value of an option must not be stored or shown.
func Secret(name string) bool { return strings.HasSuffix(name, "_password") }

// Canonical returns the name of an option with underscores.
func Canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

// setOptions is the values of all options, which are typed as their options are declared.
type setOptions struct {
	general map[string]Option // shared by all states
	own     map[string]Option // of the script
	given   map[string]string
}

// newOptions returns the general options with the given values.
func newOptions(v Version, given map[string]string) *setOptions {
	general := general10
	if v == Version11 {
		general = general11
	}
	return &setOptions{general: general(), own: map[string]Option{}, given: given}
}

// The general options by their names.
var (
	general10 = sync.OnceValue(func() map[string]Option { return byName(General(Version10)) })
	general11 = sync.OnceValue(func() map[string]Option { return byName(General(Version11)) })
)

func byName(list []Option) map[string]Option {
	m := map[string]Option{}
	for _, o := range list {
		m[o.Name] = o
	}
	return m
}

// declared returns the declaration of an option. That of the script replaces the general one.
func (o *setOptions) declared(name string) (Option, bool) {
	if own, is := o.own[name]; is {
		return own, true
	}
	general, is := o.general[name]
	return general, is
}

// text returns the value of an option as it was given, or its default.
func (o *setOptions) text(name string) string {
	if text, is := o.given[name]; is {
		return text
	}
	declared, _ := o.declared(name)
	return declared.Default
}

// number returns the value of an option that is a number; values that are not numbers were refused.
func (o *setOptions) number(name string) float64 {
	declared, _ := o.declared(name)
	v, _ := Value(declared, o.text(name))
	n, _ := v.(float64)
	return n
}

// names lists the declared and the given options.
func (o *setOptions) names() []string {
	list := slices.Collect(maps.Keys(o.general))
	list = slices.AppendSeq(list, maps.Keys(o.own))
	list = slices.AppendSeq(list, maps.Keys(o.given))
	slices.Sort(list)
	return slices.Compact(list)
}

// Value converts the text of an option to a bool, a float64 or a string. The error says what the text must be.
func Value(o Option, text string) (any, error) {
	switch o.Kind {
	case Bool:
		switch strings.ToLower(text) {
		case "on", "true", "1", "yes", "":
			return true, nil
		case "off", "false", "0", "no":
			return false, nil
		}
		return nil, fmt.Errorf("--%s=%s: write on or off", o.Name, text)
	case Int, Double, Size:
		number, unit := text, 1.0
		if o.Kind == Size && text != "" {
			if at := strings.IndexByte("kmgt", text[len(text)-1]|0x20); at >= 0 {
				number, unit = text[:len(text)-1], math.Pow(1024, float64(at+1))
			}
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(n) || o.Kind != Double && n != math.Trunc(n) {
			return nil, fmt.Errorf("--%s=%s: it must be a number", o.Name, text)
		}
		return n * unit, nil
	}
	return text, nil
}

// Check returns an error if a given option is not declared, or has a value of another type. anyName accepts options
// that are not declared.
func Check(declared []Option, given map[string]string, anyName bool) error {
	known := byName(declared)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		o, is := known[name]
		switch {
		case !is && anyName:
			continue
		case !is:
			return fmt.Errorf("there is no option --%s%s", name, option.Suggest(name, slices.Sorted(maps.Keys(known))))
		}
		if _, err := Value(o, given[name]); err != nil {
			return err
		}
	}
	return checkGeneral(known, given)
}

// checkGeneral checks the limits of general options.
func checkGeneral(known map[string]Option, given map[string]string) error {
	number := func(name string) float64 {
		v, _ := Value(known[name], cmp.Or(given[name], known[name].Default))
		n, _ := v.(float64)
		return n
	}
	for _, limit := range []struct {
		name        string
		least, most float64
	}{
		{"threads", 1, 100_000},
		{"events", 0, math.MaxInt32},
		{"time", 0, 31_536_000},
		{"warmup_time", 0, 31_536_000},
		{"rate", 0, math.MaxInt32},
		{"report_interval", 0, 31_536_000},
		{"percentile", 0, 100},
		{"verbosity", 0, 5},
		{"rand_spec_iter", 1, 1000},
		{"rand_spec_pct", 0, 100},
		{"rand_spec_res", 0, 100},
		{"rand_pareto_h", 1e-9, 1 - 1e-9},
		{"rand_zipfian_exp", 0, 1000},
	} {
		if n := number(limit.name); n < limit.least || n > limit.most {
			return fmt.Errorf("--%s=%s: it must be between %g and %g", limit.name, given[limit.name], limit.least, limit.most)
		}
	}
	s := &shape{}
	if _, err := s.distributionNamed(cmp.Or(given["rand_type"], known["rand_type"].Default)); err != nil {
		return err
	}
	if mode := cmp.Or(given["db_ps_mode"], "auto"); mode != "auto" && mode != "disable" {
		return fmt.Errorf("--db-ps-mode=%s: it must be auto or disable", mode)
	}
	return nil
}
