// Package lines writes and reads HammerDB's lines of output, which users' scripts parse.
package lines

import "regexp"

// Headline holds the parts of the line with a run's result.
type Headline struct {
	NOPM, TPM string // digits
	Database  string // as in the line
}

// HammerDB prints NOPM first since version 3, and TPM first in older versions or if first_result is
// TPM.
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
