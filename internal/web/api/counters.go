package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control/tasks"
	"sledge/internal/counter"
	"sledge/internal/document"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
)

const tagCounters = "Transaction counters"

const (
	mostCounters = 16   // running counters
	mostLines    = 3600 // saved lines of each counter

	// counterKept is how long a counter without followers continues.
	counterKept = time.Hour
)

// Counter is a transaction counter of a server. It counts the transactions of every program.
type Counter struct {
	ID           string  `json:"id"`
	Database     string  `json:"database"`
	Workload     string  `json:"workload"`
	Title        string  `json:"title" doc:"The database's title and the target, for people."`
	Target       string  `json:"target"`
	AllDatabases bool    `json:"all_databases" doc:"It counts all databases of the server."`
	Interval     float64 `json:"interval_seconds"`
	Length       float64 `json:"length_seconds,omitempty" doc:"It ends after this time; missing if it has no end."`

	Unit       string   `json:"unit" doc:"Name of the rate, such as TPM."`
	RateIs     string   `json:"rate_is" doc:"Meaning of the rate, such as transactions per minute."`
	Counts     string   `json:"counts" doc:"What the server counts, in a sentence or two."`
	OwnRate    float64  `json:"own_rate" doc:"The part of the rate that is the counter's own queries; 0 if the server does not count them."`
	ProbedRate string   `json:"probed_rate" doc:"Meaning of the workload's own rate, such as new orders per minute; empty if it has none."`
	Remarks    []string `json:"remarks" doc:"Warnings, a line each, for example that the server is another product than the chosen one."`

	State   string                `json:"state" enum:"counting,away,ended"`
	Reason  string                `json:"reason,omitempty" doc:"Why the server does not answer, or why the counter has ended."`
	Begun   time.Time             `json:"begun" doc:"Time of the first reading."`
	Ended   *time.Time            `json:"ended,omitempty"`
	Last    *CounterLine          `json:"last,omitempty" doc:"The last reading that has a rate."`
	Summary document.WatchSummary `json:"summary" doc:"Summary of all readings so far."`
}

// CounterLine is a reading or another event of a counter, as sledge watch --json prints it.
type CounterLine struct {
	Sequence     int64            `json:"sequence"`
	At           time.Time        `json:"at"`
	Event        string           `json:"event" enum:"begun,reading,away,back,ended"`
	Elapsed      float64          `json:"elapsed_seconds,omitempty" doc:"Time since the previous reading."`
	Transactions *int64           `json:"transactions,omitempty"`
	Rate         *float64         `json:"rate,omitempty" doc:"Missing for the first reading, and after the server's count was reset."`
	Probed       *document.Probed `json:"probed,omitempty"`
	Error        string           `json:"error,omitempty"`
}

// CounterNews is the state of a counter with its new lines.
type CounterNews struct {
	Counter Counter       `json:"counter"`
	Lines   []CounterLine `json:"lines" doc:"The lines after the one that the client named as its last."`
}

// Counters lists the running counters and those that ended recently.
type Counters struct {
	Counters []Counter `json:"counters" doc:"Newest first."`
}

// Count is the request to start a counter.
type Count struct {
	Settings     map[string]Value `json:"settings" maxProperties:"500" doc:"The settings of a job: db or connection, and options of the connection. The workload decides what is counted."`
	Interval     float64          `json:"interval_seconds,omitempty" minimum:"1" maximum:"3600" default:"10" doc:"Time between two readings. Servers update their counts at most once a second."`
	Length       float64          `json:"length_seconds,omitempty" minimum:"0" maximum:"31536000" doc:"End after this time; 0 for no end."`
	AllDatabases bool             `json:"all_databases,omitempty" doc:"Count the transactions of all databases of the server, not only of the one in the settings."`
}

// OneCounter names a counter.
type OneCounter struct {
	ID string `path:"id" maxLength:"64"`
}

// startedCounter is the response to a request that starts a counter.
type startedCounter struct {
	Location string `header:"Location" doc:"The address of the counter, relative to this one."`
	Body     Counter
}

