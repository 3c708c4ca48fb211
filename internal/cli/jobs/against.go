package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// secondSetup returns the flags of the set-up that --against describes.
func secondSetup(s jobflags.Flags, again repetition) (*jobflags.Flags, error) {
	var err error
	s.Overrides, err = settings.ParseOverrides("--against", again.against)
	s.AskPassword, s.AskSuperuser = false, false // the user typed them for the first set-up
	return &s, err
}

// showSecond shows the settings of the set-up that --against describes.
func showSecond(ctx context.Context, p *program.Program, s jobflags.Flags, again repetition) error {
	second, err := secondSetup(s, again)
	if err != nil {
		return err
	}
	if !s.JSON {
		fmt.Fprint(p.Stdout, "\nSet-up B\n\n")
	}
	return second.With(ctx, p, job.Run, nil)
}

// runAgainst performs pairs of runs of two set-ups, a and the one of --against, which take turns.
// Then it compares them. The runs of each set-up form a performance profile.
func runAgainst(ctx context.Context, p *program.Program, a settings.Order, again repetition, s *jobflags.Flags) error {
	var setups [2]settings.Order
	names := [2]string{"as given", strings.Join(again.against, ", ")}
	second, err := secondSetup(*s, again)
	if err != nil {
		return err
	}
	var runners [2]job.Runner // the program's own without --against-program
	if again.program != "" {
		version, err := versionOf(ctx, again.program)
		if err != nil {
			return err
		}
		runners = [2]job.Runner{p.Workers, p.WorkersOf(again.program)}
		names[1] = strings.Join(append([]string{"sledge " + version}, again.against...), ", ")
		tell(p, fmt.Sprintf("A is sledge %s, B is sledge %s, each in its own process", p.Version, version))
	}
	s.Brief = !s.Verbose && s.Interval == 0
	err = second.With(ctx, p, job.Run, func(b settings.Order) error {
		if err := s.RefuseIneffectiveIn([]settings.Order{a, b}, 0); err != nil {
			return err
		}
		for i, order := range []settings.Order{a, b} {
			if len(order.Counts) > 1 {
				return program.Usage("--against compares one number of virtual users, and --users has %d: leave one out", len(order.Counts))
			}
			sweep, err := sweepOf(ctx, p, s, 0, []settings.Order{order})
			if err != nil {
				return err
			}
			if setups[i] = sweep.Orders[0]; sweep.Profile > 0 {
				names[i] = fmt.Sprintf("profile:%d", sweep.Profile)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return takeTurns(ctx, p, s, turns{names, setups, again.times(), again.within, func(setup int, order settings.Order) (job.Job, error) {
		s.Runner = runners[setup]
		return performOne(ctx, p, order, s)
	}})
}

// versionOf returns the version of the Sledge in a file. It runs the file, and refuses one that is not Sledge.
func versionOf(ctx context.Context, path string) (string, error) {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "version", "--json").Output()
	var d struct {
		Schema  string `json:"schema"`
		Version string `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err == nil && !strings.HasPrefix(d.Schema, "sledge-version-") {
		err = errors.New("its version is not that of Sledge")
	}
	if err != nil {
		return "", program.Usage("--against-program: %s is not a program of Sledge: %w", path, err)
	}
	return d.Version, nil
}

// turns are pairs of runs of two set-ups, which take turns.
type turns struct {
	names  [2]string
	orders [2]settings.Order
	pairs  int
	within time.Duration // no pair begins that would end later; 0 for no limit
	run    func(setup int, order settings.Order) (job.Job, error)
}

// takeTurns performs pairs of runs, and prints the comparison. Its errors have the exit codes of sledge
// compare.
func takeTurns(ctx context.Context, p *program.Program, s *jobflags.Flags, t turns) error {
	which := experiment.Turns(t.pairs, t.orders[0].Spec.Seed)
	var sweep experiment.Sweep
	for _, setup := range which {
		sweep.Orders = append(sweep.Orders, t.orders[setup])
	}
	clock := experiment.NewClock(t.within)
	var runs [2][]report.Measured
	compare := func() (report.SetupComparison, error) {
		whole := min(len(runs[0]), len(runs[1]))
		return results.CompareSetups(p, t.names, [2][]report.Measured{runs[0][:whole], runs[1][:whole]}, report.Test{})
	}
	done := sweep.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		pair := i/2 + 1
		s.Title = fmt.Sprintf("pair %d of %d, %s", pair, t.pairs, report.Letter(which[i]))
		j, err := t.run(which[i], order)
		if !j.Status.Valid() { // it ends the series, and its pair is not compared
			return j, err
		}
		runs[which[i]] = append(runs[which[i]], report.Measured{Job: j, Summary: j.Result.Summary})
		if i%2 == 0 {
			sayRun(p, s.Title, j, "")
			return j, err
		}
		clock.Step()
		sayRun(p, s.Title, j, timeLeft(clock, t.pairs-pair))
		if pair >= leastTold && pair < t.pairs {
			if c, err := compare(); err == nil {
				tell(p, "So far: "+c.Outcome())
			}
		}
		if err == nil && clock.Over() {
			err = experiment.ErrEnough
		}
		return j, err
	})
	if min(len(runs[0]), len(runs[1])) == 0 {
		return done.Err()
	}
	if whole := len(done.Jobs) / 2; done.Failure == nil && whole < t.pairs {
		warn(p, fmt.Sprintf("Ended after %d of %d pairs: another would probably end after the time of --within.", whole, t.pairs))
	}
	c, err := compare()
	if err != nil {
		return errors.Join(err, done.Err())
	}
	return errors.Join(done.Err(), results.ShowSetups(p, c, s.JSON), c.Err())
}

// leastTold is the number of pairs from which on the comparison so far is printed: fewer decide
// nothing.
const leastTold = 6
