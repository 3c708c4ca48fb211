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
	// Owner is why the owner of the schema cannot sign in, and Admin why the user cannot who
	// creates what a build needs; nil where they can. Only Owner is asked of a database
	// inside this process.
	Owner, Admin error

	Facts      *job.Facts // nil if the log-in failed
	Connection []string   // what it is like, in lines: its cipher
	RoundTrip  time.Duration

	// Schema says how much data of the workload is there, as "10 warehouses"; NoSchema
	// why a run could not use what is there, in the words of its error. Both are empty where
	// the owner cannot sign in.
	Schema, NoSchema string

	// Lacking are the rights that a build may need and that were not found.
	Lacking []string
}

// examineTime is how long an examination may take: as long as two attempts to connect.
const examineTime = 2 * database.ConnectTimeout

// roundTrips is of how many round trips the time is the median.
const roundTrips = 9

// Examine tries out the connection of a plan. It changes nothing. An error means that a server
// stopped in the middle of an answer.
func Examine(ctx context.Context, j plan.Job, version string) (e Examination, err error) {
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

// ask asks a session for the facts of the server.
func (e *Examination) ask(ctx context.Context, j plan.Job, s database.Session, version string) error {
	without := *j.Workload
	without.Schema.Extent = nil // the schema need not be there
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

// FindSchema looks for the workload's schema.
func (e *Examination) findSchema(ctx context.Context, j plan.Job, s database.Session) error {
	j, _, err := target.FindSchema(ctx, j, s)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		e.NoSchema = err.Error()
		return nil
	case j.Workload.Schema.Extent == nil:
		return nil
	}
	e.Schema, err = j.Workload.Schema.Extent(ctx, s, j.SQL)
	return err
}
