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

// reportBegin reports that the virtual user of a terminal works, once per virtual user.
func (g *group) reportBegin(u *user) {
	position := g.plan.Position(u.number)
	if !g.virtual[u.virtual].begun.Swap(true) {
		g.feed.State(position, job.UserRunning)
		if n := g.plan.Pacing.Clients.PerUser; n > 0 {
			g.feed.Step(position, job.Step{Name: job.StepClients, Count: int64(n)})
		}
	}
	u.sendHeld()
}

// reportEnd records how a terminal ended. After the last terminal of a virtual user, it reports how the
// virtual user ended.
func (g *group) reportEnd(u *user, err error) {
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
	if g.plan.Pacing.Finite && !u.allDone { // the result has the reason
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
	g.reportStep(u, job.Step{Name: job.StepLogIn, Stage: job.Begins, Seconds: delay.Seconds()})
	if !task.PauseUntil(g.began.Add(delay)) {
		return false, nil
	}
	if u.router == nil {
		var err error
		task.Await(func() { err = g.openFor(u) })
		if err != nil {
			return false, err
		}
	}
	g.reportStep(u, job.Step{Name: job.StepLogIn, Stage: job.Ends})
	if int(g.loggedIn.Add(1)) == g.clients {
		close(g.allLoggedIn)
	}
	return true, nil
}

// openFor opens a user's own connection.
func (l *connector) openFor(u *user) error {
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
	if c != nil && l.broken.Load() { // Abort may have missed this connection
		c.interrupt()
	}
	if err != nil && l.connecting.Err() != nil {
		return errEnding
	}
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	u.router = &ownRouter{c}
	return nil
}

// errEnding means that the run ends, so no connection is opened.
var errEnding = errors.New("the run is ending")

// reportStep reports a step of an asynchronous client if the option for that is set.
func (g *group) reportStep(u *user, s job.Step) {
	if g.plan.Pacing.Clients.Verbose {
		s.Client = g.plan.Pacing.Clients.Number(u.number)
		g.feed.Step(g.plan.Position(u.number), s)
	}
}

// reportPausesOf reports the pauses of the client's next transaction, as reportStep does.
func (g *group) reportPausesOf(u *user, t workload.Transaction) {
	kind := g.plan.Workload.Kinds[t.Kind].Name
	g.reportStep(u, job.Step{Name: job.StepKeying, Of: kind, Seconds: t.Keying.Seconds()})
	g.reportStep(u, job.Step{Name: job.StepThinking, Of: kind, Seconds: t.Thinking.Seconds()})
}
