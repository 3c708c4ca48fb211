package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// Event is what happens in a job. What was measured in a second has the shape that it has in
// every other document.
type Event struct {
	job.Event
	Second *report.Second `json:"second,omitempty"`
}

const (
	// beat is how often something is sent where nothing happens, so that both sides learn
	// of a connection that is gone, and proxies do not take it for an idle one.
	beat = 15 * time.Second

	// patience is how long a client may take to read an event. One that takes longer loses
	// the connection, and may go on where it was.
	patience = 20 * time.Second

	// lookAgain is how often the repository is asked for news of a job that another program
	// does: its recorder writes as often.
	lookAgain = time.Second
)

func (a *API) addEvents() {
	o := get("watch-job", "/jobs/{id}/events", "Follow a job", tagVerbs)
	o.Description = `Server-sent events: what has happened already at once, the rest as it does. Each message is an Event, and its id is where the
stream has come to: a client that lost its connection goes on where it was when it sends that as Last-Event-ID, as browsers do, or as the
parameter after. The last message is named over and holds the job as a list shows it; there is nothing to connect again for.

An id is the sequence number of the event and, behind a hyphen, the time of the last second that was measured, in milliseconds since
1970. The number alone will do. Of a job that has ended, or that another program does, progress is not recorded; and after the
first hour of a phase half a minute is one second here.`
	registry := a.huma.OpenAPI().Components.Schemas
	o.Responses = map[string]*huma.Response{"200": {
		Description: "Messages whose data are an Event, and a last one named over.",
		Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{OneOf: []*huma.Schema{
			registry.Schema(eventType, true, ""), registry.Schema(documentType, true, ""),
		}}}},
	}}
	add(a, o, func(ctx context.Context, in *struct {
		OneJob
		Last  string `header:"Last-Event-ID" maxLength:"64" pattern:"^[0-9]+(-[0-9]+)?$" doc:"The id of the last message that was read."`
		After string `query:"after" maxLength:"64" pattern:"^[0-9]+(-[0-9]+)?$" doc:"The same, for who cannot send headers."`
	},
	) (*huma.StreamResponse, error) {
		last := in.Last
		if last == "" {
			last = in.After
		}
		from, err := parseMark(last)
		if err != nil {
			return nil, wrong("after", "after: %v", err)
		}
		j, err := a.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		return a.streamed(func(c huma.Context) { a.stream(c, j, from) })
	})
}

// streamed answers with a stream, unless there are too many.
func (a *API) streamed(body func(huma.Context)) (*huma.StreamResponse, error) {
	select {
	case a.streams <- struct{}{}:
	default:
		return nil, problem(http.StatusTooManyRequests, "%d clients are sent events, and that is the limit: close one", mostStreams)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		defer func() { <-a.streams }()
		body(c)
	}}, nil
}

// mark is how far a stream has come.
type mark struct {
	sequence int64     // of the last event
	second   time.Time // when the last second ended; zero where that is not known
}

// String makes the id of a message.
func (m mark) String() string {
	if m.second.IsZero() {
		return strconv.FormatInt(m.sequence, 10)
	}
	return fmt.Sprintf("%d-%d", m.sequence, m.second.UnixMilli())
}

// parseMark reads the id of a message; "" is the beginning.
func parseMark(text string) (m mark, err error) {
	if text == "" {
		return m, nil
	}
	sequence, second, known := strings.Cut(text, "-")
	if m.sequence, err = strconv.ParseInt(sequence, 10, 64); err != nil {
		return m, errors.New("it is not the id of a message")
	}
	if known {
		millis, err := strconv.ParseInt(second, 10, 64)
		if err != nil {
			return m, errors.New("it is not the id of a message")
		}
		m.second = time.UnixMilli(millis)
	}
	return m, nil
}

// story is read from a job's log while it goes on, and from the repository.
type story struct {
	job  job.Job
	from mark // how far it was read

	// tell is told of each event. What was measured in a second that comes from the
	// repository has no sequence number any more.
	tell func(job.Event) error
}

// stream is a client that is sent events.
type stream struct {
	mu sync.Mutex // for who writes
	w  http.ResponseWriter
	to *http.ResponseController
}

