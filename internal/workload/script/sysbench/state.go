package sysbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// Server is the database that a state connects to.
type Server struct {
	Driver      string // as scripts know it: "mysql" or "pgsql", or Sledge's name of another database
	Placeholder func(n int) string
	Explain     func(err error) database.Explanation
	Classify    func(err error) meter.Class

	// Own is the session that the first connection uses; nil if each connection opens one. The caller closes it.
	Own database.Session

	// Open opens another session.
	Open func(ctx context.Context) (database.Session, error)
}

// Setup is what a state is created with.
type Setup struct {
	Program *Program
	Options map[string]string // the given ones, by their names with underscores
	Version Version
	Command string // "" without one
	Path    string // of the script, as it was given
	Thread  int    // from 0
	Seed    uint32
	Unsafe  bool // whether scripts may use files and start programs
	Server  Server
	Stopped <-chan struct{} // closed when the run is to end; nil if it never is
	Out     io.Writer       // for what the script prints
	Numbers *Numbers        // shared by the threads of a run; nil for own ones
}

// Numbers are the unique numbers of a run. It is safe for concurrent use.
type Numbers struct{ sequence *sequence }

// NewNumbers returns the unique numbers of a run.
func NewNumbers(seed uint32) *Numbers { return &Numbers{newSequence(seed)} }

// Counts are counts of statements, as sysbench counts them: those with a result, those that changed rows, and others.
type Counts struct{ Read, Write, Other, Errors, Reconnects atomic.Int64 }

// State is a Lua state: that of a thread, or that of commands. It is not safe for concurrent use, except Counts.
type State struct {
	Setup
	Counts Counts

	lua      *lua.LState
	ctx      context.Context // of the current call
	options  *setOptions
	random   random
	shape    shape
	draw     distribution // rand.default
	ignored  map[int]bool // numbers of MySQL's errors after which an event is repeated
	allErrs  bool
	prepares bool // whether statements are prepared
	measures bool // whether sysbench would measure percentiles

	connections []*connection
	ownTaken    bool // whether a connection uses Setup.Server.Own
	legacy      *connection
	failure     error // of the database, in the current call
	restart     *lua.LTable
	buf         []byte

	steps    int       // instructions since the limits were looked at
	ending   time.Time // when it was first seen that the run is to end
	over     bool      // the current call must end
	nested   int       // coroutines in each other
	broken   error     // the interpreter has failed and cannot be used any more
	grace    time.Duration
	mostUsed uint64 // how much memory the process may use, in bytes
	loop     *threadLoop
	tid      lua.LValue
	classes  map[string]*lua.LTable // the metatables of objects
}

// restartEvent is sysbench.error.RESTART_EVENT.
const restartEvent = lua.LNumber(1)

// New returns a state in which the script has been executed, so that its functions are defined.
func New(ctx context.Context, setup Setup) (*State, error) {
	const grace = 10 * time.Second
	s := &State{Setup: setup, ctx: ctx, tid: lua.LNumber(setup.Thread), grace: grace, mostUsed: mostMemory, classes: map[string]*lua.LTable{}}
	watchMemory()
	if s.Numbers == nil {
		s.Numbers = NewNumbers(setup.Seed)
	}
	s.options = newOptions(setup.Version, setup.Options)
	s.random = newRandom(setup.Seed, setup.Thread)
	s.shape = shape{
		iterations: int(s.options.number("rand_spec_iter")), percent: s.options.number("rand_spec_pct"), special: s.options.number("rand_spec_res"),
		zipfExponent: s.options.number("rand_zipfian_exp"),
	}
	h := s.options.number("rand_pareto_h")
	s.shape.paretoPower = math.Log(h) / math.Log(1-h)
	var err error
	if s.draw, err = s.shape.distributionNamed(s.options.text("rand_type")); err != nil {
		return nil, err
	}
	s.prepares = s.options.text("db_ps_mode") != "disable"
	s.measures = s.options.number("percentile") > 0
	s.ignored = map[int]bool{}
	for part := range strings.SplitSeq(s.options.text("mysql_ignore_errors"), ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(part)); err == nil {
			s.ignored[n] = true
		}
		s.allErrs = s.allErrs || strings.TrimSpace(part) == "all"
	}
	// A stack that the library lets grow would lose calls at its limit (gopher-lua 1.1.2, autoGrowingCallFrameStack.SetSp).
	const stack, registry, growth, most = 200, 256, 1024, 1 << 16
	s.lua = lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: stack, RegistrySize: registry, RegistryGrowStep: growth, RegistryMaxSize: most,
	})
	s.lua.SetContext(watch{s})
	s.openLibraries()
	if err := s.run(s.Program.Main); err != nil {
		s.disconnect()
		return nil, err
	}
	s.declare()
	return s, nil
}

