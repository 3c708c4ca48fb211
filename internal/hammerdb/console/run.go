package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sledge/internal/control"
	"sledge/internal/engine/plan"
	"sledge/internal/experiment"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// vurun runs the workload once for each iteration of vuset iterations. Each iteration is a job;
// vurun returns the ID of the last one.
func vurun(c *Console, ctx context.Context, _ Call) (string, error) { return c.runAll(ctx, nil) }

// runAll is vurun with options that override settings and script.
func (c *Console) runAll(ctx context.Context, more option.Values) (string, error) {
	if err := c.requireScript(); err != nil {
		return "", err
	}
	order, remarks, err := c.runOrder(c.workers(), more)
	if err != nil {
		return "", err
	}
	if !c.users.exist() {
		if err := c.createUsers(); err != nil {
			return "", err
		}
	}
	for _, remark := range remarks {
		c.out.print(remark)
	}
	order.Profile = c.book.GenericInt(commandLine, "jobs_profile_id")
	repeat := time.Duration(c.book.GenericInt(virtualUserSection, "repeat_delay")) * time.Millisecond
	var result string
	iterations := c.book.GenericInt(virtualUserSection, "iterations")
	err = experiment.Repeat(ctx, iterations, repeat, func(number int) (err error) {
		if result, err = c.runOnce(ctx, withIterationsLeft(order, iterations-1-number, repeat)); err == nil && c.wasInterrupted() {
			err = experiment.ErrEnough
		}
		return err
	})
	if errors.Is(err, context.Canceled) { // the user pressed Ctrl-C
		err = nil
	}
	return result, err
}

// withIterationsLeft returns the order of a run that more iterations follow. As in HammerDB, a
// virtual user that loses its connection continues with its next iteration after the repeat delay,
// while the others are still in the current one. It does not change the order if settings or a
// script set reconnect, or if the users of the workload must complete their work. The order stays
// bound.
func withIterationsLeft(order settings.Order, left int, repeat time.Duration) settings.Order {
	pacing := &order.Plan.Pacing
	if _, said := order.Spec.Options["reconnect"]; said || left == 0 || order.Plan.Database.Embedded() || pacing.Failures.EndAtFirst || pacing.Finite {
		return order
	}
	pacing.Reconnect.Wanted, pacing.Reconnect.Most, pacing.Reconnect.Delay = true, left, repeat
	for _, spec := range []*job.Spec{&order.Spec, &order.Plan.Spec} {
		spec.Options = spec.Options.Clone()
		maps.Copy(spec.Options, option.Values{"reconnect": "true", "reconnects": strconv.Itoa(left), "reconnect_delay": repeat.String()})
	}
	return order
}

// workers returns the number of virtual users that work in a run: the created ones without the
// monitor, or the number to create.
func (c *Console) workers() int {
	all := c.users.count()
	switch {
	case all == 0:
		return c.book.GenericInt(virtualUserSection, "virtual_users")
	case c.script.monitored:
		return all - 1
	}
	return all
}

// runOrder binds a run with a number of virtual users, before anything is changed, and returns the
// lines to print about it. The options in more override settings and script. An error names the
// driver script if only the script set the option.
func (c *Console) runOrder(users int, more option.Values) (order settings.Order, remarks []string, err error) {
	spec := c.runSpec()
	maps.Copy(spec.Options, more)
	spec.Users = users
	if remark := c.spaceUsers(&spec); remark != "" {
		remarks = append(remarks, remark)
	}
	order, err = c.order(spec)
	for _, warning := range order.Warnings {
		remarks = append(remarks, "Warning: "+warning)
	}
	if err == nil || len(c.script.values) == 0 {
		return order, remarks, err
	}
	without := c.spec(job.Run)
	maps.Copy(without.Options, more)
	if _, other := c.order(without); other != nil {
		return order, remarks, err
	}
	return order, remarks, fail("%v (the loaded driver script sets this: clearscript drops it)", err)
}

// runOnce does one run with the existing virtual users.
func (c *Console) runOnce(ctx context.Context, order settings.Order) (string, error) {
	c.users.create(c.users.count()) // users of an earlier run start again
	return c.do(ctx, order)
}

