package repository

import (
	"bytes"
	"compress/zlib"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sledge/internal/job"
)

// Plans returns the plans of a run's queries or top statements, if any.
func (s *Store) Plans(ctx context.Context, id job.ID) ([]job.QueryPlan, error) {
	j, number, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	plans, err := s.plans(ctx, number)
	if err != nil {
		return nil, fmt.Errorf("read the plans of job %s: %w", j.ID, err)
	}
	return plans, nil
}

func (s *Store) plans(ctx context.Context, number int64) (plans []job.QueryPlan, err error) {
	var packed []byte
	err = s.db.QueryRowContext(ctx, `SELECT plans FROM plans WHERE job = ?`, number).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return plans, errors.Join(json.NewDecoder(r).Decode(&plans), r.Close())
}

// plans writes the plans of a run.
func (w *inserts) plans(plans []job.QueryPlan) error {
	if len(plans) == 0 {
		return nil
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(z).Encode(plans), z.Close()); err != nil {
		return err
	}
	_, err := w.run(`INSERT INTO plans (job, plans) VALUES (?, ?)`, w.job, packed.Bytes())
	return err
}
