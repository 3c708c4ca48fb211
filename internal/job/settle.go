package job

import (
	"context"
	"strings"
	"time"
)

// Settled returns the result of a job that has ended with err, which may be nil. It fills in the
// status and the reason if they are empty.
func (r Result) Settled(err error) Result {
	switch {
	case err != nil && (r.Status == "" || r.Status == Running || r.Status == Succeeded):
		r.Status = Failed
	case r.Status == "" || r.Status == Running:
		r.Status = Succeeded
	}
	if all := r.Summary.All(); all.Done > 0 {
		r.P99 = time.Duration(all.Response.ValueAtQuantile(99)).Seconds()
	}
	if err != nil && r.Reason == "" {
		r.Reason = strings.ReplaceAll(err.Error(), context.Canceled.Error(), Stopped)
	}
	return r
}

// Stopped is the reason of a stopped job. It replaces the text of context.Canceled.
const Stopped = "stopped before it was done"