// runSpec returns a run with the current settings and script.
func (c *Console) runSpec() job.Spec {
	spec := c.spec(job.Run)
	if b := c.book.Benchmark(); b.Queries {
		spec.Options[b.Size] = c.book.Value(b.Size) // to compare the size with the schema
	}
	maps.Copy(spec.Options, c.script.values)
	return spec
}

// spaceUsers sets the delay between the starts of users, unless settings or script set it. With
// HammerDB's half second, the last of many users would start long after the ramp-up, and the
// measured time would have fewer users than the result says. In that case spaceUsers shortens the
// delay and returns a line about it.
func (c *Console) spaceUsers(spec *job.Spec) (remark string) {
	b := c.book.Benchmark()
	millis := c.book.GenericInt(virtualUserSection, "user_delay")
	if _, set := spec.Options[b.UserDelay]; set || b.UserDelay == "" || spec.Users < 2 || millis == 0 {
		return ""
	}
	delay := time.Duration(millis) * time.Millisecond
	if c.workload().Users.Finite { // the delay is part of the measured time
		spec.Options[b.UserDelay] = delay.String()
		return ""
	}
	value := func(option string) string {
		if text, set := spec.Options[option]; set {
			return text
		}
		return c.book.Value(option)
	}
	var rampUp option.Minutes
	if err := rampUp.UnmarshalText([]byte(value(b.RampUp))); err != nil {
		return "" // binding refuses it
	}
	most := (time.Duration(rampUp) / 2 / time.Duration(spec.Users-1)).Truncate(time.Millisecond)
	if delay > most && value(b.Driver) != "test" {
		remark = fmt.Sprintf("User Delay(ms) of %d would start the last of %d Virtual Users after %s: they start %d ms apart, within half of the rampup time",
			millis, spec.Users, time.Duration(spec.Users-1)*delay, most.Milliseconds())
		delay = most
	}
	spec.Options[b.UserDelay] = delay.String()
	return remark
}

// spec returns a job of the current database and benchmark, with the current settings.
func (c *Console) spec(action job.Action) job.Spec {
	w := c.workload()
	return job.Spec{
		Action: action, Database: c.book.Database().Name, Workload: w.Name,
		Options: c.book.Values(), Names: c.book.Names(), Seed: 1,
	}
}

// order binds a spec, before anything is changed.
func (c *Console) order(spec job.Spec) (settings.Order, error) {
	order, err := c.Resolver.Order(spec)
	if err != nil {
		return order, fail("Error: %v", err)
	}
	return order, nil
}

// do runs a job and shows it. It returns HammerDB's result even if the job failed, because perform
// has printed and recorded the failure.
func (c *Console) do(ctx context.Context, order settings.Order) (string, error) {
	outcome, err := c.perform(ctx, order)
	if err != nil {
		return "", err
	}
	title := views.Titles[order.Spec.Action]
	if id := outcome.Job.ID; id != "" {
		return fmt.Sprintf("%s jobid=%s", title, id), nil
	}
	return title + " (No jobid)", nil
}

// perform runs a job and shows it until it has ended. An error means that the job could not begin.
func (c *Console) perform(ctx context.Context, order settings.Order) (control.Outcome, error) {
	order = c.metrics.watched(order)
	store, err := c.storeFor(order.Plan)
	if err != nil {
		return control.Outcome{}, err
	}
	screen := &screen{
		console: c, speaker: speakerOf(order.Plan, order.Spec.Action),
		showOutput: c.book.GenericFlag(virtualUserSection, "show_output") || c.script.monitored,
		spans:      order.Plan.Pacing.Finite,
	}
	keeping := &bookkeeper{console: c, plan: order.Plan}
	with := control.With{Store: store, Attending: []job.Watcher{keeping}, Remark: keeping.remark, Closing: keeping.closing}
	if order.Plan.Pacing.Test {
		with.Attending = append(with.Attending, screen) // the output of a test run must be complete
	}
	c.out.printf("Server: %s %s", order.Plan.Database.Title, order.Plan.Database.Options.Target(order.Plan.Connection))
	var counted, sampled, restore func()
	with.Begun = func(r *control.Handle) {
		counted, sampled, restore = c.counter.record(r, order.Plan.Database.Name), c.metrics.record(r, order), c.onInterrupt(r.Interrupt)
	}
	running, err := control.Start(ctx, c.Runner, order, with)
	if err != nil {
		return control.Outcome{}, err
	}
	if !order.Plan.Pacing.Test {
		screen.follow(running)
	}
	outcome := running.Wait()
	restore()
	counted()
	sampled()
	if outcome.Lost != nil {
		c.out.printf("Error: the result of job %s was not saved: %v", running.ID(), outcome.Lost)
	}
	if err := outcome.Err(); err != nil {
		c.remember(fmt.Errorf("%s: %w", views.Titles[order.Spec.Action], err))
	}
	return outcome, nil
}