// run executes a file.
func (s *State) run(name string) error {
	proto, err := s.Program.load(name)
	if err != nil {
		return err
	}
	return s.call(0, s.lua.NewFunctionFromProto(proto))
}

// call calls a function with arguments. Its results remain on the stack.
func (s *State) call(results int, function lua.LValue, arguments ...lua.LValue) (err error) {
	if s.broken != nil {
		return s.broken
	}
	defer func() {
		// The library catches what it raises, and fails while it does so if the stack is full at a tail call.
		if failure := recover(); failure != nil {
			s.broken = &Mistake{File: s.Program.Main, Text: fmt.Sprint("the interpreter failed, so the thread ends: ", failure)}
			err = s.broken
		}
	}()
	s.lua.Push(function)
	for _, v := range arguments {
		s.lua.Push(v)
	}
	return s.explain(s.lua.PCall(len(arguments), results, nil))
}

// watch is the context of a state, which ends scripts that run on after the end of a run, or need too much memory. Lua
// asks it before each instruction.
type watch struct{ state *State }

// Deadline implements context.Context.
func (watch) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (watch) Value(any) any { return nil }

// Err implements context.Context.
func (w watch) Err() error { return errEndless }

// Done implements context.Context.
func (w watch) Done() <-chan struct{} {
	const often = 1 << 12
	s := w.state
	if s.steps++; s.steps < often && live.Load() <= s.mostUsed && !s.over {
		return nil
	}
	s.steps = 0
	if s.mustEnd() {
		return closed
	}
	return nil
}

var errEndless = errors.New("the script was ended")

// closed is a closed channel.
var closed = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// mustEnd reports whether the script must end now. Then no instruction of it is executed any more, so that it cannot
// catch the error.
func (s *State) mustEnd() bool {
	s.over = s.over || s.isEnd()
	return s.over
}

// isEnd reports whether the call has reached one of its limits. An event in progress at the end of a run has some time
// left.
func (s *State) isEnd() bool {
	select {
	case <-s.ctx.Done():
		return true
	case <-s.Stopped: // nil if it never ends
		if s.ending.IsZero() {
			s.ending = time.Now()
		}
		if time.Since(s.ending) > s.grace {
			return true
		}
	default:
	}
	if isFull(s.mostUsed) {
		s.failure = errMemory
		return true
	}
	return s.loop != nil && s.loop.ended
}

// explain makes an error of Lua one of Go. An error of the database remains its cause.
func (s *State) explain(err error) error {
	if err == nil {
		return nil
	}
	failure := s.failure
	s.failure, s.over = nil, false
	raised, is := errors.AsType[*lua.ApiError](err)
	if !is {
		return err
	}
	if failure == errMemory {
		return &scriptError{placed(raised, failure.Error()), failure}
	}
	if t, is := raised.Object.(*lua.LTable); is {
		if t.RawGetString("errcode") == restartEvent {
			if failure == nil {
				failure = errors.New("the script asks for a repetition")
			}
			return workload.Repeat(failure)
		}
	}
	text := strings.TrimSpace(lua.LVAsString(raised.Object))
	switch {
	case raised.Type == lua.ApiErrorPanic || strings.HasPrefix(text, "runtime error: "): // of Go; the latter in a coroutine
		text = placed(raised, "the interpreter failed: "+text)
	case text == "" && raised.Object != nil:
		text = placed(raised, "it raised an error without a text: "+raised.Object.Type().String())
	}
	const longest = 2000
	text = strings.ReplaceAll(text[:min(len(text), longest)], errEndless.Error(), "the script runs on although the run has ended")
	if failure != nil && !strings.Contains(text, s.explanation(failure).Message) {
		failure = nil // the script has dealt with it
	}
	return &scriptError{text, failure}
}

// place matches the first place of a script in a stack trace.
var place = regexp.MustCompile(`(?m)^\t([^\[\n].*?:\d+:) in `)

// placed puts the place where an error was raised before its text.
func placed(raised *lua.ApiError, text string) string {
	if at := place.FindStringSubmatch(raised.StackTrace); at != nil {
		return at[1] + " " + text
	}
	return text
}

