package jobflags

import (
	"context"
	"fmt"

	"sledge/internal/cli/program"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// refuser returns the refusal with which an action would fail, or nil.
type refuser func(ctx context.Context, action job.Action, order settings.Order) *settings.Refusal

// SignIn tests whether the server accepts a login without the passwords that were not given. If it
// does not, and there is a terminal, SignIn asks for them.
func (s *Flags) SignIn(ctx context.Context, p *program.Program, order settings.Order, refusal refuser) (settings.Order, error) {
	return s.SignInOn(ctx, p, p.Resolver, s.Sources(p), order, refusal)
}

// SignInOn is SignIn with settings of another resolver.
func (s *Flags) SignInOn(ctx context.Context, p *program.Program, b settings.Resolver, from settings.Sources, order settings.Order, refusal refuser) (settings.Order, error) {
	with := settings.SignIn{
		Resolver: b, Sources: from,
		Refusal: func(ctx context.Context, action job.Action, order settings.Order) *settings.Refusal {
			defer WaitForAnswer(p, order.Plan)()
			return refusal(ctx, action, order)
		},
	}
	if p.StdinIsTerminal && p.StderrWidth != nil {
		with.Ask = func(user string) (string, error) { return AskPassword(p, fmt.Sprintf("Password of user %s: ", user)) }
	}
	return with.With(ctx, order)
}

// WaitForAnswer prints a message if a server is slow to answer, unless done is called before.
func WaitForAnswer(p *program.Program, plan plan.Plan) (done func()) {
	return p.WhenSlow("Waiting for an answer from %s %s", plan.Database.Title, plan.Database.Options.Target(plan.Connection))
}
