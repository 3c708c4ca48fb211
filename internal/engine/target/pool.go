package target

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
)

// CheckPooled looks at one connection, and returns the version of the server.
func CheckPooled(ctx context.Context, p plan.Plan, main job.Facts) (version string, err error) {
	s, err := Connect(ctx, p, database.Owner)
	if err != nil {
		return "", err
	}
	defer s.Close()
	if p, err = RequireSchema(ctx, p, s); err != nil {
		return "", err
	}
	if p.Workload.Schema.Extent != nil {
		size, err := p.Workload.Schema.Extent(ctx, s, p.SQL)
		if err != nil {
			return "", err
		}
		if size != main.Size {
			return "", job.WithExit(job.ExitUsage, fmt.Errorf("%s has %s, and %s, which the monitor is connected to, has %s: build all of the pool with as many",
				p.Target(), size, main.Target, main.Size))
		}
	}
	if version, err = p.Server.Version(ctx, s); err != nil {
		return "", fmt.Errorf("ask for the server's version: %w", err)
	}
	return version, nil
}
