package repository

import (
	"context"

	"sledge/internal/job"
)

// Ceiling returns the newest job that has measured the ceiling of a machine for a database and a
// workload, or nil if the repository has no such job. The machine has the same name and the same number of CPUs.
func (s *Store) Ceiling(ctx context.Context, database, workload string, machine job.Host) (*job.Job, error) {
	const recent = 100 // of all machines
	list, err := s.List(ctx, Query{Action: job.MeasureCeiling, Database: database, Workload: workload, Status: job.Succeeded, Limit: recent})
	if err != nil {
		return nil, err
	}
	for i := range list {
		j := &list[i]
		if f := j.Facts; f != nil && f.Host.Name == machine.Name && f.Host.CPUs == machine.CPUs && j.Result.Ceiling != nil {
			return j, nil
		}
	}
	return nil, nil
}

// LastReached returns how much of its ceiling the newest run on a target reached, in percent, or 0 if
// that is not known.
func (s *Store) LastReached(ctx context.Context, database, workload, target string) (float64, error) {
	const recent = 100 // of all targets
	list, err := s.List(ctx, Query{Action: job.Run, Database: database, Workload: workload, Limit: recent})
	if err != nil {
		return 0, err
	}
	for _, j := range list {
		if j.Facts == nil || j.Facts.Target != target {
			continue
		}
		if c := j.Result.ClientCeiling; c != nil {
			return c.Percent, nil
		}
		return 0, nil
	}
	return 0, nil
}
