package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/report"
)

// racing sets a runner whose NOPM is one greater in each run, and factor times as high with 3 users. It
// returns which runs had 3 users.
func (w *world) racing(factor float64) *[]bool {
	second := new([]bool)
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		r := measured()
		nopm := 50000 + float64(len(*second))
		b := spec.Users == 3
		if *second = append(*second, b); b {
			nopm *= factor
		}
		r.Metrics = []job.Metric{{Name: "NOPM", Value: nopm}, {Name: "TPM", Value: 2.3 * nopm}}
		return r, nil
	})
	return second
}

func TestRunAgainst_LetsSetUpsTakeTurnsAndSaysWhichIsBetter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		factor float64
		code   job.Exit
		out    string
	}{
		{"better", 1.1, job.OK, "NOPM of B against A: +10.0 % (95 % interval +10.0 % to +10.0 %, 8 pairs): better"},
		{"same", 1.001, job.OK, "same within 2 %"},
		{"worse", 0.9, job.ExitError, "worse"},
	} {
		w := withJobs(t)
		second := w.racing(tt.factor)
		if code := w.run("run", "--db", "sqlite", "--users", "2", "--against", "users=3"); code != tt.code || !strings.Contains(w.out.String(), tt.out) {
			t.Errorf("%s: got exit code %d, want %d: %s%s", tt.name, code, tt.code, &w.out, &w.err)
		}
		if len(*second) != 16 {
			t.Fatalf("%s: got %d runs, want 8 pairs", tt.name, len(*second))
		}
		for pair := range slices.Chunk(*second, 2) {
			if pair[0] == pair[1] {
				t.Errorf("%s: got runs %v, which do not take turns", tt.name, *second)
			}
		}
		for _, want := range []string{"pair 1 of 8, ", "pair 8 of 8, ", "So far: NOPM of B against A: "} {
			if !strings.Contains(w.err.String(), want) {
				t.Errorf("%s: got %s, want %q in it", tt.name, &w.err, want)
			}
		}
		page := filepath.Join(t.TempDir(), "comparison.html")
		if code := w.run("compare", "profile:1", "profile:2", "--html", page); code != tt.code || !strings.Contains(w.out.String(), "Wrote "+page) {
			t.Errorf("%s: got exit code %d: %s%s", tt.name, code, &w.out, &w.err)
		}
		if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), "NOPM of B against A") {
			t.Errorf("%s: got %v and %s", tt.name, err, html)
		}
		// The runs form two profiles, which give the same answer later.
		if code := w.run("compare", "profile:1", "profile:2", "--json"); code != tt.code {
			t.Errorf("%s: compare ended with %d, want %d: %s", tt.name, code, tt.code, &w.err)
		}
		var c report.SetupComparison
		if err := json.Unmarshal(w.out.Bytes(), &c); err != nil || !c.InTurns || len(c.Setups[1].Runs) != 8 {
			t.Errorf("%s: got %+v, %v, want 8 pairs", tt.name, c, err)
		}
	}
}

// Without the repository there are no profiles, but an answer.
func TestRunAgainst_NeedsNoRepository(t *testing.T) {
	w := newWorld(t)
	w.racing(1.1)
	if code := w.run("run", "--db", "sqlite", "--no-repo", "--users", "2", "--against", "users=3", "--repeat", "6", "--json"); code != job.OK {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	var c report.SetupComparison
	if err := json.Unmarshal(w.out.Bytes(), &c); err != nil || c.Setups[0].Name != "as given" || c.Setups[1].Name != "users=3" || c.Verdict != "better" {
		t.Errorf("got %+v, %v", c, err)
	}
}

// A run that fails ends the series. The pair that it leaves incomplete is not compared.
func TestRunAgainst_ComparesThePairsBeforeAFailure(t *testing.T) {
	w := newWorld(t)
	n := 0
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		if n++; n == 14 {
			return job.Result{Status: job.Failed}, job.WithExit(job.ExitConnect, errors.New("connection refused"))
		}
		r := measured()
		r.Metrics = []job.Metric{{Name: "NOPM", Value: float64(1000*spec.Users + n)}, {Name: "TPM", Value: 5000}}
		return r, nil
	})
	if code := w.run("run", "--db", "sqlite", "--users", "2", "--against", "users=3"); code != job.ExitConnect || n != 14 || !strings.Contains(w.out.String(), ", 6 pairs): better") {
		t.Errorf("got exit code %d after %d runs: %s%s", code, n, &w.out, &w.err)
	}
}

