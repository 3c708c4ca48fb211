package report

import "regexp"

var resultLine = regexp.MustCompile(`^(TEST RESULT : System achieved) (\d+) NOPM from (\d+) (.+) TPM$`)

// FirstTPM spells the headline of a run in HammerDB's older order, with TPM
// before NOPM. Any other line stays as it is.
func FirstTPM(line string) string {
	return resultLine.ReplaceAllString(line, "$1 $3 $4 TPM at $2 NOPM")
}
