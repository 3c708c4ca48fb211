package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// Sequence is runs with different numbers of virtual users, one after another, which are a
// performance profile.
type Sequence struct {
	Profile int      `json:"profile"`
	Users   []int    `json:"users" doc:"Numbers of virtual users, in the order of the runs."`
	Jobs    []job.ID `json:"jobs" doc:"The runs that have begun; while the state is running, the last of them is under way."`
	State   string   `json:"state" enum:"running,done,stopped,failed"`
	Reason  string   `json:"reason,omitempty" doc:"Why the remaining runs were not done."`
}

// Sequences are those that this server has started.
type Sequences struct {
	Sequences []Sequence `json:"sequences" doc:"Newest first."`
}

// sweep is a sequence under way, or over. The API's lock guards it.
type sweep struct {
	Sequence
	stop context.CancelFunc // ends it before the next run
}

const (
	sequenceRunning = "running"
	sequenceDone    = "done"
	sequenceStopped = "stopped"
	sequenceFailed  = "failed"

	mostSequences = 100 // that are remembered
)

// startedSequence is the answer to a request that starts one.
type startedSequence struct {
	Location string `header:"Location" doc:"The address of its profile, relative to this one."`
	Body     Sequence
}

func (a *API) addSequences() {
	start := huma.Operation{
		OperationID: "start-sequence", Method: http.MethodPost, Path: "/sequences", Tags: []string{tagVerbs}, DefaultStatus: http.StatusCreated,
		Summary:     "Start runs with several numbers of virtual users, one after another",
		Description: "Like sledge run --users 1,2,4: together the runs are a performance profile, a new one if none is named. The sequence ends after the first run that fails, is not valid or is stopped. Each run is a job that can be followed and stopped.",
	}
	add(a, start, func(ctx context.Context, in *of[Wanted]) (*startedSequence, error) {
		return a.startSequence(ctx, in.Body)
	})
	add(a, get("list-sequences", "/sequences", "List the sequences of runs that this server started", tagVerbs),
		func(context.Context, *struct{}) (*of[Sequences], error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			d := Sequences{Sequences: []Sequence{}}
			for _, s := range slices.Backward(a.sweeps) {
				d.Sequences = append(d.Sequences, s.copy())
			}
			return answer(d, nil)
		})
	stop := huma.Operation{
		OperationID: "stop-sequence", Method: http.MethodPost, Path: "/sequences/{profile}/stop", Tags: []string{tagVerbs}, DefaultStatus: http.StatusAccepted,
		Summary: "Stop a sequence of runs", Description: "Its current run is stopped, and no other begins.",
	}
	add(a, stop, func(_ context.Context, in *struct {
		Profile int `path:"profile" minimum:"1"`
	},
	) (*of[Sequence], error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, s := range slices.Backward(a.sweeps) {
			if s.Profile != in.Profile {
				continue
			}
			if s.State != sequenceRunning {
				return nil, problem(http.StatusConflict, "the runs of profile %d have already ended", in.Profile)
			}
			s.stop()
			if h := a.running[s.Jobs[len(s.Jobs)-1]]; h != nil {
				h.Stop()
			}
			return answer(s.copy(), nil)
		}
		return nil, problem(http.StatusNotFound, "this server has started no sequence for profile %d", in.Profile)
	})
}

// copy returns what others may keep. The API's lock is held.
func (s *sweep) copy() Sequence {
	c := s.Sequence
	c.Jobs = slices.Clone(s.Jobs)
	return c
}

// startSequence starts the first of several runs, and the others when it has ended.
func (a *API) startSequence(ctx context.Context, in Wanted) (*startedSequence, error) {
	if in.Action != job.Run {
		return nil, wrong("action", "action: a sequence consists of runs, so action must be run, not %s", in.Action)
	}
	order, err := a.signedIn(ctx, in)
	if err != nil {
		return nil, err
	}
	orders, err := order.Runs()
	if err != nil {
		return nil, err
	}
	plan, err := experiment.NewSweep(ctx, a.Store, in.Profile, orders)
	if err != nil {
		return nil, err
	}
	first, err := a.begin(plan.Orders[0])
	if err != nil {
		return nil, err
	}
	going, cancel := context.WithCancel(a.ctx)
	s := &sweep{Sequence: Sequence{Profile: plan.Profile, Users: order.Counts, Jobs: []job.ID{first.ID()}, State: sequenceRunning}, stop: cancel}
	a.mu.Lock()
	defer a.mu.Unlock()
	begun := a.beside(func() {
		defer cancel()
		a.sweep(going, s, plan, first)
	})
	if !begun {
		cancel()
		return nil, ending("no other run begins")
	}
	if len(a.sweeps) >= mostSequences {
		if i := slices.IndexFunc(a.sweeps, func(s *sweep) bool { return s.State != sequenceRunning }); i >= 0 {
			a.sweeps = slices.Delete(a.sweeps, i, i+1)
		}
	}
	a.sweeps = append(a.sweeps, s)
	return &startedSequence{Location: "profiles/" + strconv.Itoa(plan.Profile), Body: s.copy()}, nil
}

// sweep does the runs of a sequence, the first of which has begun.
func (a *API) sweep(ctx context.Context, s *sweep, plan experiment.Sweep, h *control.Handle) {
	err := plan.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		if i > 0 {
			var err error
			if h, err = a.begin(order); err != nil {
				return job.Job{}, err
			}
			a.mu.Lock()
			s.Jobs = append(s.Jobs, h.ID())
			if ctx.Err() != nil {
				h.Stop() // it was stopped while this run began
			}
			a.mu.Unlock()
		}
		o := h.Wait()
		return o.Job, o.Err()
	}).Failure
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		s.State = sequenceDone
	case errors.Is(err, context.Canceled), job.ExitOf(err) == job.ExitStopped:
		s.State, s.Reason = sequenceStopped, err.Error()
	default:
		s.State, s.Reason = sequenceFailed, err.Error()
	}
}
