package selftest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/settings"
	"sledge/internal/suite"
	"sledge/internal/suite/sessions"
)

// makeFolder creates the folder for an embedded database's file.
func (t *Test) makeFolder(run *runner) {
	if t.folder != "" {
		run.run(run.ctx, "makes a folder", func(step suite.T) {
			if err := os.Mkdir(t.folder, 0o700); err != nil {
				step.Fatal(err)
			}
		})
	}
}

// connect logs in and records the server's facts.
func (t *Test) connect(step suite.T, r *Report) {
	trial, err := t.orders[0].Try(step.Context(), t.Version)
	for _, remark := range trial.Remarks {
		if remark.Tone == settings.Bad {
			step.Error(remark.Text)
		} else {
			step.Logf("%s: %s", remark.Tone, remark.Text)
		}
	}
	if f := trial.Facts; f != nil {
		r.Server, r.Product, r.Settings, r.Durability, r.Unproven = f.Server, f.Product, f.ServerSettings, f.Durability, f.Unproven
	}
	if err != nil {
		step.Fatal(err)
	}
}

// removeLeft removes the remains of an earlier self-test.
func (t *Test) removeLeft(run *runner) {
	if !t.left {
		return
	}
	run.run(run.ctx, "removes what an earlier self-test left", func(step suite.T) {
		t.delete(step.Context(), step)
	})
}

// delete deletes the schemas of all workloads and their surroundings, if they exist. An object that
// looks foreign to one workload may belong to another.
func (t *Test) delete(ctx context.Context, step suite.T) {
	for _, plan := range t.known {
		_, err := engine.Local{Version: t.Version}.DoPlan(ctx, plan, job.Control{})
		switch job.ExitOf(err) {
		case job.OK, job.ExitMissing:
		case job.ExitExists, job.ExitConnect: // or the account was dropped with an earlier schema
			step.Logf("%v", err)
		default:
			step.Error(err)
		}
	}
}

// sessions runs the suite of sessions.
func (t *Test) sessions(run *runner) {
	run.run(run.ctx, "sessions", func(step suite.T) {
		sessions.Run(step, sessions.Subject{Database: t.Database(), Values: t.orders[0].Spec.Values(), Name: Name})
	})
}

// counter tests whether the server's own count of transactions moves.
func (t *Test) counter(step suite.T) {
	p := t.plan()
	if p.Server.Counter == nil {
		step.Skipf("%s keeps no count of its transactions", p.Database.Title)
	}
	ctx := step.Context()
	connect := func(as database.Role) database.Session {
		s, err := p.Database.Sessions.Connect(ctx, p.Connection, as)
		if err != nil {
			step.Fatal(err)
		}
		step.Cleanup(func() {
			if err := s.Close(); err != nil {
				step.Error(err)
			}
		})
		return s
	}
	observer, user := connect(database.Observer), connect(database.Owner)
	count := func() int64 {
		n, err := p.Server.Counter(ctx, observer)
		if without, is := errors.AsType[*database.UncountedError](err); is {
			step.Skipf("%v", without)
		}
		if err != nil {
			step.Fatal(err)
		}
		return n
	}
	before := count()
	const work, patience = 20, 15 // number of transactions, and seconds until servers have counted them
	for range work {
		if err := user.Begin(ctx, database.ReadWrite); err != nil {
			step.Fatal(err)
		}
		if _, err := p.Server.Version(ctx, user); err != nil {
			step.Fatal(err)
		}
		if err := user.Commit(ctx); err != nil {
			step.Fatal(err)
		}
	}
	if p.Server.Flush != nil {
		if err := p.Server.Flush(ctx, user); err != nil {
			step.Fatal(err)
		}
	}
	after := before
	for range patience {
		if after = count(); after >= before+work {
			step.Logf("it went from %d to %d for %d transactions", before, after, work)
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			step.Fatal(context.Cause(ctx))
		}
	}
	step.Errorf("it went from %d to %d for %d transactions, within %d s", before, after, work, patience)
}

// triesToDelete limits the attempts of remove. Each waits several seconds for sessions to end.
const triesToDelete = 3

// remove removes what the test created and what still exists. It returns descriptions of what it
// could not remove.
func (t *Test) remove(step suite.T) (left []string) {
	ctx := context.WithoutCancel(step.Context())
	p := t.plan()
	behind := func(format string, args ...any) {
		left = append(left, fmt.Sprintf(format, args...))
		step.Errorf(format, args...)
	}
	if t.folder != "" {
		defer func() {
			if err := os.RemoveAll(t.folder); err != nil {
				behind("the folder of the file: %v", err)
			}
		}()
	}
	target := p.Database.Options.Target(p.Connection)
	if !t.stands(ctx, step, target, behind) {
		return left
	}
	exists, stays := false, ""
	// The server may still be ending a session of a step that was stopped.
	for try := 1; ; try++ {
		t.delete(ctx, step)
		if !t.stands(ctx, step, target, behind) {
			return left
		}
		if !t.standed || t.left {
			exists, stays = t.around(ctx)
		}
		if !exists || try == triesToDelete {
			break
		}
		step.Logf("trying again, because %s still exists", target)
	}
	s, err := p.Database.Sessions.Connect(ctx, p.Connection, database.Owner)
	if err != nil {
		behind("cannot tell whether anything is left in %s: %v", target, err)
		return left
	}
	defer func() { _ = s.Close() }() // nothing was created
	objects, err := p.Schema.Objects(ctx, s)
	var names []string
	for _, o := range objects {
		names = append(names, o.What)
	}
	switch {
	case err != nil:
		behind("%s may still contain objects that the test created: %v", target, err)
	case len(names) > 0:
		behind("%s still holds %s: drop by hand what the test created", target, few(names))
	case exists:
		behind("%s still exists and is empty (%s): drop the database by hand, and its account if the test created one", target, cmp.Or(stays, "for an unknown reason"))
	}
	return left
}

// stands reports whether the owner can log in to the database. If the database or the owner is
// gone, nothing is left.
func (t *Test) stands(ctx context.Context, step suite.T, target string, behind func(string, ...any)) bool {
	p := t.plan()
	s, err := p.Database.Sessions.Connect(ctx, p.Connection, database.Owner)
	switch {
	case err == nil:
		_ = s.Close() // nothing was created
		return true
	case errors.Is(err, database.ErrMissing):
	case p.Database.Sessions.Classify(err) == meter.Connection:
		behind("cannot tell whether anything is left in %s: %v", target, err)
	case t.standed && !t.left:
		behind("cannot tell whether anything is left in %s, because its owner can no longer log in: %v", target, err)
	default:
		step.Logf("the account is gone: %v", err)
	}
	return false
}
