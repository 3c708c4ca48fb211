package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
)

// Calibration is the time that one thread of a server needs for a loop that only computes and reads
// no table.
type Calibration struct {
	Steps   int64
	Took    time.Duration // by the server's own clock
	Version string        // of the server
}

// Calibrate runs the loop on the server of a plan. It needs no schema and changes nothing.
func Calibrate(ctx context.Context, j plan.Job) (c Calibration, err error) {
	if j.Server.Calibrate == nil {
		return c, fmt.Errorf("no calibration loop for %s", j.Database.Title)
	}
	s, err := target.Connect(ctx, j, database.Admin) // the schema's database need not exist
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if c.Version, err = j.Server.Version(ctx, s); err != nil {
		return c, fmt.Errorf("ask for the server's version: %w", err)
	}
	if c.Steps, c.Took, err = j.Server.Calibrate(ctx, s); err != nil {
		return c, fmt.Errorf("run the loop: %w", err)
	}
	return c, nil
}
