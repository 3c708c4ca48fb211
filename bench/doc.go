// Package bench holds Sledge's own benchmarks: what it costs to build a schema,
// to call a transaction and to measure it, each beside what it is compared with.
// They are tests with the build tag bench, because they take minutes and want a
// machine to themselves; docs/performance.md says how each figure is reached.
package bench
