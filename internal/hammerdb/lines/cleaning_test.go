package lines_test

import (
	"slices"
	"testing"

	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
)

// Jobs of earlier versions report the vacuum first, and do not report a checkpoint.
func TestLines_MergeCheckpointAndVacuum(t *testing.T) {
	const begins, without, complete = "Checkpoint and Vacuum", "No checkpoint, because it needs a superuser", "Checkpoint and Vacuum Complete"
	step := func(name job.StepName, stage job.Stage) job.Step { return job.Step{Name: name, Stage: stage} }
	for _, tt := range []struct {
		name  string
		steps []job.Step
		want  []string
	}{
		{
			"both",
			[]job.Step{
				step(job.StepCheckpoint, job.Begins), step(job.StepCheckpoint, job.Ends),
				step(job.StepVacuum, job.Begins), step(job.StepVacuum, job.Ends),
			},
			[]string{begins, complete},
		},
		{
			"no checkpoint",
			[]job.Step{step(job.StepCheckpoint, job.LeftOut), step(job.StepVacuum, job.Begins), step(job.StepVacuum, job.Ends)},
			[]string{begins, without, complete},
		},
		{
			"no checkpoint, of an earlier job",
			[]job.Step{step(job.StepVacuum, job.Begins), step(job.StepCheckpoint, job.LeftOut), step(job.StepVacuum, job.Ends)},
			[]string{begins, without, complete},
		},
		{"an earlier job", []job.Step{step(job.StepVacuum, job.Begins), step(job.StepVacuum, job.Ends)}, []string{begins, complete}},
	} {
		s := lines.NewSpeaker(lines.About{Action: job.Run, Product: "PostgreSQL"})
		var got []string
		for _, step := range tt.steps {
			for _, line := range s.Say(job.Event{User: 1, Step: &step}) {
				got = append(got, line.Text)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
