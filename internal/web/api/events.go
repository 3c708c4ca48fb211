package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// Event is an event of a job. Its member second has the shape of other documents.
type Event struct {
	job.Event
	Second *report.Second `json:"second,omitempty"`
}

// lookAgain is the interval at which the repository is read for events of another program's job.
// That program writes them at the same interval.
const lookAgain = time.Second

func (js *jobs) addEvents(t *table) {
	o := get("watch-job", "/jobs/{id}/events", "Follow a job", tagVerbs)
	o.Description = `Server-sent events: first all events so far, then each new one. Each message is an Event, and its id is a position in the stream. A
client that lost its connection sends the last id as Last-Event-ID, as browsers do, or as the parameter after, and continues from there. The last message is named
over and contains the job as a list shows it. Then close the stream.

An id is the sequence number of the event, a hyphen, and the time of the last measured second in milliseconds since 1970. The
number alone is enough. For a job that has ended, or that another program runs, there are no progress events, and after the
first hour of a phase one second stands for half a minute.`
	o.Responses = messages[Event, report.Document](t, "The data of each message is an Event. The last message is named over, and its data is the job.")
	add(t, o, func(ctx context.Context, in *struct {
		OneJob
		Last  string `header:"Last-Event-ID" maxLength:"64" pattern:"^[0-9]+(-[0-9]+)?$" doc:"The id of the last message that was read."`
		After string `query:"after" maxLength:"64" pattern:"^[0-9]+(-[0-9]+)?$" doc:"The same, for clients that cannot send headers."`
	},
	) (*huma.StreamResponse, error) {
		from, err := parseMark(cmp.Or(in.Last, in.After))
		if err != nil {
			return nil, wrong("after", "after: %v", err)
		}
		j, err := js.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		return js.streamed(ctx, func(c huma.Context) { js.stream(c, j, from) })
	})
}

// mark is a position in a stream.
type mark struct {
	sequence int64     // of the last event
	second   time.Time // end of the last measured second; zero if unknown
}

// String returns the id of a message.
func (m mark) String() string {
	if m.second.IsZero() {
		return strconv.FormatInt(m.sequence, 10)
	}
	return fmt.Sprintf("%d-%d", m.sequence, m.second.UnixMilli())
}

// parseMark parses the id of a message; "" is the beginning.
func parseMark(text string) (m mark, err error) {
	if text == "" {
		return m, nil
	}
	sequence, second, known := strings.Cut(text, "-")
	if m.sequence, err = strconv.ParseInt(sequence, 10, 64); err != nil {
		return m, errors.New("this is not the id of a message: leave it out to begin at the start")
	}
	if known {
		millis, err := strconv.ParseInt(second, 10, 64)
		if err != nil {
			return m, errors.New("this is not the id of a message: leave it out to begin at the start")
		}
		m.second = time.UnixMilli(millis)
	}
	return m, nil
}

// eventReader reads the events of a job, from the handle of a running job or from the repository.
type eventReader struct {
	job   job.Job
	from  mark                  // the position of the last event
	place repository.EventPlace // the position in the repository

	// receive gets each event. A second from the repository has no sequence number.
	receive func(job.Event) error
}

// stream sends the events of a job until it has ended, the client disconnects, or the API ends.
func (js *jobs) stream(c huma.Context, j job.Job, from mark) {
	js.streaming(c, "job "+string(j.ID), func(ctx context.Context, s *stream) error {
		reader := &eventReader{job: j, from: from}
		reader.receive = func(e job.Event) error { return s.event(reader, e) }
		over, err := js.follow(ctx, reader)
		if err != nil || over == nil {
			return err
		}
		return s.message(reader.from.String(), overName, over)
	})
}

// follow passes on the events of a job until it has ended, and returns the job as a list shows it. It
// returns nil if the job was deleted meanwhile.
func (js *jobs) follow(ctx context.Context, s *eventReader) (*report.Document, error) {
	for {
		if h := js.handle(s.job.ID); h != nil {
			js.watchers.Add(1)
			defer js.watchers.Add(-1)
			for e, missed := range h.Watch(ctx, s.from.sequence+1) {
				if missed > 0 { // the handle no longer has these events, but they have been recorded
					if err := s.stored(ctx, js.Store, e); err != nil {
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
		j, err := js.Store.Get(ctx, s.job.ID)
		if errors.Is(err, repository.ErrNotFound) {
			return nil, nil
		}
		if err == nil {
			err = s.stored(ctx, js.Store, job.Event{})
		}
		if err != nil {
			return nil, err
		}
		if ended, is := js.unrecordedEnd(j.ID); is {
			j = ended
		}
		if j.Status != job.Running {
			over := document.NewHead(j, js.headline)
			return &over, nil
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// stored passes on the recorded events of a job in order, from the position of the reader on. If
// until is an event, it ends before that event.
func (s *eventReader) stored(ctx context.Context, store *repository.Store, until job.Event) error {
	// A client that sends only the number has read the seconds before that event.
	if s.from.second.IsZero() && s.from.sequence > 0 && s.place == (repository.EventPlace{}) {
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
			if err := s.event(second); err != nil {
				return err
			}
		}
		return nil
	}
	for e, err := range store.EventsAfter(ctx, s.job.ID, &s.place) {
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

// event passes on an event and advances the position.
func (s *eventReader) event(e job.Event) error {
	s.from.sequence = max(s.from.sequence, e.Sequence)
	if e.Second != nil {
		s.from.second = e.At
	}
	return s.receive(e)
}

// event sends an event to the client.
func (s *stream) event(of *eventReader, e job.Event) error {
	shown := Event{Event: e.Brief()}
	shown.At, shown.Event.Second = e.At.UTC(), nil
	if e.Second != nil {
		second, err := report.SecondOf(of.job.Kinds, e)
		if err != nil {
			return err
		}
		shown.Second = &second
	}
	return s.message(of.from.String(), "", shown)
}
