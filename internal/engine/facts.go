package engine

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/job"
)

// findFacts asks the server and this machine for what a result depends on.
func findFacts(ctx context.Context, p Plan, s database.Session, version string) (job.Facts, error) {
	facts := job.Facts{
		SledgeVersion:  version,
		Target:         p.target(),
		Host:           job.ThisHost(),
		ServerSettings: map[string]string{},
	}
	q, err := p.SQL.Query("server.version")
	if err != nil {
		return facts, err
	}
	t, err := s.Query(ctx, q.Text, 1)
	if err != nil || len(t.Rows) == 0 {
		return facts, fmt.Errorf("ask for the server's version: %w", err)
	}
	facts.Server = t.Rows[0][0]
	if q, err = p.SQL.Query("server.settings"); err != nil {
		return facts, err
	}
	if t, err = s.Query(ctx, q.Text, 0); err != nil {
		return facts, fmt.Errorf("ask for the server's settings: %w", err)
	}
	for _, row := range t.Rows {
		facts.ServerSettings[row[0]] = row[1]
	}
	return facts, nil
}
