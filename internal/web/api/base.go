package api

import (
	"context"
	"sync"
	"sync/atomic"

	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
)

// base is what all parts of the API share.
type base struct {
	Config
	ctx        context.Context // of jobs and of streams
	end        context.CancelFunc
	streams    quota
	watchers   atomic.Int64   // streams of jobs that were started here
	background sync.WaitGroup // what Close waits for
}

// Limits.
const (
	mostStreams = 256 // streams of events
	mostOfOne   = 64  // streams of events of one user
	mostBody    = 256 << 10
)

func newBase(c Config) *base {
	b := &base{Config: c, streams: quota{what: "streams of events", remedy: "close one", most: mostStreams, mostOfOne: mostOfOne}}
	if b.Say == nil {
		b.Say = func(string) {}
	}
	if b.Note == nil {
		b.Note = func(context.Context, string) {}
	}
	b.ctx, b.end = context.WithCancel(context.Background())
	return b
}

// headline returns the headline of a run as one line, or "".
func (b *base) headline(j job.Job) string { return views.Headline(j, b.Resolver.Catalog) }
