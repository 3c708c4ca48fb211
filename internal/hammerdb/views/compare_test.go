package views

import (
	"testing"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
)

func TestProfilesAreComparedWhereBothHaveAPoint(t *testing.T) {
	base := []job.Job{reporttest.Figures("A", 0, 1, 100), reporttest.Figures("B", 1, 4, 200), reporttest.Figures("C", 2, 16, 900)}
	better := []job.Job{reporttest.Figures("D", 3, 4, 230), reporttest.Figures("E", 4, 1, 100), reporttest.Figures("F", 5, 32, 7)}
	for _, test := range []struct {
		name       string
		compared   []job.Job
		weighted   bool
		processors int
		ratio      string
		line       string
	}{
		// The means are 150 and 165.
		{"unweighted", better, false, 0, "+0.10", "Profiles compared (unweighted): matched=2, avg_base=150.00, avg_comp=165.00"},
		// 3 processors count as 2 cores: the weights are 1 and 2, the means 500/3 and 560/3.
		{"weighted", better, true, 3, "+0.12", "Profiles compared (weighted linear, no cap): matched=2, phys_cores=2, avg_base=166.67, avg_comp=186.67"},
		{"weighted without processors", better, true, 0, "+0.10", "The number of processors of the base is not known: profiles compared without weights"},
		{"the same", base[:1], false, 0, "0.00", "Profiles compared (unweighted): matched=1, avg_base=100.00, avg_comp=100.00"},
		{"a little worse", []job.Job{reporttest.Figures("G", 6, 1, 99.9)}, false, 0, "-0.0010", "Profiles compared (unweighted): matched=1, avg_base=100.00, avg_comp=99.90"},
		{"worse", []job.Job{reporttest.Figures("H", 7, 1, 88)}, false, 0, "-0.12", "Profiles compared (unweighted): matched=1, avg_base=100.00, avg_comp=88.00"},
	} {
		c, ok := Compare(base, test.compared, test.weighted, test.processors)
		if !ok || c.String() != test.ratio || c.Lines[len(c.Lines)-1] != test.line {
			t.Errorf("%s: got %s, %q and %v, want %s and %q", test.name, c, c.Lines, ok, test.ratio, test.line)
		}
	}
	if c, ok := Compare(base[:1], better[:1], false, 0); ok {
		t.Errorf("no common point: got %v", c)
	}
}
