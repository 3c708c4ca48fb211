package report

import (
	"bytes"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report/reporttest"
)

// attentionOf returns the evidence of a job that needs attention, as text.
func attentionOf(j job.Job, sum meter.Summary) string {
	var lines []string
	for _, g := range Attention(Grounds(j, sum)) {
		lines = append(lines, g.line())
	}
	return strings.Join(lines, "\n")
}

func TestCeiling_ShowsTheFigureFirst(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, reporttest.Ceiling(), meter.Summary{}, View{Width: 96}); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "ceiling.txt", b.Bytes())
}

func TestCeiling_IsDoubtfulIfRepeatsDifferOrTheClientRests(t *testing.T) {
	j := reporttest.Ceiling()
	if got := attentionOf(j, meter.Summary{}); got != "" {
		t.Errorf("got %q about a good measurement", got)
	}
	j.Result.Ceiling.SpreadPercent, j.Result.Ceiling.Repeats[3].BusyPercent = 8.1, 61
	got := attentionOf(j, meter.Summary{})
	for _, want := range []string{"Spread: the repeats differ by 8.1 %", "Saturation: the client had rests: it computed for only 61 % of the time"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

func TestRun_SaysHowMuchOfItsCeilingItReached(t *testing.T) {
	for percent, want := range map[float64]string{
		11.84: "this run reached 12 % of what this machine's client can drive, 303,000 transactions/s (ceiling of 2025-04-14)",
		82:    "so the client may limit it",
	} {
		j := reporttest.Run()
		j.Result.ClientCeiling = &job.CeilingReached{Job: "67FD", At: reporttest.Began, TransactionsPerSecond: 303_030.3, Percent: percent}
		found := false
		for _, g := range Grounds(j, reporttest.Measured()) {
			if g.Name == "Ceiling" && strings.Contains(g.Text, want) {
				found = true
				if g.NeedsAttention() != (percent > job.MostOfCeiling) {
					t.Errorf("%.0f %%: the tone is %s", percent, g.Tone)
				}
			}
		}
		if !found {
			t.Errorf("%.0f %%: no evidence says %q", percent, want)
		}
	}
}
