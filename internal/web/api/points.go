package api

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"sledge/internal/document"
	"sledge/internal/job"
)

const (
	// mostAsked limits the requests for points that are answered or wait, and mostAskedByOne those of
	// one user. A page that compares eight runs has eight.
	mostAsked      = 64
	mostAskedByOne = 16

	// keptPoints is the number of answers that are kept. An answer takes at most 1 MB.
	keptPoints = 16
)

// points computes the points of jobs, one request at a time, because those of a day take
// half a second of two cores, on which virtual users may be working. It keeps the last answers for jobs
// that have ended.
type points struct {
	*base
	quota quota
	turn  chan struct{} // holds a value while points are computed

	mu   sync.Mutex
	kept []answered // the newest last
}

// asked is what an answer depends on.
type asked struct {
	id          job.ID
	from, until time.Time // in UTC
	most        int
}

type answered struct {
	asked
	points document.Points
}

func newPoints(b *base) *points {
	return &points{
		base: b, quota: quota{what: "requests for points", remedy: "wait for one", most: mostAsked, mostOfOne: mostAskedByOne},
		turn: make(chan struct{}, 1),
	}
}

func (p *points) add(t *table) {
	o := get("show-points", "/jobs/{id}/points", "Show a run over time, with the points of the live view", tagJobs)
	o.Description = `Each point covers one second or several, and counts all their transactions; percentiles are those of merged histograms. If there are more seconds than
points, the response has wider points, and from and until select a part of the run. After the first hour of a phase, a second stands for half a minute. The job
may be running: the response has what is recorded, without the last second or two.`
	o.Errors = []int{http.StatusTooManyRequests}
	add(t, o, func(ctx context.Context, in *struct {
		OneJob
		Points int       `query:"points" minimum:"16" maximum:"480" default:"480" doc:"Maximum number of points."`
		From   time.Time `query:"from" doc:"Only seconds that ended after this time."`
		Until  time.Time `query:"until" doc:"Only seconds that ended until this time."`
	},
	) (*of[document.Points], error) {
		j, err := p.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		return answer(p.pointsOf(ctx, j, in.From, in.Until, in.Points))
	})
}

// pointsOf returns the points of a job, as document.NewPoints does.
func (p *points) pointsOf(ctx context.Context, j job.Job, from, until time.Time, most int) (document.Points, error) {
	who := p.userOf(ctx)
	if err := p.quota.take(who); err != nil {
		return document.Points{}, err
	}
	defer p.quota.free(who)
	key := asked{j.ID, from.UTC(), until.UTC(), most}
	if known, is := p.answered(key); is {
		return known, nil
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return document.Points{}, ctx.Err()
	}
	if known, is := p.answered(key); is { // the request before asked for the same
		return known, nil
	}
	points, err := document.NewPoints(ctx, p.Store, p.liveJob(j), from, until, most)
	if err == nil && j.Status != job.Running {
		p.keep(key, points)
	}
	return points, err
}

// answered returns a kept answer, which becomes the newest.
func (p *points) answered(key asked) (document.Points, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.kept, func(a answered) bool { return a.asked == key })
	if i < 0 {
		return document.Points{}, false
	}
	known := p.kept[i]
	p.kept = append(slices.Delete(p.kept, i, i+1), known)
	return known.points, true
}

// keep keeps an answer in place of the one that was not asked for the longest.
func (p *points) keep(key asked, points document.Points) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) == keptPoints {
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	p.kept = append(p.kept, answered{key, points})
}
