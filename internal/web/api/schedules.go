package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
	"sledge/internal/schedule"
	"sledge/internal/settings"
)

const tagSchedules = "Schedules"

// labelSchedule is the label of jobs that a schedule started; its value is the name of the set-up.
const labelSchedule = "schedule"

// Schedules lists the schedules.
type Schedules struct {
	Starts    bool       `json:"starts" doc:"Whether this server starts schedules; with --read-only it does not."`
	Schedules []Schedule `json:"schedules"`
}

// Schedule starts a saved set-up.
type Schedule struct {
	ID      int64           `json:"id"`
	Setup   SetupHead       `json:"setup"`
	Owner   string          `json:"owner,omitempty" doc:"The user who changed it last, or switched it on."`
	Enabled bool            `json:"enabled"`
	Cron    string          `json:"cron,omitempty" doc:"Missing for a single start."`
	Zone    string          `json:"zone,omitempty" doc:"The time zone of cron."`
	At      *time.Time      `json:"at,omitempty" doc:"The time of a single start; missing once it has passed."`
	Next    *time.Time      `json:"next,omitempty" doc:"The next start; missing if there is none."`
	Last    *ScheduledStart `json:"last,omitempty"`
}

// ScheduledStart is a start that was due.
type ScheduledStart struct {
	Due     time.Time               `json:"due"`
	Outcome repository.StartOutcome `json:"outcome" enum:"started,missed,failed" doc:"missed was not tried; failed began no job."`
	Times   int                     `json:"times" doc:"How many starts were missed, from due on; otherwise 1."`
	Job     job.ID                  `json:"job,omitempty" doc:"The job, or the first of several."`
	Reason  string                  `json:"reason,omitempty" doc:"Why no job was started."`
}

// ScheduledStarts lists the past starts of a schedule.
type ScheduledStarts struct {
	Starts []ScheduledStart `json:"starts" doc:"The last 200, newest first."`
}

// ScheduleTimes lists the next times of a cron expression.
type ScheduleTimes struct {
	Times []time.Time `json:"times"`
}

// OneSchedule is the path parameter that names a schedule.
type OneSchedule struct {
	ID int64 `path:"id" minimum:"1" doc:"Number of a schedule."`
}

// StartTimes are the times of a schedule in a request.
type StartTimes struct {
	Cron string    `json:"cron,omitempty" maxLength:"200" doc:"Minute, hour, day of the month, month and day of the week. Give cron or at."`
	Zone string    `json:"zone,omitempty" maxLength:"64" doc:"The time zone of cron, such as Europe/Berlin; UTC if missing."`
	At   time.Time `json:"at,omitzero" doc:"The time of a single start."`
}

// schedules start saved set-ups.
type schedules struct {
	*chains
	starts  bool
	changed chan struct{}
	stop    context.CancelFunc
}

func newSchedules(c *chains) *schedules {
	return &schedules{chains: c, changed: make(chan struct{}, 1), stop: func() {}}
}

// Schedule starts schedules until Interrupt or Close.
func (a *API) Schedule() {
	s := a.schedules
	ctx, stop := context.WithCancel(a.ctx)
	s.starts, s.stop = true, stop
	runner := schedule.Runner{Store: a.Store, Start: s.start, Say: a.Say, Changed: s.changed}
	a.jobs.inBackground(func() { runner.Run(ctx) })
}

// look makes the runner look at the schedules again.
func (s *schedules) look() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *schedules) add(t *table) {
	add(t, get("list-schedules", "/schedules", "List the schedules", tagSchedules), func(ctx context.Context, _ *struct{}) (*of[Schedules], error) {
		list, err := s.Store.Schedules(ctx)
		d := Schedules{s.starts, []Schedule{}}
		for _, one := range list {
			d.Schedules = append(d.Schedules, newSchedule(one))
		}
		return answer(d, err)
	})
	times := get("preview-schedule", "/schedules/times", "List the next times of a cron expression", tagSchedules)
	add(t, times, func(_ context.Context, in *struct {
		Cron string `query:"cron" required:"true" maxLength:"200" doc:"Minute, hour, day of the month, month and day of the week."`
		Zone string `query:"zone" default:"UTC" maxLength:"64"`
	},
	) (*of[ScheduleTimes], error) {
		times, err := schedule.Parse(in.Cron, in.Zone)
		d := ScheduleTimes{}
		for at := time.Now(); err == nil && len(d.Times) < 5; {
			if at, err = times.After(at); err == nil {
				d.Times = append(d.Times, at)
			}
		}
		return answer(d, err)
	})
	starts := get("list-scheduled-starts", "/schedules/{id}/starts", "List the past starts of a schedule", tagSchedules)
	add(t, starts, func(ctx context.Context, in *OneSchedule) (*of[ScheduledStarts], error) {
		if _, err := s.Store.Schedule(ctx, in.ID); err != nil {
			return nil, err
		}
		list, err := s.Store.ScheduledStarts(ctx, in.ID)
		d := ScheduledStarts{[]ScheduledStart{}}
		for _, one := range list {
			d.Starts = append(d.Starts, newStart(one))
		}
		return answer(d, err)
	})
	s.addChanges(t)
}

