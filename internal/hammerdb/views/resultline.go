package views

import (
	"fmt"

	"sledge/internal/hammerdb/lines"
)

// FirstTPM returns the headline of a run in HammerDB's older order, with TPM before NOPM. It
// returns other lines unchanged.
func FirstTPM(line string) string {
	h, ok := lines.ReadHeadline(line)
	if !ok {
		return line
	}
	return fmt.Sprintf("TEST RESULT : System achieved %s %s TPM at %s NOPM", h.TPM, h.Database, h.NOPM)
}
