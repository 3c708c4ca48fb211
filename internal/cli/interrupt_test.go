package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sledge/internal/cli/program"
	"sledge/internal/job"
)

// The runner waits for the effect of each Ctrl-C, so the test fails if a Ctrl-C has another effect.
func TestInterrupt_StopsARunTheFirstTime(t *testing.T) {
	w := newWorld(t)
	w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		w.interrupt()
		<-control.Stop
		if ctx.Err() != nil {
			t.Error("the first Ctrl-C aborted the run")
		}
		r := measured()
		r.Status = job.Partial
		return r, job.WithExit(job.ExitStopped, errors.New("the run was stopped"))
	})
	if code := w.run("run", "--db", "sqlite"); code != job.ExitStopped {
		t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
	}
	if !strings.Contains(w.err.String(), "users finish their transaction") {
		t.Errorf("got %q, want the message about stopping", &w.err)
	}
	if !strings.Contains(w.out.String(), "PARTIAL") || !strings.Contains(w.out.String(), "NOPM") {
		t.Errorf("got %q, want the partial result", &w.out)
	}
	if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != job.Partial {
		t.Errorf("got jobs %v, want one partial job", jobs)
	}
}

func TestInterrupt_AbortsRunTheSecondTime(t *testing.T) {
	w := newWorld(t)
	w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		w.interrupt()
		<-control.Stop
		w.interrupt()
		<-ctx.Done()
		return job.Result{Status: job.Failed}, job.WithExit(job.ExitAborted, ctx.Err())
	})
	if code := w.run("run", "--db", "sqlite"); code != job.ExitStopped {
		t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
	}
	if len(w.exits) > 0 {
		t.Errorf("got exits %v, want none, because the job ended normally", w.exits)
	}
	if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != job.Failed {
		t.Errorf("got jobs %v, want one failed job", jobs)
	}
}

func TestInterrupt_ExitsTheThirdTime(t *testing.T) {
	w := newWorld(t)
	exited := make(chan int, 1)
	w.Exit = func(code int) { exited <- code }
	w.does(func(ctx context.Context, _ job.Spec, _ job.Control) (job.Result, error) {
		for range 3 {
			w.interrupt()
		}
		if code := <-exited; code != int(job.ExitStopped) { // the runner ignores its context
			t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
		}
		return job.Result{}, ctx.Err()
	})
	w.run("run", "--db", "sqlite")
}

// Users press Ctrl-C twice on purpose; programs send several signals for one request. Time passes
// between the signals.
func TestSignals_CloseTogetherCountAsOne(t *testing.T) {
	for _, c := range []struct {
		name    string
		apart   time.Duration
		signals []os.Signal
		count   int
	}{
		{"two Ctrl-C at once", program.Together - 1, []os.Signal{os.Interrupt, os.Interrupt}, 1},
		{"three, the last of them long after the first", program.Together - 1, []os.Signal{os.Interrupt, os.Interrupt, os.Interrupt}, 2},
		{"two Ctrl-C of a user", program.Together, []os.Signal{os.Interrupt, os.Interrupt}, 2},
		{"timeout on a busy machine", program.TogetherOther - 1, []os.Signal{syscall.SIGTERM, syscall.SIGTERM}, 1},
		{"SIGTERM again", program.TogetherOther, []os.Signal{syscall.SIGTERM, syscall.SIGTERM}, 2},
		{"a terminal that hangs up twice", program.TogetherOther - 1, []os.Signal{syscall.SIGHUP, syscall.SIGHUP}, 1},
		{"a service manager", program.TogetherOther - 1, []os.Signal{syscall.SIGTERM, syscall.SIGHUP}, 1},
	} {
		w := newWorld(t)
		signals := make(chan os.Signal) // a signal is handled before the next one is received
		w.Signals, w.Now = signals, ticking(c.apart)
		w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
			for _, signal := range c.signals {
				signals <- signal
			}
			<-control.Stop
			if c.count > 1 {
				<-ctx.Done()
				return job.Result{Status: job.Failed}, job.WithExit(job.ExitAborted, ctx.Err())
			}
			if w.Interrupts.Count() != c.count || ctx.Err() != nil {
				t.Errorf("%s: got %d and %v, want %d", c.name, w.Interrupts.Count(), ctx.Err(), c.count)
			}
			return measured(), nil
		})
		if w.run("run", "--db", "sqlite"); w.Interrupts.Count() != c.count || len(w.exits) > 0 {
			t.Errorf("%s: got a count of %d and exits %v, want %d and none", c.name, w.Interrupts.Count(), w.exits, c.count)
		}
	}
}

