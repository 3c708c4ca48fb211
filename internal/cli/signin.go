package cli

import (
	"context"
	"fmt"

	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/workbench"
)

// refuser returns the refusal that an action would fail by, or nil.
type refuser func(ctx context.Context, action job.Action, order workbench.Order) *workbench.Refusal

// signIn finds out whether the server takes those passwords that nobody has given, and asks
// for them if it does not and there is a terminal.
func (s *settings) signIn(ctx context.Context, p *Program, order workbench.Order, refusal refuser) (workbench.Order, error) {
	return s.signInOn(ctx, p, p.Bench, s.sources(p), order, refusal)
}

// signInOn is signIn for settings that were resolved on a bench of their own.
func (s *settings) signInOn(ctx context.Context, p *Program, b workbench.Bench, from workbench.Sources, order workbench.Order, refusal refuser) (workbench.Order, error) {
	with := workbench.SignIn{
		Bench: b, Sources: from,
		Refusal: func(ctx context.Context, action job.Action, order workbench.Order) *workbench.Refusal {
			defer p.waitForAnswer(order.Plan)()
			return refusal(ctx, action, order)
		},
	}
	if p.StdinIsTerminal && p.StderrWidth != nil {
		with.Ask = func(user string) (string, error) { return p.askPassword(fmt.Sprintf("Password of user %s: ", user)) }
	}
	return with.With(ctx, order)
}

// waitForAnswer says what is waited for where a server takes long to answer, until the
// function it returns is called.
func (p *Program) waitForAnswer(plan engine.Plan) (done func()) {
	return p.whenSlow("Waiting for an answer from %s %s", plan.Database.Title, plan.Database.Target(plan.Connection))
}