// counting is a counter that was started here.
type counting struct {
	stop context.CancelFunc
	kept time.Duration // how long it continues without followers

	mu        tasks.Cond
	counter   *counter.Counter
	head      Counter // without the members that now reads from counter
	lines     []CounterLine
	sequence  int64 // of the last line
	reason    string
	followers int
	idle      *time.Timer
}

// counters are the transaction counters of this server.
type counters struct {
	*base
	list tasks.List[*counting]
	kept time.Duration // how long a counter without followers continues
}

func (l *counters) add(t *table) {
	start := huma.Operation{
		OperationID: "start-counter", Method: http.MethodPost, Path: "/counters", Tags: []string{tagCounters}, DefaultStatus: http.StatusCreated,
		Summary: "Start a transaction counter of a database server",
		Description: `Like sledge watch: it reads the database server's own count of transactions or queries, and computes their rate. It counts the work of
every program, changes nothing, records no job, and needs no schema. The response comes after the first reading. A counter ends when it is stopped, when its time is
over, when this server ends, or after an hour without a request for it. This server holds passwords only while the counter runs, and never returns them.`,
	}
	start.Errors = ofStart
	add(t, start, func(ctx context.Context, in *of[Count]) (*startedCounter, error) { return l.startCounter(ctx, in.Body) })
	add(t, get("list-counters", "/counters", "List the running counters and those that ended recently", tagCounters),
		func(context.Context, *struct{}) (*of[Counters], error) {
			d := Counters{Counters: []Counter{}}
			for _, c := range slices.Backward(l.list.All()) {
				if !c.hasRead() {
					continue
				}
				c.mu.Lock()
				d.Counters = append(d.Counters, c.now())
				c.mu.Unlock()
			}
			return answer(d, nil)
		})
	add(t, get("get-counter", "/counters/{id}", "Show the state of a counter", tagCounters),
		func(_ context.Context, in *OneCounter) (*of[Counter], error) {
			c, err := l.findCounter(in.ID)
			if err != nil {
				return nil, err
			}
			c.follow()
			defer c.leave()
			c.mu.Lock()
			defer c.mu.Unlock()
			return answer(c.now(), nil)
		})
	stop := huma.Operation{
		OperationID: "stop-counter", Method: http.MethodPost, Path: "/counters/{id}/stop", Tags: []string{tagCounters},
		DefaultStatus: http.StatusAccepted, Summary: "Stop a counter", Description: "Its readings stay available until 30 later counters have ended, or the server ends.",
	}
	add(t, stop, func(_ context.Context, in *OneCounter) (*of[Counter], error) {
		c, err := l.findCounter(in.ID)
		if err != nil {
			return nil, err
		}
		c.end("it was stopped")
		c.mu.Lock()
		defer c.mu.Unlock()
		return answer(c.now(), nil)
	})
	l.addEvents(t)
}

// addEvents adds the stream of a counter's readings.
func (l *counters) addEvents(t *table) {
	o := get("watch-counter", "/counters/{id}/events", "Follow a counter", tagCounters)
	o.Description = `Server-sent events: first the readings so far (the last 3,600), then each new one. The id of a message is the number of its last line.
A client that lost its connection sends it as Last-Event-ID, or as the parameter after, and continues from there. There is a message at least every two seconds.
The last message is named over.`
	o.Responses = messages[CounterNews, CounterNews](t, "The data of each message is a CounterNews. The last message is named over.")
	add(t, o, func(ctx context.Context, in *struct {
		OneCounter
		LastRead
	},
	) (*huma.StreamResponse, error) {
		c, err := l.findCounter(in.ID)
		if err != nil {
			return nil, err
		}
		after, err := in.number()
		if err != nil {
			return nil, err
		}
		return l.streamed(ctx, func(h huma.Context) {
			l.streaming(h, "counter "+in.ID, func(ctx context.Context, s *stream) error {
				l.watchers.Add(1)
				defer l.watchers.Add(-1)
				c.follow()
				defer c.leave()
				return c.sendTo(ctx, s, after)
			})
		})
	})
}

