package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/option"
	"sledge/internal/workbench"
	"sledge/internal/workload"
)

// Benchmark is a workload as HammerDB's commands name it.
type Benchmark struct {
	workload.HammerDB
	Title    string             // "TPROC-C"
	Workload *workload.Workload // nil where it is not built yet

	workloadName string // "tprocc": also of one that is not built yet
	options      func() any
}

// benchmarks lists the workloads of a bench, and then TPROC-H, which HammerDB has,
// unless it is among them.
func benchmarks(bench workbench.Bench) []Benchmark {
	var list []Benchmark
	for _, w := range bench.Workloads {
		b := Benchmark{HammerDB: w.HammerDB, Title: w.Title, Workload: w, workloadName: w.Name, options: w.Options}
		b.Benchmark, b.Section = cmp.Or(b.Benchmark, w.Title), cmp.Or(b.Section, w.Name)
		list = append(list, b)
	}
	isTPROCH := func(b Benchmark) bool { return b.Benchmark == tproch.Benchmark }
	if !slices.ContainsFunc(list, isTPROCH) {
		list = append(list, Benchmark{HammerDB: tproch, Title: "TPROC-H", workloadName: "tproch", options: newTPROCHOptions})
	}
	return list
}

// usualBenchmark is the one that is chosen when nobody has chosen one.
func usualBenchmark(list []Benchmark) string {
	i := slices.IndexFunc(list, func(b Benchmark) bool { return b.workloadName == workbench.DefaultWorkload })
	return list[max(i, 0)].Benchmark
}

// is reports whether a word of dbset means the benchmark.
func (b Benchmark) is(word string) bool {
	return strings.EqualFold(word, b.Benchmark) || strings.EqualFold(word, b.Title)
}

// unknownBenchmark is the line that HammerDB prints.
func unknownBenchmark(name string, list []Benchmark) error {
	var titles, names []string
	for _, b := range list {
		titles, names = append(titles, b.Title), append(names, b.Benchmark)
	}
	return fmt.Errorf("Unknown benchmark %s, choose one from %s (or compatible names %s)", //nolint:staticcheck // it is HammerDB's line
		name, strings.Join(titles, " "), strings.Join(names, " "))
}

// chosenBenchmark is the name of a benchmark, as HammerDB's data have it.
type chosenBenchmark struct {
	name string
	list []Benchmark
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *chosenBenchmark) UnmarshalText(text []byte) error {
	var names []string
	for _, b := range c.list {
		if b.Benchmark == string(text) {
			c.name = b.Benchmark
			return nil
		}
		names = append(names, b.Benchmark)
	}
	return fmt.Errorf("%q is not one of %s%s", text, strings.Join(names, ", "), option.Suggest(string(text), names))
}

// MarshalText implements encoding.TextMarshaler.
func (c chosenBenchmark) MarshalText() ([]byte, error) { return []byte(c.name), nil }

// Kind names the type for people.
func (chosenBenchmark) Kind() string { return "benchmark" }