// scriptError is an error that a script has raised.
type scriptError struct {
	text  string
	cause error // the database's error; nil for an error of the script itself
}

// Error returns the text, with file and line.
func (e *scriptError) Error() string { return e.text }

// Unwrap returns the database's error.
func (e *scriptError) Unwrap() error { return e.cause }

// global returns a global of the script. It runs no metamethods, which may raise errors.
func (s *State) global(name string) lua.LValue { return s.lua.G.Global.RawGetString(name) }

// field returns a field of a table, and nil of anything else.
func field(of lua.LValue, name string) lua.LValue {
	if t, is := of.(*lua.LTable); is {
		return t.RawGetString(name)
	}
	return lua.LNil
}

// Has reports whether the script defines a function.
func (s *State) Has(function string) bool {
	_, is := s.global(function).(*lua.LFunction)
	return is
}

// Call calls a function of the script with the number of the thread, if it is defined.
func (s *State) Call(ctx context.Context, function string) error {
	f, is := s.global(function).(*lua.LFunction)
	if !is {
		return nil
	}
	s.ctx = ctx
	return s.call(0, f, s.tid)
}

// Begin prepares a thread for events: it calls thread_init. Scripts of the legacy interface are connected before.
func (s *State) Begin(ctx context.Context) error {
	s.ctx = ctx
	if !s.Has("event") && !s.Has("thread_run") {
		return &Mistake{File: s.Program.Main, Text: "it defines no function event, which a run needs"}
	}
	if err := s.Call(ctx, "thread_init"); err != nil {
		return err
	}
	if s.Has("thread_run") {
		s.loop = newThreadLoop(s)
	}
	return nil
}

// Event runs one event. ended means that the thread does no more events, and that this one does not count. again
// means that the event is a repetition.
func (s *State) Event(ctx context.Context, again bool) (ended bool, err error) {
	s.ctx = ctx
	if again && s.restart != nil {
		if hook, is := s.hook("before_restart_event"); is {
			if err := s.call(0, hook, s.restart); err != nil {
				return false, err
			}
		}
		s.Counts.Errors.Add(1)
	}
	s.restart, s.failure = nil, nil
	if s.loop != nil {
		return s.loop.step()
	}
	if err := s.call(1, s.global("event"), s.tid); err != nil {
		s.rollback()
		return s.broken != nil, err
	}
	v := s.lua.Get(-1)
	s.lua.Pop(1)
	s.measured()
	return lua.LVAsBool(v), nil
}

// measured draws the number with which sysbench chooses a part of its histogram after each event, so that scripts draw
// the same numbers as there.
func (s *State) measured() {
	if s.measures {
		s.random.next()
	}
}

// rollback ends the transactions of connections that the engine does not know.
func (s *State) rollback() {
	for _, c := range s.connections {
		if c.session != nil && c.session != s.Server.Own {
			_ = c.session.Rollback(s.ctx) // a lost connection fails in the next event
		}
	}
}

// hook returns a function of sysbench.hooks.
func (s *State) hook(name string) (*lua.LFunction, bool) {
	f, is := field(field(s.global("sysbench"), "hooks"), name).(*lua.LFunction)
	return f, is
}

// Waited returns how long the script worked or paused before the last event began, which is not part of its latency.
func (s *State) Waited() time.Duration {
	if s.loop == nil {
		return 0
	}
	return s.loop.waited
}

// Close ends a thread: it calls thread_done, and closes the sessions that the state has opened.
func (s *State) Close(ctx context.Context) error {
	if s.loop != nil {
		s.loop.ended = true // even if the script goes on after sb_event_stop has failed
		s.loop.end()
		s.loop, s.over = nil, false
	}
	err := s.Call(ctx, "thread_done")
	s.disconnect()
	return err
}

// disconnect closes the sessions that the state has opened, and the state.
func (s *State) disconnect() {
	for _, c := range s.connections {
		c.close()
	}
	s.lua.Close()
}

// threadLoop runs a script's own loop over events: its function thread_run. The script gets events one by one, between
// which its caller runs.
type threadLoop struct {
	state   *State
	next    func() (bool, bool)
	end     func()
	yield   func(bool) bool
	err     error
	stepped time.Time     // when the caller let it go on
	waited  time.Duration // from then to the begin of the event
	ended   bool
}

