package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control/tasks"
	"sledge/internal/document"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/report"
)

// Live is a message of the live view of a job.
type Live struct {
	live.Update

	// Job is the job as a list shows it; only in the first message.
	Job *report.Document `json:"job,omitempty"`

	// Here is true if this server started the job, and so can end it. Otherwise Elsewhere says
	// which program runs it.
	Here      bool   `json:"here" doc:"This server started the job, and can end it."`
	Elsewhere string `json:"elsewhere,omitempty" doc:"Which other program runs the job, and which details this server lacks."`
}

const (
	// liveEvery is the shortest time between two messages of a live view.
	liveEvery = 500 * time.Millisecond

	// liveBeat is the longest time between two messages, so that a page soon notices stale data.
	liveBeat = 2 * time.Second

	// liveKept is the time for which the view of a job without clients continues, so that a
	// reloaded page gets its state back. mostLeft limits the number of such views.
	liveKept = 30 * time.Second
	mostLeft = 8
)

// viewed is the live view of a job. It follows the job once for all clients.
type viewed struct {
	views *liveViews
	job   job.Job
	epoch string // distinguishes marks of this view from those of another
	end   context.CancelFunc

	mu      tasks.Cond
	view    *live.View
	head    report.Document
	over    *report.Document // the job when it has ended
	gone    bool             // whether the view has stopped following the job
	failed  error            // why it stopped, if it failed
	at      int              // the view's count of changes at the last message
	version int              // of the last message
	before  live.Mark        // begin of the last message
	mark    live.Mark        // end of the last message
	message string

	clients int         // the number of clients
	left    time.Time   // when the last client left
	idle    *time.Timer // ends the view after liveKept
}

// liveViews are the live views of jobs that have clients, or had some lately.
type liveViews struct {
	*jobs
	mu    sync.Mutex // held only briefly
	byJob map[job.ID]*viewed
}

