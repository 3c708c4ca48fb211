package report

import (
	"slices"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestGrounds_DoubtAClientThatDidOtherJobs(t *testing.T) {
	client := &job.ClientLoad{CoresUsed: 0.1, Cores: 2, OtherJobs: 1}
	want := Ground{Doubtful, "Client", "0.10 of 2 cores used together with another job of this process: run one at a time"}
	if said := Grounds(job.Job{Spec: job.Spec{Action: job.Run}, Result: job.Result{Beside: job.Beside{Client: client}}}, meter.Summary{}); !slices.Contains(said, want) {
		t.Errorf("got %+v, want %+v among them", said, want)
	}
}

func TestGrounds_NameUnprovenReleases(t *testing.T) {
	const doubt = "Sledge's tests do not run on Some 9: they run on 8."
	for _, unproven := range []string{doubt, ""} {
		said := Grounds(job.Job{Spec: job.Spec{Action: job.Run}, Facts: &job.Facts{Unproven: unproven}}, meter.Summary{})
		if got := slices.Contains(said, Ground{Doubtful, "Unproven", doubt}); got != (unproven != "") {
			t.Errorf("%q: got the grounds %+v", unproven, said)
		}
	}
}
