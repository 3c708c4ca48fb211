package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
	"sledge/internal/statistics"
)

// twoSetups returns runs with figures that spread by some percent, in turns or one set-up after the
// other. Those of B have more NOPM by a factor, and a label.
func twoSetups(n int, inTurns bool, factor float64) [2][]Measured {
	noise := []float64{0.4, -1.1, 0.9, -0.2, 1.6, -0.7, 0.1, 1.2, -1.5, 0.6} // percent
	var runs [2][]Measured
	for i := range 2 * n {
		of, k := i/n, i%n
		if inTurns {
			of, k = (i+i/2)%2, i/2 // A B, B A, ...
		}
		nopm := 50000 * (1 + noise[(7*i+i/10)%len(noise)]/100)
		j := reporttest.Figures(fmt.Sprintf("6%d%02d54479A03E2631333330%d", of, k, of), 5*i, 8, nopm)
		if j.Spec.Labels = map[string]string{"set": "old"}; of == 1 {
			j.Spec.Labels["set"] = "new"
			j.Result.Metrics[0].Value *= factor
		}
		runs[of] = append(runs[of], Measured{Job: j, Summary: reporttest.Measured()})
	}
	return runs
}

var setNames = [2]string{"set=old", "set=new"}

func compareSetups(t *testing.T, runs [2][]Measured, test Test) SetupComparison {
	t.Helper()
	c, err := CompareSetups(setNames, runs, test, unset)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSetups_AreComparedByTheirRuns(t *testing.T) {
	c := compareSetups(t, twoSetups(8, true, 1.05), Test{})
	var text, markdown bytes.Buffer
	if err := c.Text(&text, View{}); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "setups.txt", text.Bytes())
	if err := c.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "setups.md", markdown.Bytes())
	document, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "setups.json", append(document, '\n'))
	fitsTerminals(t, c.Text, "95 % interval", "better", "+5.7 %")
}

func TestSetups_VerdictsAndExitCodes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		runs    [2][]Measured
		test    Test
		verdict Verdict
		inTurns bool
		exit    job.Exit
	}{
		{"better in turns", twoSetups(8, true, 1.05), Test{}, statistics.Better, true, job.OK},
		{"worse in turns", twoSetups(8, true, 0.95), Test{}, statistics.Worse, true, 1},
		{"the same", twoSetups(10, true, 1), Test{}, statistics.Same, true, job.OK},
		{"undecided with few runs", twoSetups(3, true, 1.05), Test{}, statistics.Undecided, true, 2},
		{"undecided within a small difference", twoSetups(6, true, 1), Test{Delta: 0.001}, statistics.Undecided, true, 2},
		{"better one after the other", twoSetups(8, false, 1.05), Test{}, statistics.Better, false, job.OK},
		{"the same by another figure", twoSetups(8, true, 1.05), Test{Figures: []string{"new order: response p99"}}, statistics.Same, true, job.OK},
		{"worse by one of two figures", twoSetups(8, true, 0.95), Test{Figures: []string{"NOPM", "response p99"}}, statistics.Worse, true, 1},
	} {
		c := compareSetups(t, tt.runs, tt.test)
		if c.Verdict != tt.verdict || c.InTurns != tt.inTurns || job.ExitOf(c.Err()) != tt.exit {
			t.Errorf("%s: got %s in turns %t with exit code %d and %+v", tt.name, c.Verdict, c.InTurns, job.ExitOf(c.Err()), c.Figures[0].Change)
		}
	}
}

func TestSetups_LeaveOutInvalidRunsAndSayWhatLimitsTheVerdict(t *testing.T) {
	runs := twoSetups(8, true, 1.05)
	runs[0][2].Job.Status = job.Invalid
	runs[1][7].Job = reporttest.Ended(runs[1][7].Job, job.Failed)
	runs[0][4].Job.Result.Users = 16
	for i := range runs[1] {
		host := *runs[1][i].Job.Facts
		host.Host.Name = "other"
		runs[1][i].Job.Facts = &host
	}
	c := compareSetups(t, runs, Test{})
	if len(c.Setups[0].Runs) != 7 || len(c.Setups[1].Runs) != 7 || c.Setups[0].Left[0].Why != "it is invalid" {
		t.Errorf("got %+v, want 7 runs of each", c.Setups)
	}
	for _, want := range []string{"1 run of A is left out", "The machines differ (client)", "not repetitions of one set-up: they differ in users", "did not take turns"} {
		if !slices.ContainsFunc(c.Caveats, func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("no caveat says %q: %q", want, c.Caveats)
		}
	}
	if c := compareSetups(t, runs, Test{SameMachines: true}); strings.Contains(strings.Join(c.Caveats, ""), "machines differ") {
		t.Errorf("got %q though the machines are equal", c.Caveats)
	}
}

func TestSetups_OfOtherFiguresAreRefused(t *testing.T) {
	for want, test := range map[string]Test{
		`no figure "p99"`:                     {Figures: []string{"p99"}},
		"set=new has no valid run: repeat it": {},
		"has NOPM, and set=new has not":       {Delta: 1},
	} {
		runs := twoSetups(6, true, 1)
		switch {
		case strings.Contains(want, "valid run"):
			for i := range runs[1] {
				runs[1][i].Job.Status = job.Invalid
			}
		case test.Delta == 1:
			for i := range runs[1] {
				runs[1][i].Job.Result.Metrics = []job.Metric{{Name: "QphH", Value: 3}}
			}
		}
		if _, err := CompareSetups(setNames, runs, test, unset); err == nil || !strings.Contains(err.Error(), want) || job.ExitOf(err) != job.ExitUsage {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestMarkdown_EscapesWhatOthersWrote(t *testing.T) {
	names := [2]string{"set=<img src=x>", "set=@all [x](y) | `z`"}
	c, err := CompareSetups(names, twoSetups(6, true, 1), Test{}, unset)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<img", "@all", "[x](y)", "| `z"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is not escaped:\n%s", bad, &b)
		}
	}
}