// storeFor returns the repository for a job, or nil if jobs are not kept. Runs of the test driver
// are never kept, because they have no result.
func (c *Console) storeFor(plan plan.Plan) (*repository.Store, error) {
	if plan.Pacing.Test {
		return nil, nil
	}
	return c.jobsStore()
}

// requested are the messages for requests to stop or abort a job.
var requested = map[job.Request]string{
	job.StopRequest:  "Stopping: Virtual Users finish their transactions; press Ctrl-C again to abort",
	job.AbortRequest: "Aborting",
}

// bookkeeper records the state of a job for the other commands, and adds HammerDB's lines to the
// job. The job calls it directly, so it must not block.
type bookkeeper struct {
	console   *Console
	plan      plan.Plan
	saidError bool // whether the error was printed
}

// Watch implements job.Watcher.
func (b *bookkeeper) Watch(e job.Event) {
	b.console.counter.watch(e)
	if e.State != "" {
		b.console.users.follow(e.User, e.State)
	}
	b.saidError = b.saidError || e.Trouble != nil
}

// remark prints remarks after the headline.
func (b *bookkeeper) remark(e job.Event) (said []job.Event, err error) {
	say := func(line string) { said = append(said, job.Event{User: e.User, Message: line}) }
	switch {
	case e.Facts != nil:
		if line := b.otherSize(*e.Facts); line != "" {
			say(line)
		}
	case e.Headline != nil:
		err = b.console.measured(b.plan, *e.Headline, say)
	}
	return said, err
}

// otherSize returns a line if the amount of data in the schema differs from the settings. It
// returns "" if they agree or if one of them has no amount.
func (b *bookkeeper) otherSize(facts job.Facts) string {
	size := b.plan.Workload.Schema.Size
	there, _, _ := strings.Cut(strings.TrimPrefix(facts.Size, size.Unit+" "), ",")
	asked := b.plan.Spec.Options[size.Option]
	if asked == "" || there == "" || asked == there {
		return ""
	}
	return lines.OtherSize(b.plan.Workload.Name, asked, there)
}

// closing prints errors that were not printed yet, and the final state of the virtual users.
func (b *bookkeeper) closing(failure error) (said []job.Event) {
	is := job.UserSucceeded
	if failure != nil {
		is = job.UserFailed
		if !b.saidError {
			said = append(said, job.Event{User: job.Monitor, Trouble: &job.Trouble{Error: failure.Error()}})
		}
	}
	for _, position := range b.console.users.unfinished() {
		said = append(said, job.Event{User: position, State: is})
	}
	return append(said, job.Event{Message: lines.AllComplete})
}

// measured adds the outcomes of transactions to the headline of a run, and writes the log of
// response times if timeprofile asks for it.
func (c *Console) measured(plan plan.Plan, result job.Result, say func(line string)) error {
	said := report.Counts
	if plan.Pacing.Finite {
		said = report.Warnings // each virtual user has reported its measurements
	}
	for _, line := range said(result) {
		say(line)
	}
	if result.PerUser == nil {
		return nil
	}
	say("Gathering timing data from Active Virtual Users...")
	say("Calculating timings...")
	return c.writeTimeProfile(plan, result, say)
}

func (c *Console) writeTimeProfile(plan plan.Plan, result job.Result, say func(line string)) error {
	path := c.logPath("hdbxtprofile", "timeprofile", "xt_unique_log_name")
	file, err := openOurs(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the time profile: %w", err)
	}
	say("Writing timing data to " + path)
	return errors.Join(views.TimeProfile(file, plan.Database.Title, result, c.book.Benchmark().Labels, time.Now()), file.Close())
}

// logPath returns the path of a log file in the temporary folder. The name is unique if the setting
// named by unique is on.
func (c *Console) logPath(name, section, unique string) string {
	if c.book.GenericFlag(section, unique) {
		name += "_" + string(job.NewID())
	}
	return filepath.Join(TempDir(c.Environ), name+".log")
}
