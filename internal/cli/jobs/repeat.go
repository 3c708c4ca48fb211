package jobs

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/display"
	"sledge/internal/cli/program"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/statistics"
)

// repetition holds the flags that say how often to repeat a run.
type repetition struct {
	runs    int           // of each set-up; 0 without --repeat
	percent float64       // the precision of the median at which to end; 0 without --until-confident
	within  time.Duration // no run begins that would end later; 0 without --within
	against []string      // what is different in the second set-up; none without --against
	alone   bool          // compare each group of the run with itself alone
	program string        // file of the program that performs the second set-up; "" without --against-program
}

// compares reports whether there is another set-up.
func (r repetition) compares() bool { return len(r.against) > 0 || r.program != "" || r.alone }

const (
	// mostUntilConfident is the number of runs after which --until-confident gives up without --repeat.
	mostUntilConfident = 30
	// usualPairs is the number of pairs of --against without --repeat.
	usualPairs = 8
)

func (r *repetition) addTo(flags *pflag.FlagSet) {
	flags.IntVar(&r.runs, "repeat", 0, "repeat the run until there are this many `runs`, which form a performance profile")
	flags.Float64Var(&r.percent, "until-confident", 0, "repeat the run until the median of its first figure is known to this `percent`: 8 runs or more, and at most those of --repeat (default 30)")
	flags.StringArrayVar(&r.against, "against", nil, "compare the run with a second set-up that differs in an option, `name=value`; repeat as needed. The two take turns, --repeat times each (default 8)")
	flags.BoolVar(&r.alone, "alone", false, "with --beside: compare each group of users with itself alone. The run with all groups and those with one take turns, --repeat times each (default 8)")
	flags.StringVar(&r.program, "against-program", "", "compare the run with the same one performed by another build of Sledge, the program in this `file`; --against can add options")
	flags.DurationVar(&r.within, "within", 0, "begin no repetition that would probably end after this `time`, such as 90m or 2h")
}

// check returns an error for flags without a meaning.
func (r repetition) check(c *cobra.Command) error {
	switch given := c.Flags().Changed; {
	case given("repeat") && r.runs < 1:
		return program.Usage("--repeat: %d is not a number of runs: give 1 or more", r.runs)
	case given("until-confident") && (!(r.percent > 0) || r.percent >= 100):
		return program.Usage("--until-confident: %g is not a precision in percent: give a number above 0 and below 100, such as 2", r.percent)
	case given("until-confident") && given("repeat") && r.runs < statistics.LeastConfident:
		return program.Usage("--until-confident needs %d runs or more, and --repeat allows %d: raise it, or leave one out", statistics.LeastConfident, r.runs)
	case r.alone && (given("against") || given("against-program")):
		return program.Usage("--alone and --against compare different things: leave one out")
	case r.alone && !given("beside"):
		return program.Usage("--alone compares groups of users with themselves alone, and the run has one group: add --beside")
	case given("until-confident") && r.compares():
		return program.Usage("--until-confident repeats one set-up, and --against and --alone have several: leave one out")
	case given("profile") && r.compares():
		return program.Usage("--profile has no effect with --against and --alone: the runs of each set-up form a new profile. Leave one out")
	case given("within") && r.within <= 0:
		return program.Usage("--within: %s is not a time: give one such as 90m or 2h", r.within)
	case given("within") && !given("repeat") && !given("until-confident") && !r.compares():
		return program.Usage("--within limits repetitions: add --repeat, --until-confident, --against or --alone")
	}
	return nil
}

// times returns how often to perform the runs at most.
func (r repetition) times() int {
	switch {
	case r.runs > 0:
		return r.runs
	case r.percent > 0:
		return mostUntilConfident
	case r.compares():
		return usualPairs
	}
	return 1
}

// enough reports whether the runs so far suffice.
func (r repetition) enough(runs []job.Job) (bool, error) {
	if r.percent == 0 {
		return false, nil
	}
	_, figures := report.FirstFigures(runs)
	return statistics.Confident(figures, r.percent/100)
}

// timeLeft formats the estimated time of further runs or pairs, or returns "" if it is short.
func timeLeft(c *experiment.Clock, steps int) string {
	const short = 5 * time.Second
	if left := c.Left(steps); left > short {
		return fmt.Sprintf("   about %s left", display.Clock(left))
	}
	return ""
}
