package observer

import (
	"context"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// ServerReport makes the server write a report about itself during the measured time.
type ServerReport struct {
	Base
	How     *database.Report
	Connect Connect
	Stop    <-chan struct{} // closed when the user stops waiting

	session database.Session
	over    chan struct{} // closed at the end of the measured time; nil before its start
	whole   bool          // the measured time was complete
	done    chan struct{} // closed when made is set
	cancel  func()
	made    job.ServerReport
}

const (
	reportPatience   = time.Minute     // time limit of a report after the measured time
	reportCancelling = 5 * time.Second // time limit for the server to end a cancelled report
	longestReport    = 1 << 20         // maximum length that is kept, in bytes
)

// Name implements Observer.
func (s *ServerReport) Name() string { return "The server's report" }

// Begin implements Observer. It connects before the measured time, which then contains no log-in.
func (s *ServerReport) Begin(ctx context.Context, _ Axis) error {
	s.made = job.ServerReport{Title: s.How.Title, Error: s.How.LeftOut}
	if s.How.LeftOut != "" {
		return nil
	}
	var err error
	if s.session, err = s.Connect(ctx); err != nil {
		s.session, s.made.Error = nil, err.Error()
	}
	return nil
}

// Reach implements Observer.
func (s *ServerReport) Reach(ctx context.Context, m Moment) error {
	switch {
	case s.session == nil:
	case m == RampUpOver:
		s.start(context.WithoutCancel(ctx)) // the report takes longer than this call
	case s.over != nil:
		s.whole = m == TimeUp
		close(s.over)
	}
	return nil
}

// start makes the server begin the report.
func (s *ServerReport) start(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.over, s.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(s.done)
		began := time.Now()
		err := job.Guarded(func() (err error) {
			s.made.Text, err = s.How.Make(ctx, s.session, s.over)
			return err
		})
		s.made.Seconds = time.Since(began).Seconds()
		switch {
		case err != nil:
			s.made.Error = err.Error()
		case s.made.Text == "":
			s.made.Error = "the server returned an empty report"
		case len(s.made.Text) > longestReport:
			s.made.Text = job.Cut(s.made.Text, longestReport)
		}
	}()
}

// EndsWithin implements Patient. It sets no limit, because End has its own limits.
func (s *ServerReport) EndsWithin() time.Duration { return 0 }

// End implements Observer. After a complete measured time it waits for the report, unless the user
// stops that. Otherwise it cancels the report.
func (s *ServerReport) End(ctx context.Context) error {
	defer closeQuietly(&s.session)
	if s.done == nil {
		if s.made.Error == "" {
			s.made.Error = "the run ended before the measured time"
		}
		return nil
	}
	defer s.cancel()
	why := s.await(ctx)
	select {
	case <-s.done:
		return nil
	default:
	}
	s.cancel()
	select {
	case <-s.done:
	case <-time.After(reportCancelling):
		s.session.Interrupt()
		<-s.done
	}
	s.made = job.ServerReport{Title: s.How.Title, Seconds: s.made.Seconds, Error: why}
	return nil
}

// await waits for the report. If it gives up, it returns the reason.
func (s *ServerReport) await(ctx context.Context) (why string) {
	const early = "the run ended early"
	if !s.whole {
		return early
	}
	patience := time.NewTimer(reportPatience)
	defer patience.Stop()
	select {
	case <-s.done:
	case <-ctx.Done():
		return early
	case <-s.Stop:
		return "it was stopped while the server wrote it"
	case <-patience.C:
		return fmt.Sprintf("the server had not written it %s after the measured time", reportPatience)
	}
	return ""
}

// Report implements Observer.
func (s *ServerReport) Report(result *job.Result) { result.ServerReport = &s.made }
