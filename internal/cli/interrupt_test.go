package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"sledge/internal/job"
)

// The runner waits for what each Ctrl-C is to bring about, and so shows that
// just that happens.
func TestTheFirstInterruptLetsARunFinish(t *testing.T) {
	w := newWorld(t)
	w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		w.interrupt()
		<-control.Stop
		if ctx.Err() != nil {
			t.Error("the run was broken off by the first Ctrl-C")
		}
		r := measured()
		r.Status = job.Partial
		return r, job.WithExit(job.ExitStopped, errors.New("the run was stopped"))
	})
	if code := w.run("run", "--db", "sqlite"); code != job.ExitStopped {
		t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
	}
	if !strings.Contains(w.err.String(), "users finish their transaction") {
		t.Errorf("got %q, want it to say what happens", &w.err)
	}
	if !strings.Contains(w.out.String(), "20.00 NOPM") && !strings.Contains(w.out.String(), "20 NOPM") {
		t.Errorf("got %q, want the partial result", &w.out)
	}
	if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != job.Partial {
		t.Errorf("got jobs %v, want one that is partial", jobs)
	}
}

func TestTheSecondInterruptBreaksOffARun(t *testing.T) {
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
		t.Errorf("got exits %v, want none: the job was ended in order", w.exits)
	}
	if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != job.Failed {
		t.Errorf("got jobs %v, want one that failed", jobs)
	}
}

func TestTheThirdInterruptEndsTheProcess(t *testing.T) {
	w := newWorld(t)
	exited := make(chan int, 1)
	w.Exit = func(code int) { exited <- code }
	w.does(func(ctx context.Context, _ job.Spec, _ job.Control) (job.Result, error) {
		for range 3 {
			w.interrupt()
		}
		if code := <-exited; code != int(job.ExitStopped) { // it does not react to ctx at all
			t.Errorf("got exit code %d, want %d", code, job.ExitStopped)
		}
		return job.Result{}, ctx.Err()
	})
	w.run("run", "--db", "sqlite")
}

// timeout sends one to the program and one to its process group, and people press
// again when they mean it.
func TestTwoInterruptsAtOnceCountAsOne(t *testing.T) {
	w := newWorld(t)
	signals := make(chan os.Signal) // each is dealt with when the next is taken
	w.Signals, w.now = signals, ticking(together-1)
	w.does(func(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		for range 3 {
			signals <- os.Interrupt
		}
		<-control.Stop
		<-ctx.Done()
		return job.Result{Status: job.Failed}, job.WithExit(job.ExitAborted, ctx.Err())
	})
	if code := w.run("run", "--db", "sqlite"); code != job.ExitStopped || len(w.exits) > 0 {
		t.Errorf("got exit code %d and exits %v, want %d and none: there were two", code, w.exits, job.ExitStopped)
	}
}

func TestTheFirstInterruptBreaksOffEverythingElse(t *testing.T) {
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
			t.Errorf("%s: got jobs %v, want one that has ended", action, jobs)
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

func TestAnInterruptAnswersAQuestion(t *testing.T) {
	w := newWorld(t)
	reading := make(chan struct{})
	w.StdinIsTerminal, w.Stdin = true, blocked{reading}
	go func() {
		<-reading
		w.interrupt()
	}()
	if code := w.run("delete", "--db", "sqlite"); code != job.ExitStopped || len(w.asked) > 0 {
		t.Errorf("got exit code %d and %d jobs done, want %d and none", code, len(w.asked), job.ExitStopped)
	}
}
