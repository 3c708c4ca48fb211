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
		select {
		case a.streams <- struct{}{}:
		default:
			return nil, problem(http.StatusTooManyRequests, "%d clients follow jobs, and that is the limit: close one", mostStreams)
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			defer func() { <-a.streams }()
			a.stream(c, j, from)
		}}, nil
	})
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

// stream is a client that follows a job.
type stream struct {
	job  job.Job
	from mark // how far it has come

	mu sync.Mutex // for who writes
	w  http.ResponseWriter
	to *http.ResponseController
}

// stream sends what happens in a job until it is over, the client goes, or the API ends.
func (a *API) stream(c huma.Context, j job.Job, from mark) {
	_, w := humago.Unwrap(c)
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // as nginx is told not to hold it back
	s := &stream{job: j, from: from, w: w, to: http.NewResponseController(w)}
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
	if err := a.follow(ctx, s); err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
		a.Say(fmt.Sprintf("follow job %s: %v", j.ID, err))
	}
}

// follow sends what happens in a job until it is over.
func (a *API) follow(ctx context.Context, s *stream) error {
	for {
		if h := a.handle(s.job.ID); h != nil {
			a.watchers.Add(1)
			defer a.watchers.Add(-1)
			for e, missed := range h.Watch(ctx, s.from.sequence+1) {
				if missed > 0 { // it was long ago, and has been recorded since
					if err := s.stored(ctx, a.Store, e); err != nil {
						return err
					}
				}
				if err := s.send(e); err != nil {
					return err
				}
			}
			select {
			case <-h.Over():
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		j, err := a.Store.Get(ctx, s.job.ID)
		if errors.Is(err, repository.ErrNotFound) {
			return nil // it was deleted meanwhile
		}
		if err == nil {
			err = s.stored(ctx, a.Store, job.Event{})
		}
		if err != nil {
			return err
		}
		if j.Status != job.Running {
			return s.message("over", document.NewHead(j, a.headline))
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stored sends what is recorded of a job, in order, from where the stream is, and only what
// was before an event, if there is one.
func (s *stream) stored(ctx context.Context, store *repository.Store, until job.Event) error {
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
			if err := s.second(second); err != nil {
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
		if err := s.send(e); err != nil {
			return err
		}
	}
	return seconds(until.At)
}

// send sends an event.
func (s *stream) send(e job.Event) error {
	s.from.sequence = max(s.from.sequence, e.Sequence)
	shown := Event{Event: e}
	shown.At, shown.Event.Second = e.At.UTC(), nil
	if m := e.Second; m != nil {
		s.from.second = e.At
		second, err := report.SecondOf(s.job.Kinds, repository.StoredSecond{
			At: e.At, Phase: m.Phase, Offset: m.Offset, Elapsed: m.Measured.Elapsed, ServerTPM: m.ServerTPM, Tallies: m.Measured.Kinds,
		})
		if err != nil {
			return err
		}
		shown.Second = &second
	}
	return s.message("", shown)
}

// second sends a second that was recorded. It has no sequence number any more.
func (s *stream) second(stored repository.StoredSecond) error {
	second, err := report.SecondOf(s.job.Kinds, stored)
	if err != nil {
		return err
	}
	s.from.second = stored.At
	return s.message("", Event{Event: job.Event{At: stored.At.UTC()}, Second: &second})
}

// message sends a message.
func (s *stream) message(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	return s.write(fmt.Sprintf("id: %s\n%sdata: %s\n\n", s.from, name, text))
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
