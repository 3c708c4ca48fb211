// Package display shows jobs while they run: as lines, or as a block that a terminal redraws. It knows no command.
package display

import (
	"context"
	"io"
	"time"

	"sledge/internal/control"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// Options configure where and how a job is shown.
type Options struct {
	Out, Err io.Writer
	Screen   Screen // where lines can be redrawn
	Look     terminal.Look

	HammerDB bool // show the lines of HammerDB's virtual users
	Headline bool // print HammerDB's headline to Out
	Verbose  bool // show the lines of all virtual users
	Brief    bool // show progress only in the bar or block

	Interval time.Duration // time between lines of a run's progress; 0 chooses it from the run's length
	Title    string        // "run 2 of 5" in a sequence, or ""
}

// Plain returns a display for work that is not an order.
func Plain(o Options, about lines.About) *Display {
	return &Display{
		out: o.Out, err: o.Err, look: o.Look, bar: Bar{Screen: o.Screen},
		hammerDB: o.HammerDB, headline: o.Headline, verbose: o.Verbose, brief: o.Brief,
		speaker: lines.NewSpeaker(about),
	}
}

// New returns a display for the job of an order.
func New(order settings.Order, o Options) *Display {
	pacing := order.Plan.Pacing
	d := Plain(o, lines.About{
		Action: order.Spec.Action, Database: order.Plan.Database.Name, Product: order.Plan.Database.Title,
		Workload: order.Plan.Workload.Name, Title: order.Plan.Workload.Title,
	})
	d.counted, d.pacing, d.interval = order.Plan.Server.Counter != nil, pacing, chooseInterval(o.Interval, pacing)
	d.delay = order.Plan.Database.Runs.CountDelay
	d.scripted = order.Plan.Workload.Files != nil
	d.groups, d.groupOf = order.Spec.Groups(), order.Spec.GroupsOf(order.Plan.Groups().KindNames())
	d.spans.unit = order.Plan.Workload.Evidence.Throughput()
	if d.bar.Width != nil && order.Spec.Action == job.Run && !pacing.Test && !pacing.Finite && !o.HammerDB && o.Interval == 0 {
		users := max(order.Spec.AllUsers(), order.Plan.Users)
		if steps := order.Plan.Steps; steps != nil {
			users = steps[0].Users
		}
		d.block = &block{
			title: o.Title, users: users, groups: order.Spec.Groups(), delayed: d.delay > 0, length: func(phase job.Phase) time.Duration { return lengthOf(pacing, phase) },
			view: live.New(live.Job{Job: job.Job{Spec: order.Spec, Kinds: order.Plan.Groups().KindNames()}}),
		}
	}
	return d
}

// requested has the messages for requests to stop or abort a job.
var requested = map[job.Request]string{
	job.StopRequest:  "stopping: users finish their transactions; press Ctrl-C again to abort",
	job.AbortRequest: "aborting; press Ctrl-C again to quit at once",
}

// requested returns the message for a request to stop or abort this job.
func (d *Display) requested(w job.Request) string {
	if w == job.StopRequest && d.measured {
		return "stopping the server's maintenance after the run; press Ctrl-C again to abort"
	}
	return requested[w]
}

// Follow shows a job until it is over.
func (d *Display) Follow(r *control.Handle) {
	for e, missed := range r.Watch(context.Background(), 1) {
		if missed > 0 {
			d.Say("%d events are not shown here, because the output was read too slowly", missed)
		}
		d.Watch(e)
	}
}
