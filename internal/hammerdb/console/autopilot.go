package console

import (
	"context"
	"strconv"
	"strings"
	"time"

	"sledge/internal/experiment"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// autopilotCommands start HammerDB's autopilot, which only HammerDB's windows have.
func autopilotCommands() []command {
	return []command{{
		name: "autopilot", usage: "autopilot [VU VU ...]",
		help:  "Runs the workload once for each number of virtual users, as one performance profile; shows the profile and returns its id. The numbers are the arguments, or else autopilot_sequence in the generic dictionary. Rampup and duration set the length of each run.",
		takes: varies, run: autopilot,
	}}
}

func autopilot(c *Console, ctx context.Context, call Call) (string, error) {
	words := call.Args
	if len(words) == 0 {
		words = strings.Fields(c.book.Generic("autopilot", "autopilot_sequence"))
	}
	const most = 60 // as in HammerDB
	if len(words) > most {
		return "", fail("Error: the autopilot sequence has %d numbers of virtual users, and at most %d are allowed", len(words), most)
	}
	var sequence []int
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return "", fail("Error: %q in the autopilot sequence is not a number of virtual users\n%v", word, usageError(call.Name))
		}
		sequence = append(sequence, n)
	}
	if c.users.exist() {
		return "", fail("Error: Virtual Users exist, destroy with vudestroy before creating")
	}
	if err := c.requireScript(); err != nil {
		return "", err
	}
	store, err := c.jobsStore()
	if err != nil {
		return "", err
	}
	if store == nil {
		return "", fail("Error: the autopilot keeps its runs as jobs: enable jobs with jobs disable 0")
	}
	orders := make([]settings.Order, len(sequence))
	remarks := make([][]string, len(sequence))
	for i, users := range sequence { // check all before the first one runs
		if orders[i], remarks[i], err = c.runOrder(users, nil); err != nil {
			return "", err
		}
	}
	sweep, err := experiment.NewSweep(ctx, store, c.book.GenericInt(commandLine, "jobs_profile_id"), orders)
	if err != nil {
		return "", err
	}
	c.out.printf("Autopilot Sequence %s started at %s", strings.Join(words, " "), time.Now().Format(time.DateTime))
	done := sweep.Run(ctx, func(i int, order settings.Order) (job.Job, error) { return c.autopilotRun(ctx, order, remarks[i]) })
	if done.Failure != nil {
		return "", done.Failure
	}
	c.out.printf("Autopilot Sequence ended at %s", time.Now().Format(time.DateTime))
	jobs, err := store.List(ctx, repository.Query{Profile: sweep.Profile})
	if err != nil {
		return "", err
	}
	c.out.print(strings.TrimRight(report.ProfileText(views.OldestFirst(jobs), c.width()), "\n"))
	return strconv.Itoa(sweep.Profile), nil
}

// autopilotRun does one run of the sequence.
func (c *Console) autopilotRun(ctx context.Context, order settings.Order, remarks []string) (job.Job, error) {
	users := order.Spec.Users
	all, monitor := users, ""
	if c.script.monitored {
		all, monitor = users+1, " with Monitor VU"
	}
	c.users.create(all)
	c.openUserLog()
	defer func() { c.users.create(0); c.endUserLog() }()
	c.out.printf("%d Active Virtual User Test started at %s%s", users, time.Now().Format(time.DateTime), monitor)
	before := c.failures()
	for _, remark := range remarks {
		c.out.print(remark)
	}
	outcome, err := c.perform(ctx, order)
	if err != nil {
		return job.Job{}, err
	}
	if c.failures() > before && outcome.Job.Status != job.Missed {
		return outcome.Job, fail("Error: the autopilot ends here, because the run of %d virtual users failed", users)
	}
	c.out.printf("%d Active Virtual User Test completed at %s", users, time.Now().Format(time.DateTime))
	return outcome.Job, nil
}
