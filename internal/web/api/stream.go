package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

const (
	// beat is how often something is sent where nothing happens, so that both sides learn
	// of a connection that is gone, and proxies do not take it for an idle one.
	beat = 15 * time.Second

	// patience is how long a client may take to read an event. One that takes longer loses
	// the connection, and may go on where it was.
	patience = 20 * time.Second
)

// messages describes the answer of a stream: messages whose data are an M, and a last one, named
// over, whose data are an O.
func messages[M, O any](a *API, description string) map[string]*huma.Response {
	registry := a.huma.OpenAPI().Components.Schemas
	return map[string]*huma.Response{"200": {
		Description: description,
		Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{OneOf: []*huma.Schema{
			registry.Schema(reflect.TypeFor[M](), true, ""), registry.Schema(reflect.TypeFor[O](), true, ""),
		}}}},
	}}
}

// LastRead says where a client goes on to read numbered messages.
type LastRead struct {
	Last  string `header:"Last-Event-ID" maxLength:"19" pattern:"^[0-9]+$" doc:"The id of the last message that was read."`
	After string `query:"after" maxLength:"19" pattern:"^[0-9]+$" doc:"The same, for clients that cannot send headers."`
}

// number is that of the last message that was read; 0 where none was.
func (l LastRead) number() (int64, error) {
	n, err := strconv.ParseInt("0"+cmp.Or(l.Last, l.After), 10, 64)
	if err != nil {
		return 0, wrong("after", "after: this is not the id of a message: leave it out to begin at the start")
	}
	return n, nil
}

// streamed answers with a stream, unless there are too many.
func (a *API) streamed(ctx context.Context, body func(huma.Context)) (*huma.StreamResponse, error) {
	who := ""
	if a.Who != nil {
		who = a.Who(ctx)
	}
	if err := a.streams.take(who); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		defer a.streams.free(who)
		body(c)
	}}, nil
}

// places are those of streams that are open.
type places struct {
	mu    sync.Mutex
	taken map[string]int // by whose they are
	all   int
}

// take takes a place for somebody.
func (p *places) take(who string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.all == mostStreams:
		return problem(http.StatusTooManyRequests, "%d streams of events are open, which is the limit: close one", mostStreams)
	case who != "" && p.taken[who] == mostOfOne:
		return problem(http.StatusTooManyRequests, "%s has %d streams of events open, which is the limit: close one", who, mostOfOne)
	}
	p.all++
	p.taken[who]++
	return nil
}

func (p *places) free(who string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.taken[who]--; p.taken[who] == 0 {
		delete(p.taken, who)
	}
}

// stream is a client that is sent events.
type stream struct {
	mu sync.Mutex // for who writes
	w  http.ResponseWriter
	to *http.ResponseController
}

// streaming sends a client what send sends, and that it is still there while that has nothing.
func (a *API) streaming(c huma.Context, what string, send func(context.Context, *stream) error) {
	_, w := humago.Unwrap(c)
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // as nginx is told not to hold it back
	s := &stream{w: w, to: http.NewResponseController(w)}
	defer func() { _ = s.to.SetWriteDeadline(time.Time{}) }() // the connection may serve another request
	if s.write("retry: 2000\n\n") != nil || c.Method() == http.MethodHead {
		return
	}
	var beating sync.WaitGroup
	defer beating.Wait()
	defer cancel()
	beating.Go(func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if s.write(": still here\n\n") != nil {
					cancel()
					return
				}
			}
		}
	})
	if err := send(ctx, s); err != nil && ctx.Err() == nil && a.ctx.Err() == nil && !errors.Is(err, errGone) {
		a.Say(fmt.Sprintf("follow %s: %v", what, err))
	}
}

// message sends a message.
func (s *stream) message(id, name string, data any) error {
	text, err := messageOf(id, name, data)
	if err != nil {
		return err
	}
	return s.write(text)
}

// messageOf spells a message.
func messageOf(id, name string, data any) (string, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", err
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	return fmt.Sprintf("id: %s\n%sdata: %s\n\n", id, name, text), nil
}

// errGone says that the client does not read any more.
var errGone = errors.New("the client has gone")

// write sends text at once.
func (s *stream) write(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.to.SetWriteDeadline(time.Now().Add(patience))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return errGone
	}
	if _, err := s.w.Write([]byte(text)); err != nil || s.to.Flush() != nil {
		return errGone
	}
	return nil
}
