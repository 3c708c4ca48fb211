// Package lines makes and reads the lines that HammerDB prints, which people's scripts
// look for.
package lines

import "regexp"

// Headline is the line of a run's result, taken apart.
type Headline struct {
	NOPM, TPM string // digits
	Database  string // as the line names it
}

// HammerDB has had one order of the figures since version 3, and the other before
// that or where first_result is set to TPM.
var (
	nopmFirst = regexp.MustCompile(`^TEST RESULT : System achieved (\d+) NOPM from (\d+) (.+) TPM$`)
	tpmFirst  = regexp.MustCompile(`^TEST RESULT : System achieved (\d+) (.+) TPM at (\d+) NOPM$`)
)

// ReadHeadline reads a line in either of HammerDB's orders. It returns false for
// any other line.
func ReadHeadline(line string) (Headline, bool) {
	if m := nopmFirst.FindStringSubmatch(line); m != nil {
		return Headline{NOPM: m[1], TPM: m[2], Database: m[3]}, true
	}
	if m := tpmFirst.FindStringSubmatch(line); m != nil {
		return Headline{NOPM: m[3], TPM: m[1], Database: m[2]}, true
	}
	return Headline{}, false
}
