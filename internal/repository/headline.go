package repository

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sledge/internal/job"
)

// Headline is the first figure of a complete and valid run, with the facts that decide which runs
// it may be compared to.
type Headline struct {
	ID       job.ID
	Begun    time.Time
	Database string
	Workload string
	Users    int
	Size     string       // amount of data; "" if unknown
	Durable  sql.NullBool // whether commits survived a power failure
	Server   string       // product and version
	Target   string
	Elapsed  float64 // measured time in seconds
	Spans    bool    // whether the run ended when its work was done
	Metric   job.Metric
}

// Headlines returns the headlines of Sledge's own valid runs, the oldest first. It leaves out runs
// that other programs recorded, because their counts were not checked.
func (s *Store) Headlines(ctx context.Context) ([]Headline, error) {
	seen, projects := visible(ctx, "?")
	rows, err := s.db.QueryContext(ctx, `SELECT id, begun_ms, database, workload,
			coalesce(nullif(result ->> '$.users', 0), spec ->> '$.users', 0),
			coalesce(facts ->> '$.size', ''), facts ->> '$.durability.holds',
			trim(coalesce(facts ->> '$.product', '') || ' ' || coalesce(facts ->> '$.server', '')), coalesce(facts ->> '$.target', ''), coalesce(result ->> '$.elapsed_seconds', 0.0), json_type(result, '$.spans') IS NOT NULL,
			result ->> '$.metrics[0].name', result ->> '$.metrics[0].value', coalesce(result ->> '$.metrics[0].unit', ''), coalesce(result ->> '$.metrics[0].means', '')
		FROM job WHERE action = ? AND status IN (?, ?) AND origin = '' AND json_type(result, '$.metrics[0].value') IN ('integer', 'real')`+seen+`
		ORDER BY begun_ms, number`, append([]any{job.Run, job.Succeeded, job.Missed}, projects...)...)
	if err != nil {
		return nil, fmt.Errorf("list headlines: %w", err)
	}
	defer rows.Close()
	var list []Headline
	for rows.Next() {
		var h Headline
		var begun int64
		err := rows.Scan(&h.ID, &begun, &h.Database, &h.Workload, &h.Users, &h.Size, &h.Durable, &h.Server, &h.Target, &h.Elapsed, &h.Spans,
			&h.Metric.Name, &h.Metric.Value, &h.Metric.Unit, &h.Metric.Means)
		if err != nil {
			return nil, fmt.Errorf("list headlines: %w", err)
		}
		h.Begun = time.UnixMilli(begun)
		list = append(list, h)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list headlines: %w", err)
	}
	return list, nil
}
