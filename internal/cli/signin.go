package cli

import (
	"context"
	"fmt"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// refuser returns the refusal with which an action would fail, or nil.
type refuser func(ctx context.Context, action job.Action, order settings.Order) *settings.Refusal

// signIn tests whether the server accepts a login without the passwords that were not given. If it
// does not, and there is a terminal, signIn asks for them.
func (s *jobFlags) signIn(ctx context.Context, p *Program, order settings.Order, refusal refuser) (settings.Order, error) {
	return s.signInOn(ctx, p, p.Resolver, s.sources(p), order, refusal)
}

// signInOn is signIn with settings of another resolver.
func (s *jobFlags) signInOn(ctx context.Context, p *Program, b settings.Resolver, from settings.Sources, order settings.Order, refusal refuser) (settings.Order, error) {
	with := settings.SignIn{
		Resolver: b, Sources: from,
		Refusal: func(ctx context.Context, action job.Action, order settings.Order) *settings.Refusal {
			defer waitForAnswer(p, order.Plan)()
			return refusal(ctx, action, order)
		},
	}
	if p.StdinIsTerminal && p.StderrWidth != nil {
		with.Ask = func(user string) (string, error) { return askPassword(p, fmt.Sprintf("Password of user %s: ", user)) }
	}
	return with.With(ctx, order)
}

// waitForAnswer prints a message if a server is slow to answer, unless done is called before.
func waitForAnswer(p *Program, plan plan.Plan) (done func()) {
	return p.whenSlow("Waiting for an answer from %s %s", plan.Database.Title, plan.Database.Target(plan.Connection))
}
