package repository

import (
	"fmt"
	"path/filepath"
	"testing"

	"sledge/internal/job"
)

// Lists of jobs contain the labels, so the number of labels is limited. A job with more labels may
// only lose some.
func TestAnnotate_LimitsLabels(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "jobs.db"))
	r := begin(t, s, runSpec())
	add := func(from, to int) error {
		a := Annotation{Set: map[string]string{}}
		for n := from; n < to; n++ {
			a.Set[fmt.Sprint("label", n)] = "x"
		}
		_, err := s.Annotate(t.Context(), r.ID(), a)
		return err
	}
	had := len(runSpec().Labels)
	if err := add(0, mostLabels-had); err != nil {
		t.Fatal(err)
	}
	if err := add(mostLabels, mostLabels+1); job.ExitOf(err) != job.ExitUsage {
		t.Errorf("one label above the limit: got %v", err)
	}
	j, err := s.Annotate(t.Context(), r.ID(), Annotation{Set: map[string]string{"other": "x"}, Remove: []string{"label0"}})
	if err != nil || len(j.Spec.Labels) != mostLabels || j.Spec.Labels["other"] != "x" {
		t.Errorf("replacing one label at the limit: got %d labels, %v", len(j.Spec.Labels), err)
	}
}
