package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/control"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
)

// counterCommands are the commands of the transaction counter.
func counterCommands() []command {
	return []command{
		{
			name: "tcstart", usage: "tcstart",
			help: "Starts the transaction counter, which shows the server's own count of transactions a minute, or of queries an hour, from all clients.",
			run:  tcstart,
		},
		{
			name: "tcstatus", usage: "tcstatus",
			help: "Shows whether the transaction counter is running.",
			run:  tcstatus,
		},
		{
			name: "tcstop", usage: "tcstop",
			help: "Stops the transaction counter.",
			run:  tcstop,
		},
	}
}

// counter is the transaction counter. It has its own session. If the database keeps no count, it
// counts the transactions of this console's virtual users.
type counter struct {
	ended atomic.Int64 // transactions that virtual users have ended so far

	recording struct {
		sync.Mutex
		database string          // the database of the job
		job      *control.Handle // the running job; nil if there is none
	}

	// Only the commands use the following fields, and they run one after another.
	id   string // identifies the running counter; "" if there is none
	stop context.CancelFunc
	done sync.WaitGroup
	log  *counterLog
}

// watch counts the transactions that virtual users have ended. The running job calls it.
func (t *counter) watch(e job.Event) {
	if e.Second == nil {
		return
	}
	for _, k := range e.Second.Measured.Kinds {
		t.ended.Add(k.Done + k.RolledBack)
	}
}

// record makes the counter emit its readings as events of a job, until the returned function is
// called.
func (t *counter) record(r *control.Handle, databaseName string) (end func()) {
	set := func(r *control.Handle) {
		t.recording.Lock()
		defer t.recording.Unlock()
		t.recording.job, t.recording.database = r, databaseName
	}
	set(r)
	return func() { set(nil) }
}

// read passes the readings of a database to the running job. If the settings have changed since the
// counter started, a job on another database gets none.
func (t *counter) read(databaseName, unit string, c job.Count) {
	t.recording.Lock()
	defer t.recording.Unlock()
	if t.recording.job != nil && t.recording.database == databaseName {
		t.recording.job.Tell(job.Event{At: c.At, Samples: []job.Sample{{Series: job.Series{Name: job.TransactionCounter, Unit: unit}, Value: c.Rate}}})
	}
}

// end stops the counter and waits for it. It returns false if the counter was not running.
func (t *counter) end() bool {
	if t.id == "" {
		return false
	}
	t.stop()
	t.done.Wait()
	t.id = ""
	return true
}

// tcstart starts the counter, and returns after the first reading or its failure.
func tcstart(c *Console, ctx context.Context, _ Call) (string, error) {
	t := &c.counter
	if t.id != "" {
		c.out.printf("Transaction Counter thread already running with threadid:%s", t.id)
		return "", nil
	}
	order, err := c.order(c.spec(job.Check)) // a check works without settings that only a run needs
	if err != nil {
		return "", err
	}
	plan := order.Plan
	log, err := c.openCounterLog(plan.Database.Title)
	if err != nil {
		return "", err
	}
	every := time.Duration(c.book.GenericInt(counterSection, "tc_refresh_rate")) * time.Second
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t.stop, t.log, t.id = cancel, log, fmt.Sprintf("tid0x%012x", time.Now().UnixNano()&0xffffffffffff)
	started := make(chan error, 1)
	show, unit := c.counterLines(plan, log, started), plan.Workload.Evidence.Throughput()
	t.done.Go(func() {
		err := engine.Counting{
			Job: plan.Job, Every: every, Say: c.out.print,
			Each: func(r engine.CounterReading) { show(r.At, r.Counted.Per(unit.Per), r.Err) },
		}.Run(background)
		switch {
		case errors.Is(err, engine.ErrNotCounted):
			c.out.printf("%s keeps no count of transactions: the counter shows those of this console's Virtual Users", plan.Database.Title)
			t.count(background, every, unit.Per, show)
		case err != nil:
			show(time.Now(), 0, err)
		}
	})
	select {
	case err = <-started:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		t.end()
		return "", errors.Join(failWith(job.ExitOf(err), "Transaction Counter Failed to Start\nTransaction Counter Error: %v", err), log.close())
	}
	return "", nil
}

