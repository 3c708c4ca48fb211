package database

import (
	"fmt"
	"slices"
	"strings"
)

// Proof names the releases of the server that Sledge's tests run on, in a sentence: "Tested on
// PostgreSQL 15, 17 and 18."; "" if there are none.
func (d *Database) Proof() string {
	if len(d.Tested) == 0 {
		return ""
	}
	return fmt.Sprintf("Tested on %s %s.", d.Title, listed(d.Tested))
}

// Remarks returns what a user must know before use, in sentences: Proof, Unproven, and the details
// of each relative.
func (d *Database) Remarks() []string {
	remarks := []string{d.Proof(), d.Unproven}
	for _, r := range d.Relatives {
		remarks = append(remarks, r.Details)
	}
	return slices.DeleteFunc(remarks, func(s string) bool { return s == "" })
}

// Limits says in sentences what Sledge's tests have not shown of a product: the limits of the
// relative, or Unproven. product is "" for the chosen product.
func (d *Database) Limits(product string) string {
	for _, r := range d.Relatives {
		if r.Product == product {
			return r.Limits
		}
	}
	return d.Unproven
}

// Doubts says in sentences what Sledge's tests have not shown of a server with that version and
// product, or "". The version may be followed by other words, and product is "" for the chosen
// product. Versions of relatives are not compared.
func (d *Database) Doubts(product, version string) string {
	var doubts []string
	number, _, _ := strings.Cut(version, " ")
	isRelative := slices.ContainsFunc(d.Relatives, func(r Relative) bool { return r.Product == product })
	switch {
	case len(d.Tested) == 0 || isRelative:
	case product != "":
		doubts = append(doubts, fmt.Sprintf("No test of Sledge's runs on %s %s: they run on %s %s.", product, number, d.Title, listed(d.Tested)))
	case !d.testedOn(version):
		doubts = append(doubts, fmt.Sprintf("No test of Sledge's runs on %s %s: they run on %s.", d.Title, number, listed(d.Tested)))
	}
	if limits := d.Limits(product); limits != "" {
		doubts = append(doubts, limits)
	}
	return strings.Join(doubts, " ")
}

// testedOn reports whether a version belongs to a tested release. A following digit means another
// release: 150 does not belong to 15.
func (d *Database) testedOn(version string) bool {
	for _, release := range d.Tested {
		if rest, is := strings.CutPrefix(version, release); is && (rest == "" || rest[0] < '0' || rest[0] > '9') {
			return true
		}
	}
	return false
}

// listed joins words as in a sentence: "15, 17 and 18".
func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
