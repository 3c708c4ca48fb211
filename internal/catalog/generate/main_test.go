package main

import (
	"os"
	"testing"
)

// If this test fails, run go generate ./internal/catalog.
func TestCatalog_MatchesFolders(t *testing.T) {
	want, err := catalog("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../edition/edition_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("edition_gen.go: got\n%s\nwant\n%s", got, want)
	}
}
