package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// serverReport is the report that the server makes of itself while a run is measured, in a
// session of its own. Whatever becomes of it, the run is worth what it is. A nil is none.
type serverReport struct {
	how     *database.Report
	session database.Session
	over    chan struct{} // closed when the measured time is
	done    chan struct{} // closed when made is there; nil before the measured time
	made    job.ServerReport
	cancel  func()
	ending  sync.Once
}

const (
	reportPatience   = time.Minute     // how long a report may take when the measured time is over
	reportCancelling = 5 * time.Second // how long the server may take to end one that was cancelled
	longestReport    = 1 << 20         // how many bytes of it are kept
)

// openReport connects for the report, if the options ask for one, so that nobody logs in
// while the run is measured.
func openReport(ctx context.Context, p Plan) *serverReport {
	if p.Database.Report == nil || p.Pacing.Test {
		return nil
	}
	how := p.Database.Report(p.Connection, p.Pacing.Duration)
	if how == nil {
		return nil
	}
	s := &serverReport{how: how, over: make(chan struct{}), made: job.ServerReport{Title: how.Title, Error: how.LeftOut}, cancel: func() {}}
	if how.LeftOut != "" {
		return s
	}
	var err error
	if s.session, err = connectSteady(ctx, p); err != nil {
		s.session, s.made.Error = nil, err.Error()
	}
	return s
}

// begin has the server begin, as the measured time does.
func (s *serverReport) begin(ctx context.Context) {
	if s == nil || s.session == nil {
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		began := time.Now()
		err := job.Guarded(func() (err error) {
			s.made.Text, err = s.how.Make(ctx, s.session, s.over)
			return err
		})
		s.made.Seconds = time.Since(began).Seconds()
		switch {
		case err != nil:
			s.made.Error = err.Error()
		case s.made.Text == "":
			s.made.Error = "the server returned an empty one"
		case len(s.made.Text) > longestReport:
			s.made.Text = strings.ToValidUTF8(s.made.Text[:longestReport], "") + "\n(cut off here)"
		}
	}()
}

// timeUp says that the measured time is over.
func (s *serverReport) timeUp() {
	if s != nil {
		s.ending.Do(func() { close(s.over) })
	}
}

// end returns the report. After a whole measured time it is waited for, unless the user stops
// that; else it is broken off.
func (s *serverReport) end(whole bool, stop <-chan struct{}) *job.ServerReport {
	if s == nil {
		return nil
	}
	if s.done == nil {
		if s.made.Error == "" {
			s.made.Error = "the run ended before the measured time"
		}
		return &s.made
	}
	why := "the run ended early"
	if whole {
		patience := time.NewTimer(reportPatience)
		defer patience.Stop()
		select {
		case <-s.done:
		case <-stop:
			why = "it was stopped while the server wrote it"
		case <-patience.C:
			why = fmt.Sprintf("the server had not written it %s after the measured time", reportPatience)
		}
	}
	select {
	case <-s.done:
		return &s.made
	default:
	}
	s.cancel()
	select {
	case <-s.done:
	case <-time.After(reportCancelling):
		s.session.Interrupt()
		<-s.done
	}
	return &job.ServerReport{Title: s.how.Title, Seconds: s.made.Seconds, Error: why}
}

// close ends what is left of it.
func (s *serverReport) close() {
	if s == nil || s.session == nil {
		return
	}
	s.timeUp()
	s.cancel()
	if s.done != nil {
		<-s.done
	}
	closeQuietly(&s.session)
}
