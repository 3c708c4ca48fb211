package api

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control"
	"sledge/internal/control/tasks"
	"sledge/internal/job"
)

// ChainWanted is a request for a chain.
type ChainWanted struct {
	Settings map[string]Value  `json:"settings" maxProperties:"500" doc:"Settings of the run by the names of a configuration file. The build has the same, except users."`
	Labels   map[string]string `json:"labels,omitempty" maxProperties:"100" doc:"Labels of the run."`
	Note     string            `json:"note,omitempty" doc:"The note of the run."`
	Resume   bool              `json:"resume,omitempty" doc:"Continue a build that was interrupted."`
}

// Chain is a build, and the run that starts when the build has succeeded.
type Chain struct {
	Build   job.ID       `json:"build"`
	State   tasks.Status `json:"state" enum:"running,done,stopped,failed" doc:"running until the run begins; then done."`
	Run     job.ID       `json:"run,omitempty" doc:"The run, or the first of several, once it has begun."`
	Profile int          `json:"profile,omitempty" doc:"The profile of the runs, if the settings have several numbers of virtual users."`
	Reason  string       `json:"reason,omitempty" doc:"Why no run began."`
}

// chain is a Chain that waits or has ended.
type chain struct {
	build job.ID
	then  Wanted      // the run
	taken atomic.Bool // either the run begins, or a request has stopped the chain

	mu    sync.Mutex // held only briefly
	state Chain
}

// ID implements tasks.Task.
func (c *chain) ID() string { return string(c.build) }

// IsOver implements tasks.Task.
func (c *chain) IsOver() bool { return c.now().State != tasks.Running }

func (c *chain) now() Chain {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

func (c *chain) become(to Chain) Chain {
	c.mu.Lock()
	defer c.mu.Unlock()
	to.Build = c.build
	c.state = to
	return to
}

// startedChain is the response to a request that starts a chain.
type startedChain struct {
	Location string `header:"Location" doc:"The address of the chain, relative to this one."`
	Body     Chain
}

// oneChain is the path parameter that names a chain.
type oneChain struct {
	Build string `path:"build" maxLength:"24" doc:"The ID of the build."`
}

// chains are the chains that were started here. They end with the server.
type chains struct {
	*sequences
	list tasks.List[*chain]
}

func (cs *chains) add(t *table) {
	start := huma.Operation{
		OperationID: "start-chain", Method: http.MethodPost, Path: "/chains", Tags: []string{tagVerbs}, DefaultStatus: http.StatusCreated,
		Summary:     "Build a schema, then start a run",
		Description: "The response comes when the build has begun. If the build succeeds, the server starts the run, or with several numbers of virtual users a sequence of runs. It holds passwords until then.",
	}
	start.Errors = ofStart
	add(t, start, func(ctx context.Context, in *of[ChainWanted]) (*startedChain, error) {
		c, err := cs.start(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		return &startedChain{"chains/" + c.ID(), c.now()}, nil
	})
	add(t, get("get-chain", "/chains/{build}", "Show whether the run after a build has begun", tagVerbs),
		func(_ context.Context, in *oneChain) (*of[Chain], error) {
			c, err := cs.find(in)
			if err != nil {
				return nil, err
			}
			return answer(c.now(), nil)
		})
	stop := huma.Operation{
		OperationID: "stop-chain", Method: http.MethodPost, Path: "/chains/{build}/stop", Tags: []string{tagVerbs}, DefaultStatus: http.StatusAccepted,
		Summary: "Start no run after a build", Description: "The build continues.",
	}
	stop.Errors = conflict
	add(t, stop, func(_ context.Context, in *oneChain) (*of[Chain], error) {
		c, err := cs.find(in)
		switch {
		case err != nil:
			return nil, err
		case !c.taken.CompareAndSwap(false, true):
			return nil, problem(http.StatusConflict, "nothing waits for the build %s any more", c.build)
		}
		return answer(c.become(Chain{State: tasks.Stopped, Reason: "a request has stopped it"}), nil)
	})
}

func (cs *chains) find(in *oneChain) (*chain, error) {
	c, found := cs.list.Find(in.Build)
	if !found {
		return nil, problem(http.StatusNotFound, "this server has started no chain with the build %s", in.Build)
	}
	return c, nil
}

// start starts the build. It resolves the settings of both jobs first, so that a mistake in those of the
// run does not appear after the build.
func (cs *chains) start(ctx context.Context, in ChainWanted) (*chain, error) {
	then := Wanted{Action: job.Run, Settings: in.Settings, Labels: in.Labels, Note: in.Note}
	if _, err := cs.resolve(then); err != nil {
		return nil, err
	}
	own := maps.Clone(in.Settings)
	delete(own, "users")
	order, err := cs.signedIn(ctx, Wanted{Action: job.Build, Settings: own, Resume: in.Resume})
	if err != nil {
		return nil, err
	}
	h, err := cs.begin(order)
	if err != nil {
		return nil, err
	}
	return cs.list.Begin(func([]*chain) (*chain, error) {
		c := &chain{build: h.ID(), then: then, state: Chain{Build: h.ID(), State: tasks.Running}}
		cs.background.Go(func() { cs.follow(c, h) })
		return c, nil
	})
}

// follow starts the run when the build has succeeded.
func (cs *chains) follow(c *chain, build *control.Handle) {
	o := build.Wait()
	if !c.taken.CompareAndSwap(false, true) {
		return
	}
	to := Chain{State: tasks.Done}
	err := o.Err()
	if err == nil {
		to.Run, to.Profile, err = cs.run(c.then)
	}
	if err != nil {
		to.State, to.Reason = tasks.Failed, err.Error()
	}
	c.become(to)
}

// run starts the run of a chain, or the sequence of runs, and returns the first run and the profile.
func (cs *chains) run(then Wanted) (first job.ID, profile int, err error) {
	order, err := cs.signedIn(cs.ctx, then)
	if err != nil {
		return "", 0, err
	}
	if len(order.Counts) > 1 {
		s, err := cs.startSequence(cs.ctx, then)
		if err != nil {
			return "", 0, err
		}
		return s.Body.Jobs[0], s.Body.Profile, nil
	}
	h, err := cs.begin(order)
	if err != nil {
		return "", 0, err
	}
	return h.ID(), 0, nil
}