// sendTo sends the readings to a client until the counter has ended.
func (c *counting) sendTo(ctx context.Context, s *stream, after int64) error {
	for {
		c.mu.Lock()
		news := c.since(after)
		after = c.sequence
		c.mu.Unlock()
		name := ""
		if news.Counter.State == counterEnded {
			name = overName
		}
		if err := s.message(strconv.FormatInt(after, 10), name, news); err != nil || name != "" {
			return err
		}
		if err := c.await(ctx, after); err != nil {
			return err
		}
	}
}

// await waits for a line whose number is greater than after, at most for liveBeat.
func (c *counting) await(ctx context.Context, after int64) error {
	beat, cancel := context.WithTimeout(ctx, liveBeat)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.sequence == after && c.mu.Wait(beat) == nil {
	}
	return ctx.Err()
}

const (
	counterCounting = "counting"
	counterAway     = "away"
	counterEnded    = "ended"
)

// since returns the state of the counter with the lines whose numbers are greater than after. The
// caller holds the lock.
func (c *counting) since(after int64) CounterNews {
	from := slices.IndexFunc(c.lines, func(line CounterLine) bool { return line.Sequence > after })
	news := CounterNews{Counter: c.now(), Lines: []CounterLine{}}
	if from >= 0 {
		news.Lines = append(news.Lines, c.lines[from:]...)
	}
	return news
}

// now returns the state of the counter. The caller holds the lock.
func (c *counting) now() Counter {
	d := c.head
	d.Remarks = append([]string{}, c.head.Remarks...)
	at := time.Now()
	switch {
	case d.Ended != nil:
		at = *d.Ended
		d.State, d.Reason = counterEnded, c.reason
	case !c.counter.Lost.IsZero():
		d.State, d.Reason = counterAway, report.OneLine(c.counter.Why)
	default:
		d.State = counterCounting
	}
	d.Begun, d.Summary, d.OwnRate = c.counter.Began.UTC(), c.counter.Summary(at), c.counter.Own()
	return d
}

// add adds a line. The caller holds the lock.
func (c *counting) add(line document.Watch) {
	c.sequence++
	added := CounterLine{
		Sequence: c.sequence, At: line.At, Event: line.Event, Elapsed: line.Elapsed, Transactions: line.Transactions,
		Rate: line.Rate, Probed: line.Probed, Error: line.Error,
	}
	if len(c.lines) == mostLines {
		c.lines = slices.Delete(c.lines, 0, 1)
	}
	c.lines = append(c.lines, added)
	if line.Rate != nil {
		c.head.Last = &added
	}
	c.mu.Broadcast()
}

// follow adds a follower of the counter, which leave removes.
func (c *counting) follow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followers++
	c.idle.Stop()
}

func (c *counting) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followers--; c.followers == 0 {
		c.idle.Reset(c.kept)
	}
}

// endIdle ends the counter if it has no followers.
func (c *counting) endIdle() {
	c.mu.Lock()
	followed := c.followers > 0
	c.mu.Unlock()
	if !followed {
		c.end("it had no followers for " + report.Spell(c.kept))
	}
}

// end ends the counter with a reason, unless it has ended.
func (c *counting) end(reason string) {
	c.mu.Lock()
	if c.reason == "" {
		c.reason = reason
	}
	c.mu.Unlock()
	c.stop()
}

// ID implements tasks.Task.
func (c *counting) ID() string { return c.head.ID } // never changes

// IsOver implements tasks.Task.
func (c *counting) IsOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head.Ended != nil
}

// hasRead reports whether the first reading was taken. Before it the counter is not listed.
func (c *counting) hasRead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sequence > 0
}

func (l *counters) findCounter(id string) (*counting, error) {
	if c, found := l.list.Find(id); found && c.hasRead() {
		return c, nil
	}
	return nil, problem(http.StatusNotFound, "this counter does not exist: it ended long ago, or the server was restarted")
}

// end ends all counters.
func (l *counters) end() {
	for _, c := range l.list.End() {
		c.end(programEnded)
	}
}