// counterLines returns a function that prints each rate. It also sends the first rate, or the
// error, to started.
func (c *Console) counterLines(plan plan.Plan, log *counterLog, started chan<- error) func(time.Time, float64, error) {
	unit := plan.Workload.Evidence.Throughput()
	first := true
	givenUp := false
	return func(at time.Time, rate float64, err error) {
		switch {
		case first && err != nil:
			first = false
			started <- err
			return
		case err != nil:
			c.out.printf("Transaction Counter Error: %v", err)
			return
		case first:
			c.out.print("Transaction Counter Started")
			if log != nil {
				c.out.printf("Transaction Counter logging activated to %s", log.file.Name())
			}
		}
		line := fmt.Sprintf("%s %s %s", views.Rate(rate), plan.Database.Title, strings.ToLower(unit.Name))
		c.out.print(line)
		c.counter.read(plan.Database.Name, unit.Means, job.Count{At: at, Rate: rate})
		if !givenUp {
			if err := log.write(at, line); err != nil {
				givenUp = true
				c.out.printf("Transaction Counter Error: the log ends here: %v", err)
				c.remember(job.WithExit(job.ExitError, fmt.Errorf("log the transaction counter: %w", err)))
			}
		}
		if first {
			first = false
			started <- nil
		}
	}
}

// count reports the rate of the virtual users' transactions, like engine.Counting for a server's
// count.
func (t *counter) count(ctx context.Context, every, per time.Duration, each func(at time.Time, rate float64, err error)) {
	last, lastAt := t.ended.Load(), time.Now()
	each(lastAt, 0, nil)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now, at := t.ended.Load(), time.Now()
		each(at, engine.Delta{N: now - last, In: at.Sub(lastAt)}.Per(per), nil)
		last, lastAt = now, at
	}
}

func tcstatus(c *Console, _ context.Context, _ Call) (string, error) {
	c.sayCounterStatus()
	return "", nil
}

func (c *Console) sayCounterStatus() {
	if c.counter.id == "" {
		c.out.print("Transaction Counter is not running")
		return
	}
	c.out.printf("Transaction Counter thread running with threadid:%s", c.counter.id)
}

func tcstop(c *Console, _ context.Context, _ Call) (string, error) {
	c.sayCounterStatus()
	if !c.counter.end() {
		return "", nil
	}
	c.out.print("Stopping Transaction Counter")
	if c.counter.log == nil {
		return "", nil
	}
	c.out.print("Closed Transaction Counter Log")
	return "", c.counter.log.close()
}

// closeCounter stops the counter and prints nothing.
func (c *Console) closeCounter() error {
	if !c.counter.end() {
		return nil
	}
	return c.counter.log.close()
}

// counterLog is the log file of the counter, which tcset logtotemp turns on.
type counterLog struct {
	file       *os.File
	timestamps bool
}

func (c *Console) openCounterLog(title string) (*counterLog, error) {
	if c.book.Generic(counterSection, "tc_log_to_temp") != "1" {
		return nil, nil
	}
	file, err := c.openLog("hdbtcount", counterSection, "tc_unique_log_name", "Transaction Counter Log")
	if err != nil {
		return nil, failWith(job.ExitError, "Transaction Counter Failed to Start\nError: cannot log the transactions of %s: %v", title, err)
	}
	return &counterLog{file, c.book.GenericFlag(counterSection, "tc_log_timestamps")}, nil
}

func (l *counterLog) write(at time.Time, line string) error {
	if l == nil {
		return nil
	}
	if l.timestamps {
		line += " @ " + at.Format(lines.Time)
	}
	_, err := fmt.Fprintln(l.file, line)
	return err
}

func (l *counterLog) close() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
