package settings

import (
	"context"
	"errors"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// signInTime is the time limit of a login test. If a server takes longer, the job will report the
// problem.
const signInTime = 10 * time.Second

// SignIn tests before a job whether the server accepts the default passwords.
type SignIn struct {
	Resolver Resolver
	Sources  Sources // the sources of the order

	// Refusal returns the refusal with which an action would fail, or nil. For jobs it is
	// RefusalOf.
	Refusal func(ctx context.Context, action job.Action, order Order) *Refusal

	// Ask asks the user for the password of an account; "" means no answer. Nil means that there is
	// no user to ask.
	Ask func(user string) (string, error)
}

// Refusal is a password that the server refused.
type Refusal struct {
	*database.PasswordError
	unmendable bool // another password would not help
}

// With returns the order with passwords that the server accepts, if possible: if it refuses a
// default, With tries the fallback, if there is one, and then asks the user, once, as psql
// does. The job itself will report any other error.
func (s SignIn) With(ctx context.Context, order Order) (Order, error) {
	if !order.HasUnsaidPasswords() || s.Ask == nil && !order.HasFallbacks() {
		return order, nil
	}
	action, sources := order.Spec.Action, s.Sources
	refused := s.Refusal(ctx, action, order)
	for refused != nil && order.HasFallback(refused.Option) {
		tried := sources
		tried.Fallbacks = append(tried.Fallbacks, refused.Option)
		other, err := s.Resolver.Resolve(action, tried)
		if err != nil {
			return order, err
		}
		again := s.Refusal(ctx, action, other)
		if again != nil && again.Option == refused.Option {
			break
		}
		order, sources, refused = other, tried, again
	}
	asked := map[string]bool{}
	for refused != nil && s.Ask != nil && ctx.Err() == nil {
		name := order.SecretToAsk(refused.PasswordError)
		if name == "" || asked[name] || refused.unmendable {
			break
		}
		asked[name] = true
		secret, err := s.Ask(refused.User)
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
		if order, err = s.Resolver.Resolve(action, sources); err != nil {
			return order, err
		}
		refused = s.Refusal(ctx, action, order)
	}
	if ctx.Err() != nil {
		return order, job.WithExit(job.ExitStopped, errors.New("stopped before the job began"))
	}
	return order, nil
}

// RefusalOf returns the refusal with which an action would fail, or nil if it would succeed or fail
// for another reason.
func RefusalOf(ctx context.Context, action job.Action, order Order) *Refusal {
	owner := signInAs(ctx, order, database.Owner)
	refusedOwner, isRefused := errors.AsType[*database.PasswordError](owner)
	if action == job.Run || action == job.Check || action == job.Delete && isRefused || action == job.Build && owner == nil {
		if !isRefused {
			return nil
		}
		return &Refusal{PasswordError: refusedOwner}
	}
	admin := signInAs(ctx, order, database.Admin)
	refusedAdmin, adminRefused := errors.AsType[*database.PasswordError](admin)
	switch {
	case admin == nil:
		return nil // the administrator creates the owner, or sets its password
	case adminRefused && order.SecretToAsk(refusedAdmin) != "":
		return &Refusal{PasswordError: refusedAdmin}
	case isRefused:
		// If the administrator cannot log in either, the owner may not exist.
		return &Refusal{PasswordError: refusedOwner, unmendable: adminRefused}
	}
	return nil
}

// RefusalOfObserver returns the refusal with which reading the server's counts would fail, or nil.
func RefusalOfObserver(ctx context.Context, _ job.Action, order Order) *Refusal {
	if refused, is := errors.AsType[*database.PasswordError](signInAs(ctx, order, database.Observer)); is {
		return &Refusal{PasswordError: refused}
	}
	return nil
}

// signInAs opens a session and closes it.
func signInAs(ctx context.Context, order Order, as database.Role) error {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	session, err := order.Plan.Database.Sessions.Connect(ctx, order.Plan.Connection, as)
	if err == nil {
		_ = session.Close() // nothing was done in it
	}
	return err
}
