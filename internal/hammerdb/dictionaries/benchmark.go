package dictionaries

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/engine/load"
	"sledge/internal/hammerdb/names"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/workload"
)

// Benchmark is a workload with its names in HammerDB's commands.
type Benchmark struct {
	names.Benchmark
	Meant *workload.Workload
	use   database.Use

	options func() []any // returns new structs of the options that do not depend on the database
}

// benchmarks lists the workloads of the catalog.
func benchmarks(resolver settings.Resolver) []Benchmark {
	var list []Benchmark
	for _, w := range resolver.Workloads {
		list = append(list, Benchmark{Benchmark: names.BenchmarkOf(w), Meant: w, use: w.Use, options: func() []any {
			return []any{w.Options(), load.Fresh(w.Users.Finite)}
		}})
	}
	return list
}

// usualBenchmark returns the name of the default benchmark.
func usualBenchmark(list []Benchmark) string {
	i := slices.IndexFunc(list, func(b Benchmark) bool { return b.Meant.Default })
	return list[max(i, 0)].Name
}

// is reports whether a word of dbset means the benchmark.
func (b Benchmark) is(word string) bool {
	return strings.EqualFold(word, b.Name) || strings.EqualFold(word, b.Title)
}

// unknownBenchmark returns HammerDB's error for an unknown benchmark.
func unknownBenchmark(name string, list []Benchmark) error {
	var titles, known []string
	for _, b := range list {
		titles, known = append(titles, b.Title), append(known, b.Name)
	}
	return fmt.Errorf("Unknown benchmark %s, choose one from %s (or compatible names %s)", //nolint:staticcheck // it is HammerDB's line
		name, strings.Join(titles, " "), strings.Join(known, " "))
}

// chosenBenchmark is the value of a setting that names a benchmark.
type chosenBenchmark struct {
	name string
	list []Benchmark
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *chosenBenchmark) UnmarshalText(text []byte) error {
	var names []string
	for _, b := range c.list {
		if b.Name == string(text) {
			c.name = b.Name
			return nil
		}
		names = append(names, b.Name)
	}
	return fmt.Errorf("%q is not one of %s%s", text, strings.Join(names, ", "), option.Suggest(string(text), names))
}

// MarshalText implements encoding.TextMarshaler.
func (c chosenBenchmark) MarshalText() ([]byte, error) { return []byte(c.name), nil }

// Kind names the type for people.
func (chosenBenchmark) Kind() string { return "benchmark" }
