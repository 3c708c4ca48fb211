package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"sledge/internal/engine"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// vurun runs the workload, as many times as vuset iterations asks for. Each time
// is a job of its own; the last one's id is returned.
func vurun(c *Console, ctx context.Context, _ Call) (string, error) {
	if err := c.requireScript(); err != nil {
		return "", err
	}
	if err := c.checkRun(); err != nil {
		return "", err
	}
	if !c.users.exist() {
		if err := c.createUsers(); err != nil {
			return "", err
		}
	}
	repeat := time.Duration(c.book.GenericInt(virtualUserSection, "repeat_delay")) * time.Millisecond
	var result string
	for i := range c.book.GenericInt(virtualUserSection, "iterations") {
		if i > 0 && !c.wasInterrupted() {
			pause(ctx, repeat)
		}
		if ctx.Err() != nil || c.wasInterrupted() {
			return result, nil
		}
		var err error
		if result, err = c.runOnce(ctx, c.book.GenericInt(commandLine, "jobs_profile_id")); err != nil {
			return result, err
		}
	}
	return result, nil
}

// checkRun refuses a run that cannot be, before anything is done. What only the driver
// script asks for no setting can mend.
func (c *Console) checkRun() error {
	_, err := c.plan(c.runSpec())
	if err == nil || len(c.script.values) == 0 {
		return err
	}
	if _, other := c.plan(c.spec(job.Run)); other != nil {
		return err
	}
	return fail("%v (the driver script that is loaded says so: clearscript drops it)", err)
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// runOnce does one run with the virtual users there are, as part of a performance
// profile unless that is 0.
func (c *Console) runOnce(ctx context.Context, profile int) (string, error) {
	all := c.users.count()
	spec := c.runSpec()
	spec.Users, spec.Profile = all, profile
	if c.script.monitored {
		spec.Users--
	}
	plan, err := c.plan(spec)
	if err != nil {
		return "", err
	}
	c.spaceUsers(&spec, plan)
	c.users.create(all) // those of an earlier run begin anew
	return c.do(ctx, spec, plan)
}

// runSpec is a run by the settings and the script as they stand.
func (c *Console) runSpec() job.Spec {
	spec := c.spec(job.Run)
	maps.Copy(spec.Options, c.script.values)
	return spec
}

// spaceUsers sets how far apart the users start. With HammerDB's half second the
// last of many would start long after the ramp-up, and the measured time would be
// of fewer users than the result says: then they start closer together.
func (c *Console) spaceUsers(spec *job.Spec, plan engine.Plan) {
	name := plan.Database.Names.Full(plan.Workload.HammerDB.UserDelay)
	millis := c.book.GenericInt(virtualUserSection, "user_delay")
	if _, set := spec.Options[name]; set || spec.Users < 2 || millis == 0 {
		return
	}
	delay := time.Duration(millis) * time.Millisecond
	if most := (plan.Pacing.RampUp / 2 / time.Duration(spec.Users-1)).Truncate(time.Millisecond); delay > most && !plan.Pacing.Test {
		c.out.printf("User Delay(ms) of %d would start the last of %d Virtual Users after %s: they start %d ms apart, within half of the rampup time",
			millis, spec.Users, time.Duration(spec.Users-1)*delay, most.Milliseconds())
		delay = most
	}
	spec.Options[name] = delay.String()
}

// spec is a job of the current database and benchmark, with the settings as they
// stand.
func (c *Console) spec(action job.Action) job.Spec {
	w := c.workload()
	return job.Spec{
		Action: action, Database: c.book.Database().Name, Workload: w.Name,
		Options: c.book.Values(), Seed: 1,
	}
}

// plan checks a spec before anything is done.
func (c *Console) plan(spec job.Spec) (engine.Plan, error) {
	plan, err := engine.NewPlan(c.book.Database(), c.workload(), spec)
	if err != nil {
		return plan, fail("Error: %v", err)
	}
	return plan, nil
}

// do does a job: it enters it into the repository, shows it as it goes, and sees
// to it that the job is ended there whatever happens. It returns what HammerDB
// returns, also when the job failed: that was printed, and is remembered.
func (c *Console) do(ctx context.Context, spec job.Spec, plan engine.Plan) (string, error) {
	title := views.Titles[spec.Action]
	returned := title + " (No jobid)"
	screen := &screen{console: c, plan: plan, speaker: speakerOf(plan, spec.Action), showOutput: c.book.GenericFlag(virtualUserSection, "show_output") || c.script.monitored}
	watchers := []job.Watcher{screen}
	recorder, err := c.record(ctx, spec, plan)
	if err != nil {
		return "", err
	}
	if recorder != nil {
		returned = fmt.Sprintf("%s jobid=%s", title, recorder.ID())
		watchers = append(watchers, recorder)
	}
	tell := func(e job.Event) {
		e.At = time.Now()
		for _, w := range watchers {
			w.Watch(e)
		}
	}
	screen.tell = tell
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	counted := c.counter.record(recorder, plan.Database.Name)
	listened := c.listen(spec.Action, func() { close(stop) }, cancel)
	result, err := c.Runner.Do(ctx, spec, job.Control{
		Watchers: []job.Watcher{beforeTheEnd{watchers, c.script.monitored || spec.Action != job.Run}},
		Stop:     stop,
	})
	listened()
	err = errors.Join(err, screen.trouble)
	if err != nil && !screen.saidError {
		tell(job.Event{User: job.Monitor, Trouble: &job.Trouble{Error: err.Error()}})
	}
	for _, position := range c.users.unfinished() {
		is := job.UserSucceeded
		if err != nil {
			is = job.UserFailed
		}
		tell(job.Event{User: position, State: is})
	}
	tell(job.Event{Message: lines.AllComplete})
	counted()
	if recorder != nil {
		if lost := recorder.End(ctx, result, err); lost != nil {
			c.out.printf("Error: the result of job %s is not kept: %v", recorder.ID(), lost)
			err = errors.Join(err, lost)
		}
	}
	if err != nil {
		c.remember(fmt.Errorf("%s: %w", title, err))
	}
	return returned, nil
}

// record enters a job into the repository. It returns nil where jobs are not kept;
// runs of the test driver never are, as they have no result.
func (c *Console) record(ctx context.Context, spec job.Spec, plan engine.Plan) (*repository.Recorder, error) {
	if plan.Pacing.Test {
		return nil, nil
	}
	store, err := c.jobsStore()
	if err != nil || store == nil {
		return nil, err
	}
	return store.Begin(ctx, c.Bench.WithoutSecrets(spec), plan.Workload.KindNames())
}

// beforeTheEnd passes on all that happens in a job but that its monitor has
// finished: the console has things to do for the job after that, and says it then.
type beforeTheEnd struct {
	watchers  []job.Watcher
	monitored bool
}

// Watch implements job.Watcher.
func (b beforeTheEnd) Watch(e job.Event) {
	if b.monitored && e.User == job.Monitor && (e.State == job.UserSucceeded || e.State == job.UserFailed) {
		return
	}
	for _, w := range b.watchers {
		w.Watch(e)
	}
}

// listen does what each Ctrl-C asks of a job, until the function it returns is
// called. A run is first asked to stop, so that its users finish what they are doing
// and the result is kept as partial.
func (c *Console) listen(action job.Action, stop, cancel func()) (end func()) {
	lines := make(chan string, 2) // printed by somebody who may wait for a full pipe
	restore := c.onInterrupt(func(count int) {
		line := "Breaking off"
		if action == job.Run && count == 1 {
			line = "Stopping: Virtual Users finish their transaction; press Ctrl-C again to break off"
			stop()
		} else {
			cancel()
		}
		select {
		case lines <- line:
		default:
		}
	})
	var printing sync.WaitGroup
	printing.Go(func() {
		for line := range lines {
			c.out.print(line)
		}
	})
	return func() {
		restore()
		close(lines)
		printing.Wait()
	}
}

// measured adds to the headline of a run how its transactions ended, and writes the
// log of response times where timeprofile asks for one.
func (c *Console) measured(plan engine.Plan, result job.Result, say func(line string)) error {
	for _, line := range report.Counts(result) {
		say(line)
	}
	if result.PerUser == nil {
		return nil
	}
	say("Gathering timing data from Active Virtual Users...")
	say("Calculating timings...")
	return c.writeTimeProfile(plan, result, say)
}

func (c *Console) writeTimeProfile(plan engine.Plan, result job.Result, say func(line string)) error {
	path := c.logPath("hdbxtprofile", "timeprofile", "xt_unique_log_name")
	file, err := openOurs(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the time profile: %w", err)
	}
	say("Writing timing data to " + path)
	labels := make([]string, len(plan.Workload.Kinds))
	for i, k := range plan.Workload.Kinds {
		labels[i] = k.Label
	}
	return errors.Join(views.TimeProfile(file, plan.Database.Title, result, labels, time.Now()), file.Close())
}

// logPath returns the path of a log file in the temporary folder; its name is
// made unique where that setting is 1.
func (c *Console) logPath(name, section, unique string) string {
	if c.book.GenericFlag(section, unique) {
		name += "_" + string(job.NewID())
	}
	return filepath.Join(tempDir(c.Environ), name+".log")
}

// screen shows a job as HammerDB does. It is a job.Watcher.
type screen struct {
	console    *Console
	plan       engine.Plan
	showOutput bool
	speaker    *lines.Speaker
	tell       func(job.Event) // all who watch the job
	saidError  bool            // whether the engine has said what went wrong
	trouble    error           // what of the screen's own has gone wrong

	step  string    // what the progress last shown was of
	shown time.Time // when progress was last shown
}

// progressEvery is how often the progress of a build or a check is shown.
const progressEvery = 10 * time.Second

// Watch implements job.Watcher.
func (s *screen) Watch(e job.Event) {
	c := s.console
	c.counter.watch(e)
	switch {
	case e.State != "":
		c.users.follow(e.User, e.State)
	case e.Trouble != nil:
		s.saidError = true
	case e.Failure != nil && !e.Failure.Retried:
		s.say(e.At, e.User, fmt.Sprintf("%s : %s (%s)", e.Failure.Kind, e.Failure.Message, e.Failure.Class))
	case e.Progress != nil:
		s.progress(e.At, *e.Progress)
	}
	for _, line := range s.speaker.Say(e) {
		if line.User == 0 {
			c.out.print(line.Text)
			continue
		}
		s.say(e.At, line.User, s.headline(line.Text))
	}
	if e.Headline != nil {
		s.trouble = c.measured(s.plan, *e.Headline, func(line string) { s.tell(job.Event{User: e.User, Message: line}) })
	}
}

// speakerOf words a job as HammerDB does.
func speakerOf(plan engine.Plan, action job.Action) *lines.Speaker {
	return lines.NewSpeaker(lines.About{
		Action: action, Database: plan.Database.Name, Product: plan.Database.Title,
		Workload: plan.Workload.Name, Title: plan.Workload.Title,
	})
}

// say prints and logs a line of a virtual user.
func (s *screen) say(at time.Time, position int, text string) {
	c := s.console
	c.logUserLine(at, position, text)
	if s.showOutput || text == lines.Running || text == lines.Succeeded || text == lines.Failed {
		c.out.printf("Vuser %d:%s", position, text)
	}
}

// headline puts TPM before NOPM where the settings ask for HammerDB's old order.
func (s *screen) headline(text string) string {
	if s.console.book.Generic("benchmark", "first_result") == "TPM" {
		return views.FirstTPM(text)
	}
	return text
}

func (s *screen) progress(at time.Time, p job.Progress) {
	if p.Step != s.step {
		s.step, s.shown = p.Step, at
		return
	}
	if at.Sub(s.shown) < progressEvery || p.Total == 0 {
		return
	}
	s.shown = at
	line := fmt.Sprintf("%s: %d of %d %s (%d %%)", p.Step, p.Done, p.Total, p.Unit, min(100*p.Done/p.Total, 100))
	if p.Detail != "" {
		line += "; " + p.Detail
	}
	s.say(at, 1, line)
}

// openUserLog begins the log of what virtual users say, where vuset logtotemp asks
// for one.
func (c *Console) openUserLog() {
	if !c.book.GenericFlag(virtualUserSection, "log_to_temp") {
		return
	}
	file, err := c.openLog("hammerdb", virtualUserSection, "unique_log_name", "Log")
	if err != nil {
		c.remember(job.WithExit(job.ExitError, fmt.Errorf("log to temp: %w", err)))
		c.out.printf("Error: cannot log what Virtual Users say: %v", err)
		return
	}
	c.userLog = file
	c.out.printf("Logging activated\nto %s", file.Name())
}

// openLog opens a log in the temporary folder and writes its heading.
func (c *Console) openLog(name, section, unique, title string) (*os.File, error) {
	file, err := openOurs(c.logPath(name, section, unique), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(file, "Hammerdb %s @ %s\n%s\n", title, time.Now().Format(lines.Time), separator); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// separator is the second line of a log.
const separator = "+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+"

func (c *Console) logUserLine(at time.Time, position int, text string) {
	if c.userLog == nil {
		return
	}
	line := "Vuser " + strconv.Itoa(position) + ":" + report.PrintableLines(text) + "\n"
	if c.book.GenericFlag(virtualUserSection, "log_timestamps") {
		line = fmt.Sprintf("Timestamp %d @ %s\n%s", position, at.Format(lines.Time), line)
	}
	if _, err := c.userLog.WriteString(line); err != nil {
		c.out.printf("Error: the log is given up: %v", err)
		c.remember(job.WithExit(job.ExitError, fmt.Errorf("log to temp: %w", err)))
		c.endUserLog()
	}
}

// endUserLog closes the log when its virtual users are gone.
func (c *Console) endUserLog() {
	if err := c.closeUserLog(); err != nil {
		c.remember(job.WithExit(job.ExitError, err))
	}
}

func (c *Console) closeUserLog() error {
	file := c.userLog
	c.userLog = nil
	if file == nil {
		return nil
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("log to temp: %w", err)
	}
	return nil
}
