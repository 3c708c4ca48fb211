package engine

import (
	"context"
	"errors"
	"time"

	"sledge/internal/database"
	"sledge/internal/doctor"
	"sledge/internal/engine/coordinator"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/host"
	"sledge/internal/job"
)

// Doctor checks this machine and, if p is not nil, the server and the load of a plan. It changes
// nothing. If the server cannot be reached, it returns that error beside the other findings.
func Doctor(ctx context.Context, p *plan.Plan, client doctor.Machine, o doctor.Options) (job.Doctor, error) {
	if p == nil {
		return doctor.Examine(ctx, &doctor.Subject{Client: client}, host.Checks, o), nil
	}
	s := target.Subject(*p, client)
	err := readServer(ctx, s, *p)
	target.Unread(s, p.Database, errors.New("the server could not be reached"))
	return doctor.Examine(ctx, s, target.Checks(p.Database), o), err
}

// readServer reads what the checks need as the user of the run, and what this user may not read as the
// administrator.
func readServer(ctx context.Context, s *doctor.Subject, p plan.Plan) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the server did not answer within a minute"))
	defer cancel()
	session, err := target.Connect(ctx, p.Job, database.Owner)
	if errors.Is(err, database.ErrMissing) { // the schema is not built yet
		session, err = target.Connect(ctx, p.Job, database.Admin)
	}
	if err != nil {
		return err
	}
	defer target.CloseQuietly(&session)
	target.AddServer(ctx, s, p, session)
	if s.Load.Crowd, err = coordinator.Crowd(ctx, p, session); err != nil {
		s.Load.Crowd = nil // there is no schema yet
	}
	for _, section := range s.Server {
		if section.Err != nil || len(section.Values) == 0 {
			return errors.Join(ctx.Err(), readAsAdmin(ctx, s, p))
		}
	}
	return ctx.Err()
}

// readAsAdmin reads the sections that the server does not show to the user of the run. It ignores a refused login.
func readAsAdmin(ctx context.Context, s *doctor.Subject, p plan.Plan) error {
	session, err := p.Database.Sessions.Connect(ctx, p.Connection, database.Admin)
	if err != nil {
		return nil //nolint:nilerr // the sections keep their own errors
	}
	for name, section := range p.Server.Readings(ctx, session) {
		if (s.Server[name].Err != nil || len(s.Server[name].Values) == 0) && section.Err == nil {
			s.Server[name] = section
		}
	}
	return session.Close()
}
