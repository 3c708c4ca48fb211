//go:build bench

package bench

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// benchmarkLine matches go test's line for a benchmark that reports allocations.
var benchmarkLine = regexp.MustCompile(`(?m)^BenchmarkRecord\S*\s+\d+\s+([\d.]+) ns/op\s+\d+ B/op\s+(\d+) allocs/op`)

// TestRecord measures the cost of recording a transaction. The figure is the minimum of several,
// because other work can only increase it.
func TestRecord(t *testing.T) {
	out := execute(t, nil, "go", "test", "-run=^$", "-bench=^BenchmarkRecord$", "-count=5", "../internal/meter").output
	var nanos, allocations []float64
	for _, m := range benchmarkLine.FindAllSubmatch(out, -1) {
		nanos = append(nanos, number(t, m[1]))
		allocations = append(allocations, number(t, m[2]))
	}
	if len(nanos) == 0 {
		t.Fatalf("the benchmark printed no figures:\n%s", out)
	}
	note(t, figure{What: "recording one transaction", Value: slices.Min(nanos), Unit: "ns", Target: atMost(30), Detail: spread(nanos)})
	note(t, figure{What: "allocations of it", Value: slices.Max(allocations), Unit: "per call", Target: atMost(0)})
}

func number(t *testing.T, text []byte) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