// addChanges adds the operations that change schedules.
func (s *schedules) addChanges(t *table) {
	create := huma.Operation{
		OperationID: "create-schedule", Method: http.MethodPost, Path: "/schedules", Tags: []string{tagSchedules}, DefaultStatus: http.StatusCreated,
		Summary:     "Start a saved set-up at a time, or again and again",
		Description: "The server starts the set-up as a user would, if it is running at that time and no other job is running on the same database. Otherwise the start is missed, which the list of starts says; it is not made up for. If the database server refuses the password that the start would have, the schedule is refused.",
	}
	create.Errors = ofConnection
	add(t, create, func(ctx context.Context, in *struct {
		Body struct {
			Setup int64 `json:"setup" minimum:"1" doc:"Number of a saved set-up."`
			StartTimes
		}
	},
	) (*of[Schedule], error) {
		setup, err := s.Store.Setup(ctx, in.Body.Setup)
		if err != nil {
			return nil, err
		}
		one := repository.Schedule{Setup: setup, Owner: s.userOf(ctx), Enabled: true}
		if err := in.Body.set(&one); err != nil {
			return nil, err
		}
		if err := s.refuseTyped(ctx, setup); err != nil {
			return nil, err
		}
		if one, err = s.Store.AddSchedule(ctx, one); err != nil {
			return nil, err
		}
		s.look()
		s.Note(ctx, fmt.Sprintf("scheduled set-up %q", setup.Name))
		return answer(newSchedule(one), nil)
	})
	change := huma.Operation{
		OperationID: "change-schedule", Method: http.MethodPatch, Path: "/schedules/{id}", Tags: []string{tagSchedules},
		Summary: "Switch a schedule on or off, or change its times", Description: "The user becomes its owner.",
	}
	change.Errors = ofConnection
	add(t, change, func(ctx context.Context, in *struct {
		OneSchedule
		Body struct {
			Enabled *bool `json:"enabled,omitempty"`
			StartTimes
		}
	},
	) (*of[Schedule], error) {
		one, err := s.Store.Schedule(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if in.Body.Enabled != nil {
			one.Enabled = *in.Body.Enabled
		}
		times := in.Body.StartTimes
		if times == (StartTimes{}) {
			if times.Cron, times.Zone = one.Cron, one.Zone; one.Cron == "" {
				times.At = one.Next
			}
		}
		if one.Enabled || times == in.Body.StartTimes {
			if err := times.set(&one); err != nil {
				return nil, err
			}
		}
		if one.Enabled {
			if err := s.refuseTyped(ctx, one.Setup); err != nil {
				return nil, err
			}
		}
		one.Owner = s.userOf(ctx)
		if err := s.Store.ChangeSchedule(ctx, one); err != nil {
			return nil, err
		}
		s.look()
		s.Note(ctx, fmt.Sprintf("changed the schedule of set-up %q", one.Setup.Name))
		return answer(newSchedule(one), nil)
	})
	remove := huma.Operation{
		OperationID: "delete-schedule", Method: http.MethodDelete, Path: "/schedules/{id}", Tags: []string{tagSchedules}, DefaultStatus: http.StatusNoContent,
		Summary: "Delete a schedule and the list of its starts", Description: "Jobs that it started stay.",
	}
	add(t, remove, func(ctx context.Context, in *OneSchedule) (*struct{}, error) {
		return nil, s.Store.RemoveSchedule(ctx, in.ID)
	})
}

// set sets the times of a schedule.
func (in StartTimes) set(one *repository.Schedule) error {
	now := time.Now()
	switch {
	case (in.Cron == "") == in.At.IsZero():
		return wrong("cron", "give either cron, for starts again and again, or at, for a single start")
	case in.Cron == "" && !in.At.After(now):
		return wrong("at", "at: this time has passed: give a later one")
	case in.Cron == "":
		one.Cron, one.Zone, one.Next = "", "", in.At.UTC().Truncate(time.Millisecond)
		return nil
	case in.Zone == "":
		in.Zone = time.UTC.String()
	}
	times, err := schedule.Parse(in.Cron, in.Zone)
	if err != nil {
		return err
	}
	one.Cron, one.Zone = times.Cron(), in.Zone
	one.Next, err = times.After(now)
	return err
}

// wantedBySchedule returns the request that a schedule makes.
func wantedBySchedule(setup repository.Setup) Wanted {
	in := wantedOf(setup)
	in.Labels = map[string]string{labelSchedule: setup.Name}
	return in
}

// wantedOf returns the request that starts a saved set-up.
func wantedOf(setup repository.Setup) Wanted {
	in := Wanted{Action: setup.Action, Settings: map[string]Value{}}
	for name, value := range setup.Settings {
		in.Settings[name] = Value(value)
	}
	return in
}

// refuseTyped returns an error if the database server refuses the passwords with which a schedule would
// start a set-up. If the server cannot be reached, the passwords may be right.
func (s *schedules) refuseTyped(ctx context.Context, setup repository.Setup) error {
	order, err := s.signedIn(ctx, wantedBySchedule(setup))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(order.Plan.Options(), func(o option.Description) bool { return o.Secret }) {
		return nil
	}
	if refused := settings.RefusalOf(ctx, setup.Action, order); refused != nil {
		return wrong("setup", "setup: a schedule cannot ask for a password, and the server refuses the one that it has: %v. Save a connection with the right password, and name it in the set-up", order.Explain(refused.PasswordError))
	}
	return nil
}

// start starts the set-up of a schedule.
func (s *schedules) start(ctx context.Context, one repository.Schedule) (job.ID, error) {
	if err := s.mayStart(one.Owner); err != nil {
		return "", err
	}
	in := wantedBySchedule(one.Setup)
	order, err := s.resolve(in)
	if err != nil {
		return "", err
	}
	running, err := s.Store.List(ctx, repository.Query{Status: job.Running, Database: order.Spec.Database})
	if err != nil {
		return "", err
	}
	for _, j := range running {
		if other, err := s.Resolver.Order(j.Spec); err == nil && other.Plan.Target() == order.Plan.Target() {
			return "", &schedule.MissedError{Reason: fmt.Sprintf("job %s was running on the same database", j.ID)}
		}
	}
	id, _, err := s.run(in)
	return id, err
}

// mayStart returns an error if the owner of a schedule may not start jobs any more.
func (s *schedules) mayStart(owner string) error {
	if s.Users == nil || owner == "" {
		return nil
	}
	list, err := s.Users()
	if err != nil || len(list.Users) == 0 {
		return err
	}
	if !slices.ContainsFunc(list.Users, func(u User) bool { return u.Name == owner && (u.Role == "act" || u.Role == "own") }) {
		return &schedule.MissedError{Reason: fmt.Sprintf("%s, who owns the schedule, may not start jobs any more: a user who may can switch it off and on again to own it", owner)}
	}
	return nil
}

// newSchedule returns the document of a schedule.
func newSchedule(one repository.Schedule) Schedule {
	d := Schedule{ID: one.Number, Setup: newSetup(one.Setup).SetupHead, Owner: one.Owner, Enabled: one.Enabled, Cron: one.Cron, Zone: one.Zone}
	if !one.Next.IsZero() {
		if one.Cron == "" {
			d.At = &one.Next
		}
		if one.Enabled {
			d.Next = &one.Next
		}
	}
	if one.Last != nil {
		last := newStart(*one.Last)
		d.Last = &last
	}
	return d
}

// newStart returns the document of a past start.
func newStart(one repository.ScheduledStart) ScheduledStart {
	return ScheduledStart{one.Due, one.Outcome, one.Times, one.Job, one.Reason}
}
