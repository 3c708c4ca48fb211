package views

import (
	"fmt"

	"sledge/internal/hammerdb/lines"
)

// FirstTPM spells the headline of a run in HammerDB's older order, with TPM
// before NOPM. Any other line stays as it is.
func FirstTPM(line string) string {
	h, ok := lines.ReadHeadline(line)
	if !ok {
		return line
	}
	return fmt.Sprintf("TEST RESULT : System achieved %s %s TPM at %s NOPM", h.TPM, h.Database, h.NOPM)
}
