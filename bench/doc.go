// Package bench contains Sledge's own benchmarks: the cost of building a schema, of calling a
// transaction and of measuring it, each compared with another program. They are tests with the
// build tag bench, because they take minutes and need a machine without other work;
// docs/performance.md explains how each figure is measured.
package bench
