package report

import (
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestTraits_AreNamedInBriefAndToldInFull(t *testing.T) {
	j := job.Job{Spec: job.Spec{Action: job.Run}, Result: job.Result{Status: job.Succeeded, Traits: []job.Trait{
		{Name: "pauses", Here: "none", Asked: "keying times", Source: "TPC-C 5.2.5"},
		{Name: "mix", Here: "as dealt", Asked: "43 % payments", Source: "TPC-C 5.2.3", Met: true},
		{Name: "runs", Here: "one", Asked: "six or more"},
	}}, Status: job.Succeeded}
	text := func(v View) string {
		var b strings.Builder
		if err := Text(&b, j, meter.Summary{}, v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	brief := text(View{Width: 80})
	if !strings.Contains(brief, "Kind of test: not as its standard and good practice ask in pauses, runs") {
		t.Errorf("got %q, want it to name the traits that are not met", brief)
	}
	whole := text(View{Width: 100, Whole: true})
	for _, want := range []string{"What kind of test this was", "none; TPC-C 5.2.5: keying times", "as dealt\n", "one; good practice: six or more"} {
		if !strings.Contains(whole, want) {
			t.Errorf("got %q, want %q in it", whole, want)
		}
	}
}
