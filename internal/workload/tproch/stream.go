package tproch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch/qgen"
)

// stream is the terminal of a virtual user that runs the 22 queries in the order of its permutation
// (TPC-H 5.3.5 and appendix A), set after set.
type stream struct {
	options *Options
	sql     *sqlfile.Library
	seed    uint64
	scale   float64
	number  int
	order   [qgen.Queries]int

	set, next int // the current set, from 0, and the place of the next query in it, from 0
	question
}

// question is a query with its text.
type question struct {
	query int
	text  string
	err   error // why there is no text
	span  workload.Span
}

// newStream returns the stream with that number.
func newStream(slot workload.Slot, number int) *stream {
	return &stream{
		options: slot.Options.(*Options), sql: slot.SQL, seed: slot.Seed, scale: slot.Survey.(surveyed).factor,
		number: number, order: qgen.Order(number, qgen.Modulo40),
	}
}

// Pick implements workload.Terminal.
func (s *stream) Pick() (workload.Transaction, bool) {
	if s.next == qgen.Queries {
		s.set, s.next = s.set+1, 0
	}
	if s.set == s.options.QuerySets {
		return workload.Transaction{}, false
	}
	query := s.order[s.next]
	s.next++
	s.question = question{
		query: query,
		span:  workload.Span{Stream: s.number, Set: s.set + 1, Number: s.next, Of: qgen.Queries},
	}
	s.text, s.err = s.sql.Filled(fmt.Sprintf("q%02d", query), s.parameters(query).Literals())
	return workload.Transaction{Kind: meter.Kind(query - 1), Inputs: &s.question}, true
}

// parameters returns the parameters of the query. Each set of a stream has its own seed, like a
// separate run.
func (s *stream) parameters(query int) qgen.Parameters {
	if s.options.Validation {
		return qgen.Validation(query, s.scale)
	}
	seed := qgen.StreamSeed(s.seed+uint64(s.set)*(qgen.LastStream+1), s.number)
	return qgen.Generator{Seed: seed, Scale: s.scale}.Parameters(query)
}

// asker is the executor that runs queries and refresh functions on a session.
type asker struct {
	session   database.Session
	refresher *refresher // nil for connections that refresh nothing
	rows      int64      // rows of the last answer, or refreshed orders
	verbose   bool
	answer    *job.Answer // the last one, if requested
}

// newExecutor is Workload.NewExecutor.
func newExecutor(ctx context.Context, c workload.Connection) (_ workload.Executor, err error) {
	o := c.Options.(*Options)
	a := &asker{session: c.Session, verbose: o.Verbose}
	if o.refreshes() && c.Number == refreshUser {
		a.refresher, err = newRefresher(ctx, c, o)
	}
	return a, err
}

// Do implements workload.Executor. A query ends when its last row has arrived.
func (a *asker) Do(ctx context.Context, t workload.Transaction) error {
	if f, is := t.Inputs.(*refreshing); is {
		err := a.refresher.do(ctx, f)
		a.rows = a.refresher.orders
		return err
	}
	q := t.Inputs.(*question)
	a.rows, a.answer = 0, nil
	if q.err != nil {
		return q.err
	}
	answer, err := a.session.Query(ctx, q.text, 0)
	a.rows = int64(len(answer.Rows))
	if a.verbose {
		a.answer = shown(q.text, answer, err)
	}
	return err
}

// Span implements workload.Spanner.
func (a *asker) Span(t workload.Transaction) workload.Span {
	if f, is := t.Inputs.(*refreshing); is {
		span := f.span
		span.Rows = a.rows
		return span
	}
	span := t.Inputs.(*question).span
	span.Rows, span.Answer = a.rows, a.answer
	return span
}

// queries is Users.Queries: the first set of the slot's stream, query 1 first.
func queries(slot workload.Slot) (list []workload.Query) {
	terminal, asked := newTerminal(slot), map[meter.Kind]bool{}
	for {
		next, more := terminal.Pick()
		if !more || asked[next.Kind] {
			break
		}
		asked[next.Kind] = true
		if q, is := next.Inputs.(*question); is {
			list = append(list, workload.Query{Kind: next.Kind, Stream: q.span.Stream, Text: q.text, Err: q.err})
		}
	}
	slices.SortFunc(list, func(a, b workload.Query) int { return cmp.Compare(a.Kind, b.Kind) })
	return list
}