// brokenPipe is a writer whose reader has gone.
type brokenPipe struct{ writes atomic.Int32 }

func (b *brokenPipe) Write([]byte) (int, error) {
	b.writes.Add(1)
	return 0, &os.PathError{Op: "write", Path: "|1", Err: unread}
}

func TestUnreadOutput_StopsRunLikeFirstInterrupt(t *testing.T) {
	w := newWorld(t)
	signals := make(chan os.Signal)
	w.Signals, w.Now = signals, ticking(program.TogetherOther-1)
	w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		<-control.Stop
		signals <- os.Interrupt // it also ended the process that reads the output
		if ctx.Err() != nil {
			t.Error("the run was aborted")
		}
		r := measured()
		r.Status = job.Partial
		return r, job.WithExit(job.ExitStopped, errors.New("the run was stopped"))
	})
	var stdout, stderr brokenPipe
	w.Args, w.Stdout, w.Stderr = []string{"run", "--db", "sqlite"}, &stdout, &stderr
	if code := Run(t.Context(), w.Program); code != job.ExitStopped || len(w.exits) > 0 {
		t.Errorf("got exit code %d and exits %v, want %d and none", code, w.exits, job.ExitStopped)
	}
	if stdout.writes.Load() != 1 || stderr.writes.Load() != 1 {
		t.Errorf("got %d and %d writes, want one each, because the reader has gone", stdout.writes.Load(), stderr.writes.Load())
	}
	if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != job.Partial {
		t.Errorf("got jobs %v, want one partial job", jobs)
	}
}

// fullDisk is a writer that fails with an error that the user must see.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestRun_UnwritableOutputIsAnError(t *testing.T) {
	w := newWorld(t)
	w.Args, w.Stdout, w.Stderr = []string{"options", "pg"}, fullDisk{}, &w.err
	if code := Run(t.Context(), w.Program); code != job.ExitError || !strings.Contains(w.err.String(), syscall.ENOSPC.Error()) {
		t.Errorf("got exit code %d and %q, want %d and the reason", code, &w.err, job.ExitError)
	}
}

func TestInterrupt_AbortsOtherJobsTheFirstTime(t *testing.T) {
	for _, action := range []string{"build", "check", "delete"} {
		w := newWorld(t)
		w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
			w.interrupt()
			<-ctx.Done()
			select {
			case <-control.Stop:
				t.Errorf("%s: got Stop closed, which is for runs", action)
			default:
			}
			return job.Result{Status: job.Failed}, ctx.Err()
		})
		if code := w.run(action, "--db", "sqlite"); code != job.ExitStopped {
			t.Errorf("%s: got exit code %d, want %d", action, code, job.ExitStopped)
		}
		if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status == job.Running {
			t.Errorf("%s: got jobs %v, want one ended job", action, jobs)
		}
	}
}

// blocked is a reader on which nothing ever arrives.
type blocked struct{ reading chan<- struct{} }

func (b blocked) Read([]byte) (int, error) {
	close(b.reading)
	select {}
}

var _ io.Reader = blocked{}

func TestInterrupt_EndsAQuestion(t *testing.T) {
	w := newWorld(t)
	reading := make(chan struct{})
	w.StdinIsTerminal, w.Stdin = true, blocked{reading}
	go func() {
		<-reading
		w.interrupt()
	}()
	file := filepath.Join(t.TempDir(), "some.db")
	emptySchema(t, file)
	if code := w.run("delete", "--db", "sqlite", "--dbname", file); code != job.ExitStopped || len(w.asked) > 0 {
		t.Errorf("got exit code %d and %d jobs done, want %d and none", code, len(w.asked), job.ExitStopped)
	}
}
