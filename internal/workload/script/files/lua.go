package files

import (
	"cmp"
	"context"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
	"sledge/internal/workload/script/sysbench"
)

// shared is what the users of a run share for scripts in Lua. It is safe for concurrent use.
type shared struct {
	events  atomic.Int64 // begun so far
	numbers *sysbench.Numbers
}

// thread is the part of a script's thread that its terminal has.
type thread struct {
	*shared
	limit int64 // of the events of all threads; 0 for none
	begun bool  // the current event was tried
	ended bool  // no more events
}

// next reports whether there is another event.
func (t *thread) next() bool {
	t.begun = false
	return !t.ended && (t.limit == 0 || t.events.Add(1) <= t.limit)
}

// mostEvents returns the limit of the events of all threads; 0 for none.
func (d *definition) mostEvents() int64 {
	n, _ := strconv.ParseInt(d.Variables["events"], 10, 64) // the script's options were checked
	return n
}

// The names of variables that say how a script in Lua is run, beside its options.
const (
	variableVersion = "sysbench_version"
	variablePath    = "script_path"
)

// newThread returns the state of a script in Lua, ready for events.
func (d *definition) newThread(ctx context.Context, c workload.Connection, t *ownTransaction, trial bool) (*sysbench.State, error) {
	if trial {
		c.Session = nil // it opens one, because a script may commit
	}
	given := map[string]string{}
	for name, text := range d.Variables {
		if name != variableVersion && name != variablePath {
			given[sysbench.Canonical(name)] = text
		}
	}
	texts := option.Texts(c.Options)
	for _, o := range d.options {
		given[o.name] = texts[o.name]
	}
	given["threads"] = strconv.Itoa(c.Users)
	seed := uint32(c.Seed)
	if n, err := strconv.ParseUint(given["rand_seed"], 10, 32); err == nil && n > 0 {
		seed = uint32(n)
	}
	out := c.Out
	switch {
	case out != nil:
	case c.Number == 0:
		out = &printer{tell: c.Tell}
	default:
		out = io.Discard
	}
	s, err := sysbench.New(ctx, sysbench.Setup{
		Program: d.programs[t.name], Options: given, Version: sysbench.Version(cmp.Or(d.Variables[variableVersion], string(sysbench.Version10))),
		Command: "run", Path: cmp.Or(d.Variables[variablePath], t.name+".lua"), Thread: c.Number, Seed: seed,
		Unsafe: reflect.ValueOf(c.Options).Elem().FieldByName(programsField).Bool(),
		Server: ServerOf(c.Database, c.Session, c.SQL.Placeholder, c.Open), Stopped: c.Stopped, Out: out,
	})
	if err != nil {
		return nil, asUsage(err)
	}
	if err := s.Begin(ctx); err != nil {
		return nil, errors.Join(asUsage(err), s.Close(ctx))
	}
	return s, nil
}

// asUsage gives a mistake in a script the exit code of one.
func asUsage(err error) error {
	if _, is := errors.AsType[*sysbench.Mistake](err); is {
		return job.WithExit(job.ExitUsage, err)
	}
	return err
}

// ServerOf returns the server that scripts in Lua connect to. own is the session of the first connection; it may be nil.
func ServerOf(d *database.Database, own database.Session, placeholder func(int) string, open func(context.Context) (database.Session, error)) sysbench.Server {
	return sysbench.Server{
		Driver: sysbench.Driver(d.Name), Placeholder: placeholder, Explain: d.Sessions.Explain, Classify: d.Sessions.Classify, Own: own, Open: open,
	}
}

// printer makes messages of what the script of the first user prints. A script that prints in every event would fill the
// job's log, so only the first lines become messages.
type printer struct {
	tell  func(job.Event)
	lines int
	rest  []byte
}

// Write implements io.Writer.
func (p *printer) Write(text []byte) (int, error) {
	const most, longest = 20, 500
	p.rest = append(p.rest, text...)
	for p.lines < most {
		line, rest, found := strings.Cut(string(p.rest), "\n")
		if !found {
			break
		}
		p.rest = []byte(rest)
		p.lines++
		p.tell(job.Event{Message: strings.ReplaceAll(line[:min(len(line), longest)], "\t", "    ")})
	}
	if p.lines == most || len(p.rest) > longest {
		p.rest = p.rest[:0]
	}
	return len(text), nil
}

// runState runs an event of a script in Lua.
func (e *executor) runState(ctx context.Context, p *prepared, t *thread) error {
	if e.trial {
		t.events.Add(-1) // it does not count
		return nil       // thread_init has prepared the statements
	}
	p.state.Numbers = t.numbers
	again := t.begun
	t.begun = true
	ended, err := p.state.Event(ctx, again)
	switch {
	case ended:
		t.ended = true
		if err == nil {
			return workload.ErrStopped
		}
	case err != nil && errors.Is(err, workload.ErrStopped):
		return workload.ErrStopped
	case err != nil && p.OnError == errorStops:
		t.ended = !workload.IsRepeat(err)
	}
	return err
}

// Waited implements workload.Pacer.
func (e *executor) Waited() (waited time.Duration) {
	for i := range e.kinds {
		if s := e.kinds[i].state; s != nil {
			waited += s.Waited()
		}
	}
	return waited
}

var _ io.Closer = (*executor)(nil)

// Close implements io.Closer: it ends the threads of scripts in Lua.
func (e *executor) Close() error {
	if e.trial {
		return nil
	}
	const lastWords = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	var all error
	for i := range e.kinds {
		if s := e.kinds[i].state; s != nil {
			all = errors.Join(all, s.Close(ctx))
		}
	}
	return all
}

// Counts returns the counts of statements of scripts in Lua.
func (e *executor) Counts() (list []*sysbench.Counts) {
	for i := range e.kinds {
		if s := e.kinds[i].state; s != nil {
			list = append(list, &s.Counts)
		}
	}
	return list
}
