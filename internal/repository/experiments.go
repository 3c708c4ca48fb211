package repository

import (
	"context"
	"fmt"
	"time"

	"sledge/internal/job"
)

// ExperimentHead describes an experiment in a list.
type ExperimentHead struct {
	Name    string    `json:"name"`
	Runs    int       `json:"runs"` // all, with those below
	Running int       `json:"running,omitempty"`
	Failed  int       `json:"failed,omitempty"` // or not valid
	Cells   int       `json:"cells"`            // different combinations of settings
	Begun   time.Time `json:"begun"`            // of the first run
	Last    time.Time `json:"last"`             // begin of the newest run
}

// Experiments lists the experiments whose runs the repository has, the one with the newest run first; all if limit is 0.
func (s *Store) Experiments(ctx context.Context, limit int) (list []ExperimentHead, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("list experiments: %w", err)
		}
	}()
	if limit == 0 {
		limit = -1
	}
	seen, projects := visible(ctx, "?")
	// Imported runs have no label with their cell; their other labels tell the cells apart.
	rows, err := s.db.QueryContext(ctx, `SELECT spec ->> '$.labels.`+job.LabelExperiment+`' AS name, count(*), sum(status = 'running'), sum(status IN ('failed', 'invalid')),
			count(DISTINCT coalesce(spec -> '$.labels.`+job.LabelCell+`', spec -> '$.labels')), min(begun_ms), max(begun_ms)
		FROM job WHERE action = 'run' AND name IS NOT NULL`+seen+`
		GROUP BY name ORDER BY max(begun_ms) DESC LIMIT ?`, append(projects, limit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one ExperimentHead
		var begun, last int64
		if err := rows.Scan(&one.Name, &one.Runs, &one.Running, &one.Failed, &one.Cells, &begun, &last); err != nil {
			return nil, err
		}
		one.Begun, one.Last = time.UnixMilli(begun).UTC(), time.UnixMilli(last).UTC()
		list = append(list, one)
	}
	return list, rows.Err()
}
