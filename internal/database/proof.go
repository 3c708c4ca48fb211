package database

import (
	"fmt"
	"slices"
	"strings"
)

// Tested names the servers on which Sledge tests a database, and what it has not tested.
type Tested struct {
	// Releases are the releases of the server that tests run on, by the beginning of their
	// versions: "15", "8.0". Embedded databases are part of the program and need none.
	Releases []string

	// Relatives are other products that understand the database's sessions and that tests run on.
	Relatives []Relative

	// Unproven is a sentence about the parts of the database that no test has run on a server. It is
	// "" if tests have run all parts.
	Unproven string
}

// Relative is another product that understands the sessions of a database.
type Relative struct {
	Product string // its name, as Server.Product returns it

	// Limits is a line about differences from the database itself that matter to a result. Details
	// are sentences about the tested releases and what does not work on them. Both are "" if
	// nothing differs.
	Limits, Details string
}

// Proof names the releases of the server that Sledge's tests run on, in a sentence: "Tested on
// PostgreSQL 15, 17 and 18." It returns "" if Releases is empty.
func (d *Database) Proof() string {
	if len(d.Tested.Releases) == 0 {
		return ""
	}
	return fmt.Sprintf("Tested on %s %s.", d.Title, listed(d.Tested.Releases))
}

// Remarks returns what a user must know before use, in sentences: Proof, Unproven, and the details
// of each relative.
func (d *Database) Remarks() []string {
	remarks := []string{d.Proof(), d.Tested.Unproven}
	for _, r := range d.Tested.Relatives {
		remarks = append(remarks, r.Details)
	}
	return slices.DeleteFunc(remarks, func(s string) bool { return s == "" })
}

// Limits returns the limits of the relative with that product's name, or Unproven if there is no
// such relative. product is "" for the chosen product.
func (d *Database) Limits(product string) string {
	for _, r := range d.Tested.Relatives {
		if r.Product == product {
			return r.Limits
		}
	}
	return d.Tested.Unproven
}

// Doubts returns sentences about what Sledge has not tested of a server with that product and
// version; "" if it has tested everything. Other words may follow the version, and product is ""
// for the chosen product. Versions of relatives are not compared.
func (d *Database) Doubts(product, version string) string {
	var doubts []string
	number, _, _ := strings.Cut(version, " ")
	isRelative := slices.ContainsFunc(d.Tested.Relatives, func(r Relative) bool { return r.Product == product })
	switch {
	case len(d.Tested.Releases) == 0 || isRelative:
	case product != "":
		doubts = append(doubts, fmt.Sprintf("Sledge's tests do not run on %s %s: they run on %s %s.", product, number, d.Title, listed(d.Tested.Releases)))
	case !d.testedOn(version):
		doubts = append(doubts, fmt.Sprintf("Sledge's tests do not run on %s %s: they run on %s.", d.Title, number, listed(d.Tested.Releases)))
	}
	if limits := d.Limits(product); limits != "" {
		doubts = append(doubts, limits)
	}
	return strings.Join(doubts, " ")
}

// testedOn reports whether a version belongs to a tested release. A following digit means another
// release: 150 does not belong to 15.
func (d *Database) testedOn(version string) bool {
	for _, release := range d.Tested.Releases {
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