func (l *liveViews) add(t *table) {
	o := get("view-job", "/jobs/{id}/live", "Follow the state of a running job", tagVerbs)
	o.Description = `Server-sent events, at most two per second for any number of virtual users. Each message contains the state of the job and new entries
of its lists. The entries replace the list from a position on, so that a repeated message is harmless. Charts have at most 480 points:
when there are more, neighbours are merged, and all points are sent again. The last message is named over and contains the job as a list shows it.

A client that lost its connection sends the last id as Last-Event-ID, or as the parameter after, and gets what it missed in one message.`
	o.Responses = messages[Live, report.Document](t, "The data of each message is a Live. The last message is named over, and its data is the job.")
	add(t, o, func(ctx context.Context, in *struct {
		OneJob
		Last  string `header:"Last-Event-ID" maxLength:"64" doc:"The id of the last message that was read."`
		After string `query:"after" maxLength:"64" doc:"The same, for clients that cannot send headers."`
	},
	) (*huma.StreamResponse, error) {
		j, err := l.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		return l.streamed(ctx, func(c huma.Context) {
			l.streaming(c, "job "+string(j.ID), func(ctx context.Context, s *stream) error { return l.streamLive(ctx, s, j, cmp.Or(in.Last, in.After)) })
		})
	})
	users := get("list-users", "/jobs/{id}/users", "List virtual users of a running job, with their last lines", tagVerbs)
	users.Description = "It returns only the part that the request selects, because there may be 10,000 users."
	users.Errors = []int{http.StatusServiceUnavailable}
	add(t, users, func(ctx context.Context, in *struct {
		OneJob
		State live.State `query:"state" enum:"waiting,running,succeeded,failed" doc:"Only virtual users in this state."`
		Text  string     `query:"text" maxLength:"100" doc:"Only virtual users whose number begins with this text, or whose last lines contain it."`
		From  int        `query:"from" minimum:"0" default:"0" doc:"Number of users to skip."`
		Limit int        `query:"limit" minimum:"0" maximum:"500" default:"100"`
	},
	) (*of[live.Some], error) {
		j, err := l.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		v := l.viewOf(j)
		defer v.leave()
		if err := v.caughtUp(ctx); err != nil {
			if ctx.Err() == nil {
				v.discard()
			}
			return nil, err
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		return answer(v.view.Users(live.Ask{State: in.State, Text: in.Text, From: in.From, Most: in.Limit}), nil)
	})
}

// streamLive sends a client the state of a job until it has ended.
func (l *liveViews) streamLive(ctx context.Context, s *stream, j job.Job, last string) error {
	if j.Status != job.Running { // other operations return ended jobs
		return s.message("over", overName, document.NewHead(j, l.headline))
	}
	v := l.viewOf(j)
	defer v.leave()
	epoch, text, _ := strings.Cut(last, "-")
	var mark live.Mark
	if epoch == v.epoch {
		if known, err := live.ParseMark(text); err == nil {
			mark = known
		}
	}
	first := true
	for version := 0; ; {
		message, now, more, over, err := v.messageFor(mark, version, first)
		switch {
		case err != nil:
			v.discard()
			return err
		case message != "":
			if err := s.write(message); err != nil {
				return err
			}
			version, mark, first = now.version, now.mark, false
		}
		if over != nil {
			return s.message(v.idOf(mark), overName, over)
		}
		if !more {
			return nil // the job was deleted
		}
		if err := v.await(ctx, version); err != nil {
			return err
		}
	}
}

// clientPosition is the position of a client.
type clientPosition struct {
	version int
	mark    live.Mark
}

// messageFor returns the message for a client that has read up to a mark and a version, or "" if there is
// nothing new. more says whether further messages may come.
func (v *viewed) messageFor(mark live.Mark, version int, first bool) (message string, now clientPosition, more bool, over *report.Document, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed != nil {
		return "", now, false, nil, v.failed
	}
	now = clientPosition{v.version, v.mark}
	switch {
	case v.version == 0 || v.version == version && !first:
	case !first && v.before == mark:
		message = v.message // the same for all clients that keep up
	default:
		now.mark = v.view.Mark()
		message, err = v.messageSince(mark, now.mark, first)
	}
	return message, now, !v.gone, v.over, err
}

// idOf returns the id of a message.
func (v *viewed) idOf(m live.Mark) string { return v.epoch + "-" + m.String() }

// messageSince returns the message with the changes between two marks. The caller holds the lock.
func (v *viewed) messageSince(since, until live.Mark, whole bool) (string, error) {
	l, err := v.liveOf(since, whole)
	if err != nil {
		return "", err
	}
	return messageOf(v.idOf(until), "", l)
}

// liveOf returns the data of a message. The caller holds the lock.
func (v *viewed) liveOf(since live.Mark, whole bool) (Live, error) {
	update, err := v.view.Since(since)
	l := Live{Update: update, Here: v.views.handle(v.job.ID) != nil}
	if whole {
		l.Job = &v.head
	}
	if !l.Here && v.over == nil {
		l.Elsewhere = fmt.Sprintf("Another program runs this job: process %d on %s. You see what it records, a second or two late; "+
			"the progress of a build is not recorded. End the job where it was started.", v.job.PID, v.job.Host)
	}
	return l, err
}

// viewOf returns the view of a job, and creates it for the first client. The caller must call leave.
func (l *liveViews) viewOf(j job.Job) *viewed {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.byJob[j.ID]
	if v == nil {
		v = &viewed{
			views: l, job: j, epoch: strconv.FormatInt(time.Now().UnixMilli(), 36),
			view: live.New(l.liveJob(j)), head: document.NewHead(j, l.headline),
		}
		var ctx context.Context
		ctx, v.end = context.WithCancel(l.ctx)
		l.byJob[j.ID] = v
		if !l.inBackground(func() { v.follow(ctx) }) {
			v.gone, v.failed = true, ending("jobs are not followed any more")
		}
	}
	v.clients++
	if v.idle != nil {
		v.idle.Stop()
		v.idle = nil
	}
	return v
}

// leave removes a client of the view.
func (v *viewed) leave() {
	v.views.mu.Lock()
	defer v.views.mu.Unlock()
	if v.clients--; v.clients > 0 || v.views.byJob[v.job.ID] != v {
		return
	}
	v.left, v.idle = time.Now(), time.AfterFunc(liveKept, v.forget)
	left, longest := 0, v
	for _, other := range v.views.byJob {
		if other.clients > 0 {
			continue
		}
		if left++; other.left.Before(longest.left) {
			longest = other
		}
	}
	if left > mostLeft {
		longest.drop()
	}
}

// forget ends the view if it has no clients.
func (v *viewed) forget() {
	v.views.mu.Lock()
	defer v.views.mu.Unlock()
	if v.clients == 0 {
		v.drop()
	}
}

// discard ends a view that has failed, so that the next client begins another.
func (v *viewed) discard() {
	v.views.mu.Lock()
	defer v.views.mu.Unlock()
	v.drop()
}

// drop ends a view. The caller holds the lock of the views.
func (v *viewed) drop() {
	v.end()
	if v.idle != nil {
		v.idle.Stop()
	}
	if v.views.byJob[v.job.ID] == v {
		delete(v.views.byJob, v.job.ID)
	}
}

// liveJob returns a job as a live view needs it. It has no headline figures if its settings cannot
// be resolved, as for a job of another version of Sledge.
func (b *base) liveJob(j job.Job) live.Job {
	speaker := views.Speaker(j, b.Resolver.Catalog)
	known := live.Job{Job: j, CountDelay: b.Resolver.CountDelay(j.Spec.Database), Say: func(e job.Event) (said []live.Line) {
		for _, line := range speaker.Say(e) {
			said = append(said, live.Line{User: line.User, Text: line.Text})
		}
		return said
	}}
	if order, err := b.Resolver.Order(j.Spec); err == nil {
		known.Score, known.Finite = order.Plan.Groups().Score, order.Plan.Pacing.Finite
		if steps := order.Plan.Steps; len(steps) > 0 {
			known.Working = steps[0].Users
		}
	}
	return known
}

// follow adds the events of the job to the view until the job ends or ctx is done.
func (v *viewed) follow(ctx context.Context) {
	var publishing sync.WaitGroup
	defer publishing.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	publishing.Go(func() { v.keepPublishing(ctx) })
	reader := &eventReader{job: v.job, receive: func(e job.Event) error {
		v.mu.Lock()
		defer v.mu.Unlock()
		if e.Second != nil && e.Sequence == 0 {
			e.User = job.Monitor // as in the original event
		}
		return v.view.Add(e)
	}}
	over, err := v.views.follow(ctx, reader)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over, v.gone = over, true
	if err != nil && !errors.Is(err, context.Canceled) {
		v.failed = err
	}
	v.publish()
}

// keepPublishing calls publish after changes, at most every liveEvery and at least every liveBeat.
func (v *viewed) keepPublishing(ctx context.Context) {
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			v.mu.Lock()
			if v.at != v.view.Changes() || v.version == 0 || now.Sub(last) >= liveBeat {
				last = now
				v.publish()
			}
			v.mu.Unlock()
		}
	}
}

// publish creates the message for clients that keep up, and wakes them. The caller holds the lock.
func (v *viewed) publish() {
	v.at, v.before = v.view.Changes(), v.mark
	v.mark = v.view.Mark()
	v.version++
	var err error
	if v.message, err = v.messageSince(v.before, v.mark, false); err != nil && v.failed == nil {
		v.failed = err
	}
	v.mu.Broadcast()
}

// caughtUp waits until the view contains all earlier events.
func (v *viewed) caughtUp(ctx context.Context) error {
	if err := v.await(ctx, 0); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failed
}

// await waits until there is a message after a version, or the view ends.
func (v *viewed) await(ctx context.Context, version int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.version == version && !v.gone && v.failed == nil {
		if err := v.mu.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}