// stream sends what happens in a job until it is over, the client goes, or the API ends.
func (a *API) stream(c huma.Context, j job.Job, from mark) {
	a.streaming(c, "job "+string(j.ID), func(ctx context.Context, s *stream) error {
		told := &story{job: j, from: from}
		told.tell = func(e job.Event) error { return s.event(told, e) }
		over, err := a.follow(ctx, told)
		if err != nil || over == nil {
			return err
		}
		return s.message(told.from.String(), "over", over)
	})
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
	if err := send(ctx, s); err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
		a.Say(fmt.Sprintf("follow %s: %v", what, err))
	}
}

// follow tells what happens in a job until it is over, and returns it as a list shows it then;
// nil where it was deleted meanwhile.
func (a *API) follow(ctx context.Context, s *story) (*report.Document, error) {
	for {
		if h := a.handle(s.job.ID); h != nil {
			a.watchers.Add(1)
			defer a.watchers.Add(-1)
			for e, missed := range h.Watch(ctx, s.from.sequence+1) {
				if missed > 0 { // it was long ago, and has been recorded since
					if err := s.stored(ctx, a.Store, e); err != nil {
						return nil, err
					}
				}
				if err := s.event(e); err != nil {
					return nil, err
				}
			}
			select {
			case <-h.Over():
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		j, err := a.Store.Get(ctx, s.job.ID)
		if errors.Is(err, repository.ErrNotFound) {
			return nil, nil
		}
		if err == nil {
			err = s.stored(ctx, a.Store, job.Event{})
		}
		if err != nil {
			return nil, err
		}
		if j.Status != job.Running {
			over := document.NewHead(j, a.headline)
			return &over, nil
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// stored tells what is recorded of a job, in order, from where the story is, and only what
// was before an event, if there is one.
func (s *story) stored(ctx context.Context, store *repository.Store, until job.Event) error {
	if s.from.second.IsZero() && s.from.sequence > 0 {
		for e, err := range store.Events(ctx, s.job.ID) {
			if err != nil {
				return err
			}
			if e.Sequence > s.from.sequence {
				break
			}
			s.from.second = e.At
		}
	}
	nextSecond, stop := iter.Pull2(store.SecondsAfter(ctx, s.job.ID, s.from.second))
	defer stop()
	second, err, more := nextSecond()
	seconds := func(before time.Time) error {
		for ; more && (before.IsZero() || !second.At.After(before)); second, err, more = nextSecond() {
			if err != nil {
				return err
			}
			if err := s.event(eventOf(second)); err != nil {
				return err
			}
		}
		return nil
	}
	for e, err := range store.Events(ctx, s.job.ID) {
		switch {
		case err != nil:
			return err
		case e.Sequence <= s.from.sequence:
			continue
		case until.Sequence > 0 && e.Sequence >= until.Sequence:
			return seconds(until.At)
		}
		if err := seconds(e.At); err != nil {
			return err
		}
		if err := s.event(e); err != nil {
			return err
		}
	}
	return seconds(until.At)
}

// eventOf is the event of a second that was recorded.
func eventOf(s repository.StoredSecond) job.Event {
	return job.Event{At: s.At, Second: &job.Second{
		Phase: s.Phase, Offset: s.Offset, ServerTPM: s.ServerTPM, Measured: meter.CodedSummary{Elapsed: s.Elapsed, Kinds: s.Tallies},
	}}
}

// event tells of an event.
func (s *story) event(e job.Event) error {
	s.from.sequence = max(s.from.sequence, e.Sequence)
	if e.Second != nil {
		s.from.second = e.At
	}
	return s.tell(e)
}

// event sends an event.
func (s *stream) event(of *story, e job.Event) error {
	shown := Event{Event: e}
	shown.At, shown.Event.Second = e.At.UTC(), nil
	if m := e.Second; m != nil {
		second, err := report.SecondOf(of.job.Kinds, repository.StoredSecond{
			At: e.At, Phase: m.Phase, Offset: m.Offset, Elapsed: m.Measured.Elapsed, ServerTPM: m.ServerTPM, Tallies: m.Measured.Kinds,
		})
		if err != nil {
			return err
		}
		shown.Second = &second
	}
	return s.message(of.from.String(), "", shown)
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
