package database_test

import (
	"slices"
	"testing"

	"sledge/internal/database"
)

func TestDoubts_NamesUntestedReleases(t *testing.T) {
	tested := &database.Database{Title: "Some", Tested: database.Tested{Releases: []string{"15", "8.0"}}}
	for version, want := range map[string]string{
		"15":                           "",
		"15.18 (Debian 15.18-0+deb1)":  "",
		"8.0.15":                       "",
		"8.0-edition":                  "",
		"150.1":                        "Sledge's tests do not run on Some 150.1: they run on 15 and 8.0.",
		"8.4.2 (some words about it)":  "Sledge's tests do not run on Some 8.4.2: they run on 15 and 8.0.",
		"14.1 (then 15.2 as a remark)": "Sledge's tests do not run on Some 14.1: they run on 15 and 8.0.",
	} {
		if got := tested.Doubts("", version); got != want {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
	}
	tested.Tested.Relatives = []database.Relative{{Product: "Cousin"}, {Product: "Aunt", Limits: "Aunt 3 bakes no bread.", Details: "Aunt 3 bakes no bread: she has no oven."}}
	for product, want := range map[string]string{
		"Cousin":   "",
		"Aunt":     "Aunt 3 bakes no bread.",
		"Stranger": "Sledge's tests do not run on Stranger 15.1: they run on Some 15 and 8.0.",
	} {
		if got := tested.Doubts(product, "15.1"); got != want {
			t.Errorf("%s: got %q, want %q", product, got, want)
		}
	}
	if got, want := tested.Proof(), "Tested on Some 15 and 8.0."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := tested.Remarks(), []string{"Tested on Some 15 and 8.0.", "Aunt 3 bakes no bread: she has no oven."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	const never = "No server has run it."
	unproven := &database.Database{Title: "Some", Tested: database.Tested{Unproven: never}}
	if got := unproven.Doubts("", "1"); got != never || unproven.Proof() != "" {
		t.Errorf("got %q and %q, want %q and nothing", got, unproven.Proof(), never)
	}
	tested.Tested.Unproven = never
	if got := tested.Limits("Aunt"); got != "Aunt 3 bakes no bread." || tested.Limits("") != never || tested.Limits("Stranger") != never {
		t.Errorf("got %q of a relative, %q, and %q of a stranger", got, tested.Limits(""), tested.Limits("Stranger"))
	}
	if got, want := tested.Doubts("", "2"), "Sledge's tests do not run on Some 2: they run on 15 and 8.0. "+never; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