func newThreadLoop(s *State) *threadLoop {
	l := &threadLoop{state: s}
	l.next, l.end = iter.Pull(func(yield func(bool) bool) {
		l.yield = yield
		l.err = s.Call(s.ctx, "thread_run")
	})
	return l
}

// step runs the loop to the end of the next event.
func (l *threadLoop) step() (ended bool, err error) {
	l.stepped = time.Now()
	_, more := l.next()
	return !more, l.err
}

// begin is sb_event_start.
func (l *threadLoop) begin() {
	l.waited = time.Since(l.stepped)
}

// done is sb_event_stop. It returns false if the loop must end.
func (l *threadLoop) done() bool {
	l.state.measured()
	return l.yield(true)
}

// seededRand returns the numbers of math.random, which are not those of sysbench.rand.
func seededRand(thread int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(thread))) }

// declare reads the options that the script declares, and sets sysbench.opt and the globals of the legacy interface.
func (s *State) declare() {
	for _, o := range s.Declared() {
		s.options.own[o.Name] = o
	}
	legacy := s.cmdline("options") == lua.LNil
	opt, isTable := field(s.global("sysbench"), "opt").(*lua.LTable)
	for _, name := range s.options.names() {
		v := s.option(name)
		if isTable {
			opt.RawSetString(name, v)
		}
		if legacy && s.global(name) == lua.LNil {
			s.lua.G.Global.RawSetString(name, v)
		}
	}
}

// option returns the value of an option for scripts.
func (s *State) option(name string) lua.LValue {
	o, is := s.options.declared(name)
	if !is {
		if text, given := s.options.given[name]; given {
			return lua.LString(text)
		}
		return lua.LNil
	}
	v, err := Value(o, s.options.text(name))
	if err != nil {
		return lua.LString(s.options.text(name))
	}
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	}
	return lua.LNil
}

// cmdline returns a field of sysbench.cmdline.
func (s *State) cmdline(name string) lua.LValue {
	return field(field(s.global("sysbench"), "cmdline"), name)
}

// AnyOption reports whether the script accepts options that are not declared, as scripts of the legacy interface do.
func (s *State) AnyOption() bool { return s.cmdline("options") == lua.LNil }

// Declared returns the options that the script declares.
func (s *State) Declared() (list []Option) {
	t, is := s.cmdline("options").(*lua.LTable)
	if !is {
		return nil
	}
	t.ForEach(func(key, description lua.LValue) {
		name, is := key.(lua.LString)
		if !is {
			return
		}
		o := Option{Name: Canonical(string(name)), Kind: String}
		if of, is := description.(*lua.LTable); is {
			o.Help = lua.LVAsString(of.RawGetInt(1))
			switch v := of.RawGetInt(2).(type) {
			case lua.LBool:
				o.Kind, o.Default = Bool, map[bool]string{true: "on", false: "off"}[bool(v)]
			case lua.LNumber:
				o.Kind, o.Default = Double, v.String()
			case lua.LString:
				o.Default = string(v)
			}
			if kind, is := of.RawGetInt(3).(lua.LNumber); is {
				o.Kind = Kind(kind)
			}
		}
		list = append(list, o)
	})
	return list
}

// Command is a command of a script.
type Command struct {
	Name     string
	Parallel bool // each thread runs it
	function *lua.LFunction
}

// Command finds a command that the script declares, or one of prepare, cleanup, help and others that it defines as a
// function.
func (s *State) Command(name string) (c Command, found bool) {
	c.Name = name
	if t, is := s.cmdline("commands").(*lua.LTable); is {
		t.ForEach(func(key, value lua.LValue) {
			of, is := value.(*lua.LTable)
			if !is || Canonical(lua.LVAsString(key)) != Canonical(name) {
				return
			}
			if f, is := of.RawGetInt(1).(*lua.LFunction); is {
				c.function, found = f, true
				c.Parallel = of.RawGetInt(2) == parallelCommand
			}
		})
	}
	if found {
		return c, true
	}
	c.function, found = s.global(name).(*lua.LFunction)
	return c, found
}

// Do runs a command.
func (s *State) Do(ctx context.Context, c Command) error {
	s.ctx = ctx
	return s.call(0, c.function)
}

// parallelCommand is sysbench.cmdline.PARALLEL_COMMAND.
const parallelCommand = lua.LNumber(1)

// explanation returns what the server said in an error.
func (s *State) explanation(err error) database.Explanation {
	if s.Server.Explain == nil {
		return database.Explanation{Message: err.Error()}
	}
	return s.Server.Explain(err)
}
