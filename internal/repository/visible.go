package repository

import (
	"context"
	"encoding/json"

	"sledge/internal/job"
)

type visibleKey struct{}

// Visible returns a context for which other jobs than those of some projects do not exist: List, Count,
// Headlines and everything that takes the ID of a job do not find them.
func Visible(ctx context.Context, projects []string) context.Context {
	text, _ := json.Marshal(projects) // texts can always be encoded
	return context.WithValue(ctx, visibleKey{}, string(text))
}

// visible returns an SQL condition, which begins with AND, for the jobs that a context sees, and its only
// parameter. The condition is empty if the context sees all jobs.
func visible(ctx context.Context, parameter string) (condition string, values []any) {
	projects, is := ctx.Value(visibleKey{}).(string)
	if !is {
		return "", nil
	}
	return " AND spec ->> '$.labels." + job.LabelProject + "' IN (SELECT value FROM json_each(" + parameter + "))", []any{projects}
}