// startCounter starts a counter and waits for its first reading.
func (l *counters) startCounter(ctx context.Context, in Count) (*startedCounter, error) {
	wanted := Wanted{Action: job.Check, Settings: in.Settings} // the settings of a run are not needed
	order, err := l.resolve(wanted)
	if err != nil {
		return nil, err
	}
	counts, err := counter.New(order.Plan)
	if err != nil {
		return nil, err
	}
	counts.Every, counts.For, counts.AllDatabases = secondsOf(in.Interval), secondsOf(in.Length), in.AllDatabases
	if counts.For > 0 && counts.For < counts.Every {
		return nil, wrong("length_seconds", "length_seconds: %v is less than interval_seconds, %v, so there would be no rate: choose a longer time", counts.For, counts.Every)
	}
	if order, err = (settings.SignIn{Resolver: l.Resolver, Sources: l.sources(wanted), Refusal: settings.RefusalOfObserver}).With(ctx, order); err != nil {
		return nil, err
	}
	counts.Plan = order.Plan
	c, began, err := l.beginCounter(counts, in)
	if err != nil {
		return nil, err
	}
	select {
	case err = <-began:
	case <-ctx.Done():
		c.stop()
		return nil, ctx.Err()
	}
	switch {
	case counts.NeedsDatabase(err):
		return nil, job.WithExit(job.ExitMissing, fmt.Errorf("%w: name the database to watch with dbname, or count all databases", err))
	case err != nil:
		if err = order.Explain(err); job.ExitOf(err) == job.ExitError {
			err = job.WithExit(job.ExitConnect, err) // the server answered and then refused
		}
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &startedCounter{Location: "counters/" + c.head.ID, Body: c.now()}, nil
}

// beginCounter starts the goroutine of a counter. The channel receives the outcome of the first
// reading.
func (l *counters) beginCounter(counts *counter.Counter, in Count) (*counting, <-chan error, error) {
	ctx, cancel := context.WithCancel(l.ctx)
	c := &counting{stop: cancel, kept: l.kept, counter: counts, head: Counter{
		ID: tasks.NewID(), Database: counts.Plan.Database.Name, Workload: counts.Plan.Workload.Name,
		Title: counts.Target(), Target: counts.Plan.Database.Options.Target(counts.Plan.Connection), AllDatabases: counts.CountsAll(),
		Interval: in.Interval, Length: in.Length, Unit: counts.Unit.Name, RateIs: counts.Unit.Means,
		Counts: counts.Counts(), ProbedRate: counts.ProbedRate(),
	}}
	c.idle = time.AfterFunc(c.kept, c.endIdle)
	began := make(chan error, 1)
	_, err := l.list.Begin(func(running []*counting) (*counting, error) {
		if len(running) >= mostCounters {
			return nil, tasks.Busy("%d counters run, which is the limit: stop one", mostCounters)
		}
		l.background.Go(func() {
			defer cancel()
			l.count(ctx, c, began)
		})
		return c, nil
	})
	if err != nil {
		c.idle.Stop()
		cancel()
	}
	return c, began, err
}

// count runs a counter until ctx ends or its time is over.
func (l *counters) count(ctx context.Context, c *counting, began chan<- error) {
	first := true
	say := func(line string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.head.Remarks = append(c.head.Remarks, report.Printable(line))
	}
	err := c.counter.Run(ctx, say, func(r engine.CounterReading) {
		c.mu.Lock()
		if line, news := c.counter.Add(r); news {
			c.add(line)
		}
		c.mu.Unlock()
		if first {
			first = false
			began <- nil
		}
	})
	if first {
		l.list.Remove(c.ID())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle.Stop()
	if first {
		began <- cmp.Or(err, error(problem(http.StatusServiceUnavailable, "the counter was stopped before its first reading")))
		return
	}
	switch {
	case c.reason != "":
	case ctx.Err() != nil:
		c.reason = programEnded
	case !c.counter.Lost.IsZero():
		c.reason = "its time was over, and the server did not answer: " + report.OneLine(c.counter.Why)
	default:
		c.reason = "its time was over"
	}
	at := time.Now().UTC()
	c.head.Ended = &at
	c.add(c.counter.End(at))
	c.counter.Plan = plan.Plan{} // forgets the passwords
}

// programEnded is the reason of counters that end with the program.
const programEnded = "the server ended"

func secondsOf(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
