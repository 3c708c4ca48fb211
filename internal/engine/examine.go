package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
)

// Examination is the result of a connection test before a job.
type Examination struct {
	// Owner is the log-in error of the schema's owner, and Admin that of the user that creates
	// databases and accounts. They are nil if the log-in works. An embedded database only has
	// Owner.
	Owner, Admin error

	Facts      *job.Facts // nil if both log-ins failed
	Connection []string   // properties of the connection, one per line, such as its cipher
	RoundTrip  time.Duration

	// Schema is the size of the workload's data, such as "10 warehouses". NoSchema is why a run
	// could not use the schema, or nil. Both are empty if the owner cannot log in.
	Schema   string
	NoSchema error

	// Lacking are the missing rights that a build may need.
	Lacking []string
}

// examineTime is the time limit of an examination: twice the time limit of a connection.
const examineTime = 2 * database.ConnectTimeout

// roundTrips is the number of measured round trips. Their median is the result.
const roundTrips = 9

// Examine tests the connection of a plan. It changes nothing. An error means that the server failed
// after a log-in.
func Examine(ctx context.Context, j plan.Job, version string) (e Examination, err error) {
	defer func() { job.Limit(&e) }()
	ctx, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	owner, failed := target.Connect(ctx, j, database.Owner)
	e.Owner = failed
	var admin database.Session
	if !j.Database.Embedded() {
		admin, e.Admin = target.Connect(ctx, j, database.Admin)
	}
	asked := owner
	if asked == nil {
		asked = admin
	}
	defer func() {
		for _, s := range []database.Session{owner, admin} {
			if s != nil {
				err = errors.Join(err, s.Close())
			}
		}
	}()
	if asked == nil {
		return e, nil
	}
	if err := e.ask(ctx, j, asked, version); err != nil {
		return e, err
	}
	if admin != nil && j.Database.Container.Lacking != nil {
		if e.Lacking, err = j.Database.Container.Lacking(ctx, j.Connection, admin); err != nil {
			return e, fmt.Errorf("ask for the rights of the user: %w", err)
		}
	}
	if owner == nil {
		return e, nil
	}
	return e, e.findSchema(ctx, j, owner)
}

// ask reads the facts of the server over a session.
func (e *Examination) ask(ctx context.Context, j plan.Job, s database.Session, version string) error {
	without := *j.Workload
	without.Schema.Extent = nil // the schema need not exist
	j.Workload = &without
	facts, err := target.FindFacts(ctx, j, s, version)
	if err != nil {
		return err
	}
	e.Facts = &facts
	if j.Server.Connection != nil {
		if e.Connection, err = j.Server.Connection(ctx, s); err != nil {
			return fmt.Errorf("ask about the connection: %w", err)
		}
	}
	var took []time.Duration
	for range roundTrips {
		begun := time.Now()
		if _, err := j.Server.Version(ctx, s); err != nil {
			return fmt.Errorf("ask for the server's version: %w", err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	e.RoundTrip = took[len(took)/2]
	return nil
}

// findSchema finds the workload's schema.
func (e *Examination) findSchema(ctx context.Context, j plan.Job, s database.Session) error {
	j, _, err := target.FindSchema(ctx, j, s)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		e.NoSchema = err
		return nil
	case j.Workload.Schema.Extent == nil:
		return nil
	}
	e.Schema, err = j.Workload.Schema.Extent(ctx, s, j.SQL)
	return err
}
