package generator

import (
	"sync"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// spans records each transaction of a finite run, and reports its start and its end.
type spans struct {
	group *group

	mu   sync.Mutex
	list []job.Span
}

// openSpan is a transaction in flight.
type openSpan struct {
	job.Span
	failure error // error of its last try
}

// begin reports that a user begins a transaction. It returns a function that reports the end.
func (s *spans) begin(u *user, c *connection, t workload.Transaction) (end func()) {
	r := s.group
	spanner := c.Executor.(workload.Spanner)
	of := spanner.Span(t)
	u.span = &openSpan{Span: job.Span{
		User: r.plan.Position(u.number), Kind: r.plan.Workload.Kinds[t.Kind].Name,
		Stage: u.stage, Stream: of.Stream, Set: of.Set, Number: of.Number, Of: of.Of,
		From: time.Since(r.began).Seconds(),
	}}
	begun := u.span.Span
	r.feed.Send(job.Event{User: begun.User, Span: &begun})
	return func() {
		span := u.span.Span
		u.span = nil
		if span.Outcome == "" {
			span.Outcome, span.Seconds = job.SpanCutOff, time.Since(r.began).Seconds()-span.From
		}
		after := spanner.Span(t)
		if span.Done() {
			span.Rows = after.Rows
		}
		if after.Answer != nil {
			after.Answer.Kind = span.Kind
			r.feed.Send(job.Event{User: span.User, Answer: after.Answer})
		}
		s.mu.Lock()
		s.list = append(s.list, span)
		s.mu.Unlock()
		r.feed.Send(job.Event{User: span.User, Span: &span})
	}
}

// ended records how the transaction ended.
func (o *openSpan) ended(r meter.Record) {
	o.Seconds, o.Retries = r.Service.Seconds(), int(r.Retries)
	switch r.Outcome {
	case meter.Failed:
		o.Outcome, o.Class, o.Message = job.SpanFailed, r.Class.String(), o.failure.Error()
	default:
		o.Outcome = job.SpanDone
	}
}

// all returns the transactions that have ended.
func (s *spans) all() []job.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}
