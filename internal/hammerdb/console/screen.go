package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"sledge/internal/control"
	"sledge/internal/engine/plan"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
)

// screen shows a job as HammerDB does. It is a job.Watcher.
type screen struct {
	console    *Console
	showOutput bool
	spans      bool // whether the job reports each transaction as a span
	speaker    *lines.Speaker

	step  string    // step of the last shown progress
	shown time.Time // when progress was last shown
}

// progressEvery is the interval at which the progress of a build or a check is shown.
const progressEvery = 10 * time.Second

// follow shows a job until it is over.
func (s *screen) follow(r *control.Handle) {
	for e, missed := range r.Watch(context.Background(), 1) {
		if missed > 0 {
			s.console.out.printf("At least %d lines are missing here: whatever reads the output was too slow", missed)
		}
		s.Watch(e)
	}
}

// Watch implements job.Watcher.
func (s *screen) Watch(e job.Event) {
	c := s.console
	switch {
	case e.Request != "":
		c.out.print(requested[e.Request])
	case e.Failure != nil && !e.Failure.Retried && !s.spans: // spans include failures
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
}

// speakerOf returns the speaker that describes a job in HammerDB's lines.
func speakerOf(plan plan.Plan, action job.Action) *lines.Speaker {
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

// headline puts TPM before NOPM if the settings choose HammerDB's old order.
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

// openUserLog opens the log of the virtual users' lines if vuset logtotemp is on.
func (c *Console) openUserLog() {
	if !c.book.GenericFlag(virtualUserSection, "log_to_temp") {
		return
	}
	file, err := c.openLog("hammerdb", virtualUserSection, "unique_log_name", "Log")
	if err != nil {
		c.remember(job.WithExit(job.ExitError, fmt.Errorf("log to temp: %w", err)))
		c.out.printf("Error: cannot log the output of Virtual Users: %v", err)
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
		c.out.printf("Error: the log ends here: %v", err)
		c.remember(job.WithExit(job.ExitError, fmt.Errorf("log to temp: %w", err)))
		c.endUserLog()
	}
}

// endUserLog closes the log after the virtual users are destroyed.
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