func TestRunAlone_ComparesEachGroupWithItselfAlone(t *testing.T) {
	w := withJobs(t)
	reports := filepath.Join(t.TempDir(), "reports")
	for name, text := range map[string]string{"workload.toml": "[transactions.best]\n", "best.sql": "SELECT i_id FROM item"} {
		if err := os.MkdirAll(reports, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(reports, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	did := map[string]int{}
	w.does(func(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
		r := measured()
		switch did[spec.Workloads()]++; spec.Workloads() {
		case "tprocc":
			r.Metrics = []job.Metric{{Name: "NOPM", Value: 1000}}
		case "reports":
			r.Metrics = []job.Metric{{Name: "TPM", Value: 70}, {Name: "client TPM", Value: 50}}
		default:
			r.Metrics = []job.Metric{{Name: "tprocc.NOPM", Value: 800}, {Name: "reports.client TPM", Value: 40}}
		}
		return r, nil
	})
	args := []string{"run", "--db", "sqlite", "--users", "2", "--rampup", "0", "--fail-if", "tprocc.p99<60s", "--alone", "--beside"}
	if code := w.run(append(args, "reports="+reports+",users=3")...); code != job.OK {
		t.Errorf("got exit code %d: %s%s", code, &w.out, &w.err)
	}
	if did["tprocc"] != 8 || did["reports"] != 8 || did["tprocc + reports"] != 8 {
		t.Errorf("got the runs %v, want 8 of each set-up", did)
	}
	for _, want := range []string{
		"tprocc beside the others (B), against alone (A): tprocc.NOPM of B against A: -20.0 % (95 % interval -20.0 % to -20.0 %, 8 pairs)",
		"reports beside the others (B), against alone (A): reports.client TPM of B against A: -20.0 %",
	} {
		if !strings.Contains(strings.Join(strings.Fields(w.err.String()), " "), want) {
			t.Errorf("got %s, want %q in it", &w.err, want)
		}
	}
	if code := w.run(append(args, "queries=tproch")...); code != job.ExitUsage || !strings.Contains(w.err.String(), "ends when its work is done") {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
}

func TestRunAgainst_RefusesWhatCannotBeCompared(t *testing.T) {
	w := newWorld(t)
	for args, want := range map[string]string{
		"--alone":                                    "--alone compares groups of users",
		"--alone --against users=2":                  "--alone and --against compare different things",
		"--against users":                            "--against: write --against name=value",
		"--against labels=a=b":                       "labels make no difference",
		"--against warehuoses=2":                     "--against: option warehuoses is not known: did you mean warehouses?",
		"--against users=1,2":                        "--against compares one number of virtual users",
		"--against users=x":                          `users: "x" is not a whole number (it is from --against)`,
		"--against users=2 --profile 3":              "--profile has no effect with --against",
		"--against users=2 --until-confident 2":      "--until-confident repeats one set-up",
		"--within 2h":                                "--within limits repetitions: add --repeat",
		"--within -2h --repeat 3":                    "--within: -2h0m0s is not a time",
		"--against users=2 --details":                "--details has no effect with several runs",
		"--against driver=test --against warehouses": "--against: write --against name=value",
	} {
		if code := w.run(append([]string{"run", "--db", "sqlite"}, strings.Fields(args)...)...); code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
			t.Errorf("run %s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
	if code := w.run("run", "--db", "sqlite", "--against", "connection=nowhere"); code != job.ExitMissing || !strings.Contains(w.err.String(), "(it is from --against)") {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	if len(w.asked) > 0 {
		t.Errorf("%d runs began", len(w.asked))
	}
	if code := w.run("run", "--db", "sqlite", "--dry-run", "--against", "users=7"); code != job.OK || !strings.Contains(w.out.String(), "users     1       default") || !strings.Contains(w.out.String(), "\nSet-up B\n") || !strings.Contains(w.out.String(), "users     7       --against") {
		t.Errorf("got exit code %d: %s, want the settings of both set-ups", code, &w.out)
	}
}

func TestWithin_EndsASeriesBeforeARunThatWouldBeLate(t *testing.T) {
	w := newWorld(t)
	w.racing(1)
	if code := w.run("run", "--db", "sqlite", "--repeat", "5", "--within", "1ns"); code != job.OK || len(w.asked) != 1 || !strings.Contains(w.err.String(), "! Ended after 1 of 5 runs") {
		t.Errorf("got exit code %d after %d runs: %s", code, len(w.asked), &w.err)
	}
	w.asked = nil
	if code := w.run("run", "--db", "sqlite", "--against", "users=3", "--within", "1ns"); code != job.ExitUsage || len(w.asked) != 2 || !strings.Contains(w.err.String(), "! Ended after 1 of 8 pairs") || !strings.Contains(w.out.String(), "undecided") {
		t.Errorf("got exit code %d after %d runs: %s%s", code, len(w.asked), &w.out, &w.err)
	}
}
