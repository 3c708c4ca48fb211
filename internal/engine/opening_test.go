package engine

import (
	"testing"
)

func TestOpening(t *testing.T) {
	for statement, want := range map[string]string{
		"\n-- TPC-C 2.4.\nCREATE PROCEDURE neword (\n  w INTEGER":                 "CREATE PROCEDURE neword ( ...",
		"CREATE INDEX i ON t (a)":                                                 "CREATE INDEX i ON t (a) ...",
		"CREATE TABLE t (" + "a234567890b234567890c234567890d234567890e234567890": "CREATE TABLE t (a234567890b234567890c234567890d234567890e234 ...",
		"-- nothing": "a statement",
	} {
		if got := opening(statement); got != want {
			t.Errorf("%q: got %q, want %q", statement, got, want)
		}
	}
}
