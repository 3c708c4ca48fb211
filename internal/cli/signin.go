package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/workbench"
)

// signInTime is how long a server may take to say whether it knows a password. One that
// takes longer is left to the job, which says what is wrong with it.
const signInTime = 10 * time.Second

// signIn finds out whether the server takes those passwords that nobody has given, which
// then are the defaults. Where it does not, it tries the fallback, if there is one, and
// then asks for the password if there is a terminal, once, as psql does. Whatever else
// is wrong the job will say. What the server refuses, refusal finds out.
func (s *settings) signIn(ctx context.Context, p *Program, action job.Action, order workbench.Order, refusal refuser) (workbench.Order, error) {
	terminal := p.StdinIsTerminal && p.StderrWidth != nil
	if !order.HasUnsaidPasswords() || !terminal && !order.HasFallbacks() {
		return order, nil
	}
	sources := s.sources(p)
	try := func(order workbench.Order) *rejection {
		defer p.waitForAnswer(order.Plan)()
		return refusal(ctx, action, order)
	}
	refused := try(order)
	for refused != nil && order.HasFallback(refused.Option) {
		tried := sources
		tried.Fallbacks = append(tried.Fallbacks, refused.Option)
		other, err := p.Bench.Resolve(action, tried)
		if err != nil {
			return order, err
		}
		again := try(other)
		if again != nil && again.Option == refused.Option {
			break
		}
		order, sources, refused = other, tried, again
	}
	asked := map[string]bool{}
	for refused != nil && terminal && ctx.Err() == nil {
		name := order.SecretToAsk(refused.PasswordError)
		if name == "" || asked[name] || refused.unmendable {
			break
		}
		asked[name] = true
		secret, err := p.askPassword(fmt.Sprintf("Password of user %s: ", refused.User))
		if err != nil {
			return order, err
		}
		if secret == "" {
			break
		}
		if sources.Secrets == nil {
			sources.Secrets = map[string]string{}
		}
		sources.Secrets[name] = secret
		if order, err = p.Bench.Resolve(action, sources); err != nil {
			return order, err
		}
		refused = try(order)
	}
	if ctx.Err() != nil {
		return order, job.WithExit(job.ExitStopped, errors.New("stopped before the job began"))
	}
	return order, nil
}

// waitForAnswer says what is waited for where a server takes long to answer, until the
// function it returns is called.
func (p *Program) waitForAnswer(plan engine.Plan) (done func()) {
	return p.whenSlow("Waiting for an answer from %s %s", plan.Database.Title, plan.Database.Target(plan.Connection))
}

// rejection is a password that the server did not take.
type rejection struct {
	*database.PasswordError
	unmendable bool // another password would not help
}

// refuser returns the refusal that an action would fail by, or nil.
type refuser func(ctx context.Context, action job.Action, order workbench.Order) *rejection

// refusal returns the refusal that an action would fail by, or nil when it fails by none
// or by something else.
func refusal(ctx context.Context, action job.Action, order workbench.Order) *rejection {
	owner := signInAs(ctx, order, database.Owner)
	refusedOwner, isRefused := errors.AsType[*database.PasswordError](owner)
	if action == job.Run || action == job.Check || action == job.Delete && isRefused || action == job.Build && owner == nil {
		if !isRefused {
			return nil
		}
		return &rejection{PasswordError: refusedOwner}
	}
	admin := signInAs(ctx, order, database.Admin)
	refusedAdmin, adminRefused := errors.AsType[*database.PasswordError](admin)
	switch {
	case admin == nil:
		return nil // who makes the owner, or gives it its password
	case adminRefused && order.SecretToAsk(refusedAdmin) != "":
		return &rejection{PasswordError: refusedAdmin}
	case isRefused:
		// With an administrator who cannot sign in either, this owner may not be there.
		return &rejection{PasswordError: refusedOwner, unmendable: adminRefused}
	}
	return nil
}

// signInAs opens a session and closes it.
func signInAs(ctx context.Context, order workbench.Order, as database.Role) error {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	session, err := order.Plan.Database.Connect(ctx, order.Plan.Connection, as)
	if err == nil {
		_ = session.Close() // nothing was done in it
	}
	return err
}
