package report

import (
	"slices"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestGroundsNameWhatIsUnproven(t *testing.T) {
	const doubt = "No test of Sledge's runs on Some 9: they run on 8."
	for _, unproven := range []string{doubt, ""} {
		said := Grounds(job.Job{Facts: &job.Facts{Unproven: unproven}}, meter.Summary{})
		if got := slices.Contains(said, Ground{Doubtful, "Unproven", doubt}); got != (unproven != "") {
			t.Errorf("%q: got the grounds %+v", unproven, said)
		}
	}
}
