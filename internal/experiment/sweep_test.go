package experiment_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// ordersOf returns orders for runs with the given numbers of virtual users.
func ordersOf(users ...int) []settings.Order {
	orders := make([]settings.Order, len(users))
	for i, n := range users {
		orders[i].Spec = job.Spec{Action: job.Run, Users: n}
	}
	return orders
}

func TestSweep_EndsWithTheFirstFailure(t *testing.T) {
	broken, slow := errors.New("broken"), job.WithExit(job.ExitMissed, errors.New("p99 is 3 ms"))
	for _, tt := range []struct {
		name     string
		statuses []job.Status
		errs     []error
		runs     []int // numbers of virtual users
		failure  error
		missed   string
	}{
		{"all succeed", []job.Status{job.Succeeded, job.Succeeded, job.Succeeded}, []error{nil, nil, nil}, []int{1, 2, 4}, nil, ""},
		{"one fails", []job.Status{job.Succeeded, job.Failed}, []error{nil, broken}, []int{1, 2}, broken, ""},
		{"one does not begin", []job.Status{job.Succeeded, ""}, []error{nil, broken}, []int{1}, broken, ""},
		{"two miss a threshold", []job.Status{job.Missed, job.Succeeded, job.Missed}, []error{slow, nil, slow}, []int{1, 2, 4}, nil, "1 virtual user: p99 is 3 ms\n4 virtual users: p99 is 3 ms"},
		{"one misses it and the next fails", []job.Status{job.Missed, job.Failed}, []error{slow, broken}, []int{1, 2}, broken, "1 virtual user: p99 is 3 ms"},
	} {
		sweep, err := experiment.NewSweep(t.Context(), nil, 0, ordersOf(1, 2, 4))
		if err != nil {
			t.Fatal(err)
		}
		got := sweep.Run(t.Context(), func(number int, order settings.Order) (job.Job, error) {
			return job.Job{Spec: order.Spec, Status: tt.statuses[number]}, tt.errs[number]
		})
		var runs []int
		for _, j := range got.Jobs {
			runs = append(runs, j.Spec.Users)
		}
		missed := ""
		if got.Missed != nil {
			missed = got.Missed.Error()
		}
		if !slices.Equal(runs, tt.runs) || got.Failure != tt.failure || missed != tt.missed {
			t.Errorf("%s: got runs of %v users, the failure %v and %q, want %v, %v and %q", tt.name, runs, got.Failure, missed, tt.runs, tt.failure, tt.missed)
		}
	}
}

// Several programs plan sweeps at the same time. Each gets its own profile.
func TestNewSweep_ReservesAProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	var mu sync.Mutex
	given := map[int]bool{}
	const programs, each = 3, 5
	var all sync.WaitGroup
	for range programs {
		store, err := repository.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		all.Go(func() {
			for range each {
				sweep, err := experiment.NewSweep(context.Background(), store, 0, ordersOf(1, 2))
				if err != nil || sweep.Profile == 0 || sweep.Orders[1].Profile != sweep.Profile {
					t.Errorf("got the profile %d with an order of profile %d, %v", sweep.Profile, sweep.Orders[1].Profile, err)
				}
				mu.Lock()
				given[sweep.Profile] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(given) != programs*each {
		t.Errorf("got %d numbers for %d sweeps", len(given), programs*each)
	}
	store, err := repository.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if sweep, err := experiment.NewSweep(t.Context(), store, 3, ordersOf(1)); err != nil || sweep.Profile != 3 || sweep.Orders[0].Profile != 3 {
		t.Errorf("got the profile %d, %v, want 3", sweep.Profile, err)
	}
}
