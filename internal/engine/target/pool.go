package target

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// CheckPooled checks that a connection of a pool leads to a schema of the size in main, and returns
// the version of its server.
func CheckPooled(ctx context.Context, j plan.Job, main job.Facts) (version string, err error) {
	s, err := Connect(ctx, j, database.Owner)
	if err != nil {
		return "", err
	}
	defer s.Close()
	if j, err = RequireSchema(ctx, j, s); err != nil {
		return "", err
	}
	if j.Workload.Schema.Extent != nil {
		size, err := j.Workload.Schema.Extent(ctx, s, j.SQL)
		if err != nil {
			return "", err
		}
		if size != main.Size {
			return "", job.WithExit(job.ExitUsage, fmt.Errorf("%s has %s, and %s, which the monitor is connected to, has %s: build all schemas of the pool with the same size",
				j.Target(), size, main.Target, main.Size))
		}
	}
	if version, err = j.Server.Version(ctx, s); err != nil {
		return "", fmt.Errorf("ask for the server's version: %w", err)
	}
	return version, nil
}
