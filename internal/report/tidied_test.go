package report

import (
	"bytes"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report/reporttest"
)

func TestText_ShowsPostRunMaintenance(t *testing.T) {
	for _, tt := range []struct {
		tidied []job.Tidied
		want   string
	}{
		{
			[]job.Tidied{{Work: job.StepCheckpoint, Ended: job.Ends, Seconds: 1.23}, {Work: job.StepVacuum, Ended: job.Ends, Seconds: 125}},
			"   Afterwards  checkpoint in 1.23 s; vacuum in 2 min 5 s\n",
		},
		{
			[]job.Tidied{{Work: job.StepCheckpoint, Ended: job.LeftOut, Why: "it needs a superuser"}, {Work: job.StepVacuum, Ended: job.Ends, Seconds: 1}},
			"   Afterwards  no checkpoint: it needs a superuser; vacuum in 1 s\n",
		},
		{
			[]job.Tidied{{Work: job.StepPurge, Ended: job.GivenUp, Seconds: 12, Had: 5000, Left: 34}, {Work: job.StepWriteBack, Ended: job.Ends, Seconds: 3, Had: 9000}},
			"!  Afterwards  purge given up after 12 s with 34 of 5,000 left; write back of 9,000 in 3 s\n",
		},
		{
			[]job.Tidied{{Work: job.StepPurge, Seconds: 2, Had: 5000, Left: 4000}},
			"!  Afterwards  purge aborted after 2 s with 4,000 of 5,000 left\n",
		},
		{[]job.Tidied{{Work: job.StepVacuum, Seconds: 2}}, "!  Afterwards  vacuum aborted after 2 s\n"},
	} {
		j := reporttest.Run()
		j.Result.Tidied = tt.tidied
		var b bytes.Buffer
		if err := Text(&b, j, meter.Summary{}, View{Whole: true}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, tt.want) {
			t.Errorf("got\n%s\nwant a line %q", got, tt.want)
		}
	}
}

// A run whose post-run maintenance failed keeps its figures.
func TestText_KeepsFiguresIfMaintenanceFails(t *testing.T) {
	for status, want := range map[job.Status]string{
		job.Partial: "! STOPPED AFTER THE RUN  15,824 NOPM",
		job.Failed:  "! FAILED AFTER THE RUN  15,824 NOPM",
		job.Invalid: "✗ INVALID  15,824 NOPM",
	} {
		j := reporttest.Run()
		j.Status, j.Reason, j.Result.Untidy = status, "the vacuum failed", "the vacuum failed"
		if got := textOf(t, j); !strings.Contains(got, want) {
			t.Errorf("%s: got\n%s\nwant %q", status, got, want)
		}
	}
}

func textOf(t *testing.T, j job.Job) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, j, meter.Summary{}, View{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The details show the whole report of the server; the summary only mentions it.
func TestText_ShowsTheServersReport(t *testing.T) {
	j := reporttest.Run()
	j.Result.ServerReport = &job.ServerReport{Title: "MONREPORT", Seconds: 60, Text: "Wait times\n  READS   12"}
	told := "   Report      MONREPORT of the server, 2 lines, made beside the virtual users in 1 min, from the beginning of the measured time on\n"
	for whole, want := range map[bool][]string{
		false: nil,
		true:  {told, "\nMONREPORT: as the server reported on itself\nWait times\n  READS   12\n"},
	} {
		var b bytes.Buffer
		if err := Text(&b, j, meter.Summary{}, View{Whole: whole}); err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(b.String(), part) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), part)
			}
		}
		if told := strings.Contains(b.String(), "READS"); told != whole {
			t.Errorf("the server report is shown: %t, want %t", told, whole)
		}
	}
	j.Result.ServerReport = &job.ServerReport{Title: "MONREPORT", Error: "not\nallowed"}
	if got, want := textOf(t, j), "!  Report  no MONREPORT of the server: not allowed\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant a line %q", got, want)
	}
}
