package generator

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/workload"
)

// virtualUser is the state of a virtual user. It works while one of its terminals works.
type virtualUser struct {
	begun  atomic.Bool
	failed atomic.Bool
	left   atomic.Int32 // terminals that have not ended
}

// begins reports that the virtual user of a terminal works.
func (g *group) begins(u *user) {
	position := g.plan.Position(u.number)
	if !g.virtual[u.virtual].begun.Swap(true) {
		g.feed.State(position, job.UserRunning)
		if n := g.plan.Pacing.Clients.PerUser; n > 0 {
			g.feed.Step(position, job.Step{Name: job.StepClients, Count: int64(n)})
		}
	}
	u.unhold()
}

// ends reports how a terminal ended. If it is the last of its virtual user, it reports how the
// virtual user ended.
func (g *group) ends(u *user, err error) {
	position, v := g.plan.Position(u.number), &g.virtual[u.virtual]
	if err != nil {
		if client := g.plan.Pacing.Clients.Number(u.number); client > 0 {
			err = fmt.Errorf("client %d: %w", client, err)
		}
		if !v.failed.Swap(true) {
			g.feed.Fail(position, err)
		}
		g.die(&feed.Error{Position: position, Err: err})
	}
	if v.left.Add(-1) > 0 || v.failed.Load() || !v.begun.Load() {
		return
	}
	if g.plan.Pacing.Clients.PerUser > 0 {
		g.feed.Step(position, job.Step{Name: job.StepClients, Stage: job.Ends})
	}
	if g.plan.Pacing.Finite && !u.through { // the run says why
		g.feed.State(position, job.UserFailed)
		return
	}
	g.feed.State(position, job.UserSucceeded)
}

// logIn logs in an asynchronous client: it waits for the client's turn and opens a connection if
// the client has none. It returns false if the run ends first.
func (g *group) logIn(u *user, task loop.Task) (bool, error) {
	client := g.plan.Pacing.Clients.Number(u.number)
	delay := time.Duration(client-1) * g.plan.Pacing.Clients.LoginDelay
	g.tellOf(u, job.Step{Name: job.StepLogIn, Stage: job.Begins, Seconds: delay.Seconds()})
	if !task.PauseUntil(g.began.Add(delay)) {
		return false, nil
	}
	if u.lines == nil {
		var err error
		task.Await(func() { err = g.openFor(u) })
		if err != nil {
			return false, err
		}
	}
	g.tellOf(u, job.Step{Name: job.StepLogIn, Stage: job.Ends})
	if int(g.loggedIn.Add(1)) == g.clients {
		close(g.everybody)
	}
	return true, nil
}

// openFor opens a user's own connection.
func (l *links) openFor(u *user) error {
	leave, err := l.enter()
	if err != nil {
		return err
	}
	defer leave()
	var c *connection
	err = job.Guarded(func() (err error) {
		c, err = l.open(l.connecting, l.plan.Job, u.number, 0, func(job.Event) {})
		return err
	})
	l.connections.set(u.number, c)
	if c != nil && l.broken.Load() { // the loop that interrupted the other connections may have missed it
		c.interrupt()
	}
	if err != nil && l.connecting.Err() != nil {
		return errEnding
	}
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	u.lines = &ownLine{c}
	return nil
}

// errEnding means that the run ends, so no connection is opened.
var errEnding = errors.New("the run is ending")

// tellOf reports an action of an asynchronous client, if that is requested.
func (g *group) tellOf(u *user, s job.Step) {
	if g.plan.Pacing.Clients.Verbose {
		s.Client = g.plan.Pacing.Clients.Number(u.number)
		g.feed.Step(g.plan.Position(u.number), s)
	}
}

// tellOfTransaction reports the client's next transaction, as tellOf does.
func (g *group) tellOfTransaction(u *user, t workload.Transaction) {
	kind := g.plan.Workload.Kinds[t.Kind].Name
	g.tellOf(u, job.Step{Name: job.StepKeying, Of: kind, Seconds: t.Keying.Seconds()})
	g.tellOf(u, job.Step{Name: job.StepThinking, Of: kind, Seconds: t.Thinking.Seconds()})
}
