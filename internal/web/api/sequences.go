package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control"
	"sledge/internal/control/tasks"
	"sledge/internal/experiment"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// Sequence is a series of runs with different numbers of virtual users, which form a performance
// profile.
type Sequence struct {
	Profile int          `json:"profile"`
	Users   []int        `json:"users" doc:"Numbers of virtual users, in the order of the runs."`
	Jobs    []job.ID     `json:"jobs" doc:"The runs that have begun; while the state is running, the last one is running."`
	State   tasks.Status `json:"state" enum:"running,done,stopped,failed"`
	Reason  string       `json:"reason,omitempty" doc:"Why the remaining runs were skipped."`
}

// Sequences lists the sequences that this server has started.
type Sequences struct {
	Sequences []Sequence `json:"sequences" doc:"Newest first."`
}

// sweep is a sequence that runs or has ended.
type sweep struct {
	profile int
	stop    context.CancelFunc // ends it before the next run

	mu    sync.Mutex // held only briefly
	state Sequence
}

// startedSequence is the response to a request that starts a sequence.
type startedSequence struct {
	Location string `header:"Location" doc:"The address of its profile, relative to this one."`
	Body     Sequence
}

// sequences are the sequences of runs that were started here.
type sequences struct {
	*jobs
	list tasks.List[*sweep]
}

func (q *sequences) add(t *table) {
	start := huma.Operation{
		OperationID: "start-sequence", Method: http.MethodPost, Path: "/sequences", Tags: []string{tagVerbs}, DefaultStatus: http.StatusCreated,
		Summary:     "Start runs with several numbers of virtual users, one after another",
		Description: "Like sledge run --users 1,2,4: the runs form a performance profile, which is new unless the request names one. The sequence ends after the first run that fails, is not valid or is stopped. Each run is a job that can be followed and stopped.",
	}
	start.Errors = ofStart
	add(t, start, func(ctx context.Context, in *of[Wanted]) (*startedSequence, error) {
		return q.startSequence(ctx, in.Body)
	})
	add(t, get("list-sequences", "/sequences", "List the sequences of runs that this server started", tagVerbs),
		func(context.Context, *struct{}) (*of[Sequences], error) {
			d := Sequences{Sequences: []Sequence{}}
			for _, s := range slices.Backward(q.list.All()) {
				d.Sequences = append(d.Sequences, s.copy())
			}
			return answer(d, nil)
		})
	stop := huma.Operation{
		OperationID: "stop-sequence", Method: http.MethodPost, Path: "/sequences/{profile}/stop", Tags: []string{tagVerbs}, DefaultStatus: http.StatusAccepted,
		Summary: "Stop a sequence of runs", Description: "Its current run is stopped, and no other begins.",
	}
	stop.Errors = conflict
	add(t, stop, func(_ context.Context, in *struct {
		Profile int `path:"profile" minimum:"1"`
	},
	) (*of[Sequence], error) {
		s, found := q.list.Find(strconv.Itoa(in.Profile))
		switch {
		case !found:
			return nil, problem(http.StatusNotFound, "this server has no sequence for profile %d", in.Profile)
		case s.IsOver():
			return nil, problem(http.StatusConflict, "the runs of profile %d have already ended", in.Profile)
		}
		s.stop()
		now := s.copy()
		if h := q.handle(now.Jobs[len(now.Jobs)-1]); h != nil {
			h.Stop()
		}
		return answer(now, nil)
	})
}

// ID implements tasks.Task.
func (s *sweep) ID() string { return strconv.Itoa(s.profile) }

// IsOver implements tasks.Task.
func (s *sweep) IsOver() bool { return s.copy().State != tasks.Running }

// copy returns a copy of the state.
func (s *sweep) copy() Sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.state
	c.Jobs = slices.Clone(c.Jobs)
	return c
}

// startSequence starts the first of several runs. The others follow when it has ended.
func (q *sequences) startSequence(ctx context.Context, in Wanted) (*startedSequence, error) {
	if in.Action != job.Run {
		return nil, wrong("action", "action: a sequence consists of runs: set action to run, not %s", in.Action)
	}
	order, err := q.signedIn(ctx, in)
	if err != nil {
		return nil, err
	}
	orders, err := order.Runs()
	if err != nil {
		return nil, err
	}
	plan, err := experiment.NewSweep(ctx, q.Store, in.Profile, orders)
	if err != nil {
		return nil, err
	}
	first, err := q.begin(plan.Orders[0])
	if err != nil {
		return nil, err
	}
	going, cancel := context.WithCancel(q.ctx)
	s := &sweep{profile: plan.Profile, stop: cancel, state: Sequence{Profile: plan.Profile, Users: order.Counts, Jobs: []job.ID{first.ID()}, State: tasks.Running}}
	_, err = q.list.Begin(func([]*sweep) (*sweep, error) {
		q.background.Go(func() {
			defer cancel()
			q.sweep(going, s, plan, first)
		})
		return s, nil
	})
	if err != nil {
		cancel()
		return nil, err
	}
	return &startedSequence{Location: "profiles/" + strconv.Itoa(plan.Profile), Body: s.copy()}, nil
}

// sweep performs the runs of a sequence. The first run has begun already.
func (q *sequences) sweep(ctx context.Context, s *sweep, plan experiment.Sweep, h *control.Handle) {
	err := plan.Run(ctx, func(i int, order settings.Order) (job.Job, error) {
		if i > 0 {
			var err error
			if h, err = q.begin(order); err != nil {
				return job.Job{}, err
			}
			s.mu.Lock()
			s.state.Jobs = append(s.state.Jobs, h.ID())
			s.mu.Unlock()
			if ctx.Err() != nil {
				h.Stop() // it was stopped while this run began
			}
		}
		o := h.Wait()
		return o.Job, o.Err()
	}).Failure
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.state.State = tasks.Done
	case errors.Is(err, context.Canceled), job.ExitOf(err) == job.ExitStopped:
		s.state.State, s.state.Reason = tasks.Stopped, err.Error()
	default:
		s.state.State, s.state.Reason = tasks.Failed, err.Error()
	}
}
