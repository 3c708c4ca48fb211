// Package ordertest provides generators that fail, to test that the coordinator of a run reports
// failures correctly.
package ordertest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"sledge/internal/engine/order"
	"sledge/internal/job"
)

// Pipe is a generator behind a pipe that passes everything as JSON. The fields are set before its
// first call.
type Pipe struct {
	order.Generator                                   // at the far end
	Delay           time.Duration                     // delay of each message from the far end
	Drops           func(r order.Report) bool         // selects reports that are lost; nil loses nothing
	DiesAfter       func(r order.Report) bool         // selects the report after which the far end is gone; nil means never
	Bends           func(r order.Report) order.Report // changes a report; nil keeps it

	once    sync.Once
	reports chan order.Report
	toFar   *json.Encoder
	cut     func(error)
	dead    chan struct{}

	mu      sync.Mutex
	number  int
	waiting map[int]chan message
}

var _ order.Generator = (*Pipe)(nil)

// message is a message in either direction.
type message struct {
	Number int             `json:"number,omitempty"` // number of a call and its response
	Call   string          `json:"call,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Error  string          `json:"error,omitempty"`
	Report *order.Report   `json:"report,omitempty"`
	Last   bool            `json:"last,omitempty"` // no more reports follow
}

var errGone = errors.New("the pipe is broken")

func (p *Pipe) open() {
	p.once.Do(func() {
		fromNear, toFar := io.Pipe()
		fromFar, toNear := io.Pipe()
		p.reports, p.dead, p.waiting = make(chan order.Report, 16), make(chan struct{}), map[int]chan message{}
		p.toFar = json.NewEncoder(toFar)
		p.cut = func(err error) { _ = toFar.CloseWithError(err); _ = toNear.CloseWithError(err) }
		go p.far(fromNear, toNear)
		go p.near(fromFar)
	})
}

// far executes calls at the far end and passes its reports on.
func (p *Pipe) far(from io.Reader, to io.Writer) {
	turn := make(chan struct{}, 1) // a lock that synctest knows
	out := json.NewEncoder(to)
	send := func(m message) {
		time.Sleep(p.Delay)
		turn <- struct{}{}
		_ = out.Encode(m) // an error means that the pipe is cut
		<-turn
	}
	in := json.NewDecoder(from)
	for {
		var m message
		if in.Decode(&m) != nil {
			return
		}
		if m.Call == "Start" {
			go p.pass(send)
		}
		go func() {
			value, err := p.do(m)
			answer := message{Number: m.Number}
			if err != nil {
				answer.Error = err.Error()
			}
			answer.Value, _ = json.Marshal(value)
			send(answer)
		}()
	}
}

func (p *Pipe) pass(send func(message)) {
	for r := range p.Generator.Reports() {
		if p.Bends != nil {
			r = p.Bends(r)
		}
		if p.Drops == nil || !p.Drops(r) {
			send(message{Report: &r})
		}
		if p.DiesAfter != nil && p.DiesAfter(r) {
			p.cut(errGone)
			p.Generator.Abort()
		}
	}
	send(message{Last: true})
}

func (p *Pipe) do(m message) (any, error) {
	ctx := context.Background()
	switch m.Call {
	case "Prepare":
		var groups []job.Spec
		if err := json.Unmarshal(m.Value, &groups); err != nil {
			return nil, err
		}
		return p.Generator.Prepare(ctx, groups)
	case "Start":
		return nil, p.Generator.Start(ctx)
	case "Mark":
		var phase order.Phase
		if err := json.Unmarshal(m.Value, &phase); err != nil {
			return nil, err
		}
		return p.Generator.Mark(ctx, phase)
	case "Flush":
		return p.Generator.Flush(ctx)
	case "Counted":
		var flush int32
		if err := json.Unmarshal(m.Value, &flush); err != nil {
			return nil, err
		}
		return p.Generator.Counted(ctx, flush)
	case "InFlight":
		return p.Generator.InFlight(ctx)
	case "Locate":
		var seen order.Sightings
		if err := json.Unmarshal(m.Value, &seen); err != nil {
			return nil, err
		}
		return p.Generator.Locate(ctx, seen)
	case "Cut":
		return p.Generator.Cut(ctx)
	case "Freeze":
		return p.Generator.Freeze(ctx)
	case "Stop":
		p.Generator.Stop()
	case "Abort":
		p.Generator.Abort()
	}
	return nil, nil
}

// near receives the messages from the far end.
func (p *Pipe) near(from io.Reader) {
	in, open := json.NewDecoder(from), true
	for {
		var m message
		err := in.Decode(&m)
		if open && (err != nil || m.Last) {
			close(p.reports)
			open = false
		}
		if err != nil {
			close(p.dead)
			return
		}
		if m.Report != nil {
			p.reports <- *m.Report
			continue
		}
		p.mu.Lock()
		to := p.waiting[m.Number]
		delete(p.waiting, m.Number)
		p.mu.Unlock()
		if to != nil {
			to <- m
		}
	}
}

// ask calls the far end and waits for its response.
func ask[T any](ctx context.Context, p *Pipe, call string, value any) (answer T, err error) {
	p.open()
	text, err := json.Marshal(value)
	if err != nil {
		return answer, err
	}
	replies := make(chan message, 1)
	p.mu.Lock()
	p.number++
	p.waiting[p.number] = replies
	err = p.toFar.Encode(message{Number: p.number, Call: call, Value: text})
	p.mu.Unlock()
	if err != nil {
		return answer, err
	}
	select {
	case m := <-replies:
		if m.Error != "" {
			return answer, errors.New(m.Error)
		}
		return answer, json.Unmarshal(m.Value, &answer)
	case <-p.dead:
		return answer, errGone
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}

// Prepare implements order.Generator.
func (p *Pipe) Prepare(ctx context.Context, groups []job.Spec) (order.Roster, error) {
	return ask[order.Roster](ctx, p, "Prepare", groups)
}

// Start implements order.Generator.
func (p *Pipe) Start(ctx context.Context) error {
	_, err := ask[any](ctx, p, "Start", nil)
	return err
}

// Mark implements order.Generator.
func (p *Pipe) Mark(ctx context.Context, phase order.Phase) (order.Mark, error) {
	return ask[order.Mark](ctx, p, "Mark", phase)
}

// Reports implements order.Generator.
func (p *Pipe) Reports() <-chan order.Report { return p.reports }

// InFlight implements order.Generator.
func (p *Pipe) InFlight(ctx context.Context) ([]order.InFlight, error) {
	return ask[[]order.InFlight](ctx, p, "InFlight", nil)
}

// Locate implements order.Generator.
func (p *Pipe) Locate(ctx context.Context, seen order.Sightings) (order.Located, error) {
	return ask[order.Located](ctx, p, "Locate", seen)
}

// Flush implements order.Generator.
func (p *Pipe) Flush(ctx context.Context) (order.Counted, error) {
	return ask[order.Counted](ctx, p, "Flush", nil)
}

// Counted implements order.Generator.
func (p *Pipe) Counted(ctx context.Context, flush int32) (order.Counted, error) {
	return ask[order.Counted](ctx, p, "Counted", flush)
}

// Cut implements order.Generator.
func (p *Pipe) Cut(ctx context.Context) (order.Edge, error) {
	return ask[order.Edge](ctx, p, "Cut", nil)
}

// Freeze implements order.Generator.
func (p *Pipe) Freeze(ctx context.Context) (order.Totals, error) {
	return ask[order.Totals](ctx, p, "Freeze", nil)
}

// Stop implements order.Generator.
func (p *Pipe) Stop() { _, _ = ask[any](context.Background(), p, "Stop", nil) }

// Abort implements order.Generator.
func (p *Pipe) Abort() { _, _ = ask[any](context.Background(), p, "Abort", nil) }

// Close implements order.Generator. The far end ends with its pipe.
func (p *Pipe) Close() {
	p.open()
	p.cut(io.EOF)
	p.Generator.Close()
}
