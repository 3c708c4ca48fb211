package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// runAlone performs rounds of runs: one with all groups of an order, and one with each group alone, in a
// random order. Then it compares each group with itself alone.
func runAlone(ctx context.Context, p *program.Program, together settings.Order, again repetition, s *jobflags.Flags) error {
	setups, err := p.Resolver.Alone(together)
	if err != nil {
		return job.WithExit(job.ExitUsage, err)
	}
	groups := together.Spec.Groups()
	last := len(groups) // the set-up with all groups
	setups = append(setups, together)
	s.Brief = !s.Verbose && s.Interval == 0
	if err := s.RefuseIneffectiveIn(setups, 0); err != nil {
		return err
	}
	names := []string{}
	for i := range setups {
		name := "all groups"
		if i < last {
			name = groups[i].Name + " alone"
		}
		sweep, err := sweepOf(ctx, p, s, 0, setups[i:i+1])
		if err != nil {
			return err
		}
		if setups[i] = sweep.Orders[0]; sweep.Profile > 0 {
			name = fmt.Sprintf("profile:%d (%s)", sweep.Profile, name)
		}
		names = append(names, name)
	}
	rounds := again.times()
	which := experiment.Rounds(len(setups), rounds, together.Spec.Seed)
	var sweep experiment.Sweep
	for _, setup := range which {
		sweep.Orders = append(sweep.Orders, setups[setup])
	}
	runs := make([][]report.Measured, len(setups))
	clock := experiment.NewClock(again.within)
	done := sweep.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		s.Title = fmt.Sprintf("round %d of %d, %s", i/len(setups)+1, rounds, names[which[i]])
		j, err := performOne(ctx, p, order, s)
		if !j.Status.Valid() {
			return j, err
		}
		runs[which[i]] = append(runs[which[i]], report.Measured{Job: j, Summary: j.Result.Summary})
		left := ""
		if (i+1)%len(setups) == 0 {
			clock.Step()
			left = timeLeft(clock, rounds-i/len(setups)-1)
			if err == nil && clock.Over() {
				err = experiment.ErrEnough
			}
		}
		sayRun(p, s.Title, j, left)
		return j, err
	})
	whole := len(done.Jobs) / len(setups)
	for _, list := range runs {
		whole = min(whole, len(list))
	}
	if whole == 0 {
		return done.Err()
	}
	all := []error{done.Err()}
	var outcomes []string
	for i, g := range groups {
		c, err := results.CompareSetups(p, [2]string{names[i], names[last]}, [2][]report.Measured{runs[i][:whole], runs[last][:whole]}, report.Test{Figures: firstOf(g, runs[last][0].Job)})
		if err == nil {
			outcomes = append(outcomes, fmt.Sprintf("%s beside the others (B), against alone (A): %s", g.Name, c.Outcome()))
			err = results.ShowSetups(p, c, s.JSON)
		}
		all = append(all, err)
	}
	for _, text := range outcomes {
		tell(p, text)
	}
	return errors.Join(all...)
}

// firstOf returns the name of the first figure of a group.
func firstOf(g job.Group, j job.Job) []string {
	for _, m := range j.Result.Metrics {
		if strings.HasPrefix(m.Name, g.Name+".") {
			return []string{m.Name}
		}
	}
	return nil
}
