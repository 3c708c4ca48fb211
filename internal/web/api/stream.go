package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
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

// streamed answers with a stream, unless there are too many.
func (a *API) streamed(body func(huma.Context)) (*huma.StreamResponse, error) {
	select {
	case a.streams <- struct{}{}:
	default:
		return nil, problem(http.StatusTooManyRequests, "%d streams of events are open, which is the limit: close one", mostStreams)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		defer func() { <-a.streams }()
		body(c)
	}}, nil
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
