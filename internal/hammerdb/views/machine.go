package views

import (
	"context"
	"maps"
	"slices"
	"time"

	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/repository"
)

// Machine returns the machine that "jobs ID system" and "jobs ID metrics" describe, with the label of
// its series. HammerDB's agent runs on the server's machine, so it is the machine of the server's agent
// if that is known, or else of the job's first agent by name; without agents, it is the one that Sledge
// ran on.
func Machine(f job.Facts) (name string, machine job.Host) {
	if machine, watched := f.Machines[f.ServerMachine]; watched {
		return f.ServerMachine, machine
	}
	if watched := slices.Sorted(maps.Keys(f.Machines)); len(watched) > 0 {
		return watched[0], f.Machines[watched[0]]
	}
	return job.ClientMachine, f.Host
}

// Used returns how a machine was used during a job, once in lines.MetricInterval: as HammerDB recorded
// it, or else the means of the samples that Sledge recorded. The last mean is that of the rest of the
// job. A time without samples has none.
func Used(ctx context.Context, store *repository.Store, j job.Job) ([]job.SystemMetric, error) {
	if j.Origin != "" {
		details, err := store.ImportDetails(ctx, j.ID)
		return details.Metrics, err
	}
	series, err := store.Series(ctx, j.ID, time.Time{}, time.Time{}, 0)
	if err != nil {
		return nil, err
	}
	return averaged(series, sampledMachine(j, series)), nil
}

// sampledMachine returns the label of the series of the job's machine. Jobs other than runs have no
// facts of agents, only samples.
func sampledMachine(j job.Job, series []job.Sampled) string {
	name := job.ClientMachine
	if j.Facts != nil {
		name, _ = Machine(*j.Facts)
	}
	if name != job.ClientMachine {
		return name
	}
	for _, s := range series { // sorted
		if other := s.Labels["machine"]; s.Name == "CPU" && other != job.ClientMachine {
			return other
		}
	}
	return job.ClientMachine
}

// averaged returns the means of a machine's samples. The intervals begin with the first sample of its
// processors, which covers the second before it.
func averaged(series []job.Sampled, machine string) (list []job.SystemMetric) {
	series = slices.DeleteFunc(series, func(s job.Sampled) bool { return s.Labels["machine"] != machine })
	var begin time.Time
	for _, s := range series {
		if s.Name == "CPU" && len(s.Points) > 0 {
			begin = s.Points[0].At.Add(-time.Second)
			break
		}
	}
	type interval struct {
		use lines.Use
		end time.Time // of the last sample
	}
	intervals := map[int64]*interval{}
	for _, s := range series {
		for _, p := range s.Points {
			number := int64((p.At.Sub(begin) - 1) / lines.MetricInterval)
			if intervals[number] == nil {
				intervals[number] = &interval{}
			}
			one := intervals[number]
			one.use.Add(s.Series, p.Value)
			if p.At.After(one.end) {
				one.end = p.At
			}
		}
	}
	for _, number := range slices.Sorted(maps.Keys(intervals)) {
		if mean, known := intervals[number].use.Mean(intervals[number].end.Local()); known {
			list = append(list, mean)
		}
	}
	return list
}
