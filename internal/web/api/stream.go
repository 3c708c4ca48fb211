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
	// beat is the interval of comments in a stream, so that both sides notice a lost connection,
	// and proxies do not close an idle one.
	beat = 15 * time.Second

	// patience is the time limit for a client to read an event. A slower client is disconnected,
	// and may continue from its last message.
	patience = 20 * time.Second
)

// streamKind is the media type of a stream of events.
const streamKind = "text/event-stream"

// messages describes the response of a stream: messages with data of type M, and a last message
// named over with data of type O. Clients get the stream as text; its members contentMediaType and
// contentSchema describe the messages in the text, as JSON Schema defines.
func messages[M, O any](t *table, description string) map[string]*huma.Response {
	registry := t.huma.OpenAPI().Components.Schemas
	message := func(name, description string, data reflect.Type) *huma.Schema {
		m := &huma.Schema{
			Type: huma.TypeObject, Title: name, Description: description,
			Properties: map[string]*huma.Schema{
				"id":   {Type: huma.TypeString, Description: "Send it as Last-Event-ID, or as the parameter after, to continue after this message."},
				"data": registry.Schema(data, true, ""),
			},
			Required: []string{"id", "data"}, AdditionalProperties: false,
		}
		if name != unnamed {
			m.Properties["event"] = &huma.Schema{Type: huma.TypeString, Enum: []any{name}}
			m.Required = append(m.Required, "event")
		}
		return m
	}
	return map[string]*huma.Response{"200": {
		Description: description,
		Content: map[string]*huma.MediaType{streamKind: {Schema: &huma.Schema{
			Type: huma.TypeString, Description: "Server-sent events, as the HTML standard defines them. The data of each message is JSON on one line.",
			Extensions: map[string]any{
				"contentMediaType": streamKind,
				"contentSchema": &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{OneOf: []*huma.Schema{
					message(unnamed, "A message without a name, which EventSource calls message.", reflect.TypeFor[M]()),
					message(overName, "The last message. Close the stream after it.", reflect.TypeFor[O]()),
				}}},
			},
		}}},
	}}
}

// The names of messages in the description.
const (
	unnamed  = "message"
	overName = "over"
)

// isStream reports whether an operation returns a stream of events.
func isStream(o huma.Operation) bool {
	response := o.Responses["200"]
	return response != nil && response.Content[streamKind] != nil
}

// LastRead holds the id of the last message that a client has read.
type LastRead struct {
	Last  string `header:"Last-Event-ID" maxLength:"19" pattern:"^[0-9]+$" doc:"The id of the last message that was read."`
	After string `query:"after" maxLength:"19" pattern:"^[0-9]+$" doc:"The same, for clients that cannot send headers."`
}

// number returns the id as a number; 0 if there is none.
func (l LastRead) number() (int64, error) {
	n, err := strconv.ParseInt("0"+cmp.Or(l.Last, l.After), 10, 64)
	if err != nil {
		return 0, wrong("after", "after: this is not the id of a message: leave it out to begin at the start")
	}
	return n, nil
}

// streamed returns a streaming response, or an error if there are too many streams.
func (b *base) streamed(ctx context.Context, body func(huma.Context)) (*huma.StreamResponse, error) {
	who := b.userOf(ctx)
	if err := b.streams.take(who); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		defer b.streams.free(who)
		body(c)
	}}, nil
}

// quota counts and limits the uses of something, over all users and for each.
type quota struct {
	what, remedy    string // in errors, such as "streams of events" and "close one"
	most, mostOfOne int

	mu    sync.Mutex
	taken map[string]int // by user
	all   int
}

// take counts a use by a user, or returns an error if there are too many.
func (q *quota) take(who string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.all == q.most:
		return problem(http.StatusTooManyRequests, "%d %s are open, which is the limit: %s", q.most, q.what, q.remedy)
	case who != "" && q.taken[who] == q.mostOfOne:
		return problem(http.StatusTooManyRequests, "%s has %d %s open, which is the limit: %s", who, q.mostOfOne, q.what, q.remedy)
	}
	if q.taken == nil {
		q.taken = map[string]int{}
	}
	q.all++
	q.taken[who]++
	return nil
}

func (q *quota) free(who string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all--
	if q.taken[who]--; q.taken[who] == 0 {
		delete(q.taken, who)
	}
}

// userOf returns the user of a request, or "".
func (b *base) userOf(ctx context.Context) string {
	if b.UserName == nil {
		return ""
	}
	return b.UserName(ctx)
}

// stream sends events to a client.
type stream struct {
	mu sync.Mutex // guards writes
	w  http.ResponseWriter
	to *http.ResponseController
}

// streaming calls send to write events to a client, and sends a comment every beat.
func (b *base) streaming(c huma.Context, what string, send func(context.Context, *stream) error) {
	_, w := humago.Unwrap(c)
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	w.Header().Set("Content-Type", streamKind)
	w.Header().Set("X-Accel-Buffering", "no") // tells nginx not to buffer
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
	if err := send(ctx, s); err != nil && ctx.Err() == nil && b.ctx.Err() == nil && !errors.Is(err, errGone) {
		b.Say(fmt.Sprintf("follow %s: %v", what, err))
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

// messageOf formats a message.
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

// errGone is returned when the client has disconnected.
var errGone = errors.New("the client has gone")

// write sends text and flushes it.
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
