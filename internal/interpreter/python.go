package interpreter

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// The oldest Python that scripts run in.
const (
	pythonMajor = 3
	pythonMinor = 9
)

// tooOld is the exit code of a Python that is older.
const tooOld = 97

// first is what Python is started with: it leaves a Python that is too old before
// that would stumble over what it does not know.
var first = fmt.Sprintf("import os, sys; sys.version_info >= (%d, %d) or os._exit(%d); "+
	"exec(compile(open(sys.argv[1], encoding='utf-8').read(), '<sledge>', 'exec'), {'__name__': 'sledge', '__file__': sys.argv[1]})", pythonMajor, pythonMinor, tooOld)

//go:embed bootstrap.py
var bootstrap []byte

// Python runs scripts by a Python interpreter of the user's.
type Python struct {
	config  Config
	program string

	mu      sync.Mutex
	prompts bool     // it shows its prompt
	process *process // nil while none runs
	tcl     *Tcl     // what tclpy.eval evaluates; nil until it is called
}

// ErrNoPython means that the chosen Python is missing or too old.
var ErrNoPython = errors.New("no Python")

// noPython is an ErrNoPython that says what is wrong.
type noPython struct{ text string }

func (e noPython) Error() string        { return e.text }
func (e noPython) Is(target error) bool { return target == ErrNoPython }

// NewPython returns a Python whose program is found at a path, or else by a name
// on the search path.
func NewPython(config Config, program string) (*Python, error) {
	found, err := exec.LookPath(program)
	if err != nil {
		return nil, noPython{fmt.Sprintf("find Python %d.%d or later: %v", pythonMajor, pythonMinor, err)}
	}
	return &Python{config: config, program: found}, nil
}

// Cancel stops what runs as Ctrl-C does: what Tcl evaluates for Python, or else
// Python's script. It may come in addition to a Ctrl-C that Python has heard at
// the terminal. At the prompt it does nothing.
func (y *Python) Cancel() {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.prompts {
		return
	}
	// Python hears of it before Tcl has stopped, and so leaves it to Tcl.
	if y.process != nil {
		_ = y.process.send(message{Type: "cancel"}) // a Python that is gone has stopped
	}
	if y.tcl != nil {
		y.tcl.Cancel()
	}
}

// RunFile runs the script in a file as python FILE args does; "-" is what comes
// from Stdin. The error is a *ScriptError that Python has shown already, ErrExit,
// ErrQuit or ErrInterrupted, or says why Python is gone. When ctx ends, it is told
// to stop as by Ctrl-C.
func (y *Python) RunFile(ctx context.Context, file string, args []string) error {
	return y.run(ctx, nil, append([]string{"file", file}, args...))
}

// Prompt shows Python's own prompt, introduced by a name, and returns as RunFile
// does. A terminal tells both Python and this program of Ctrl-C: here Python alone is to
// hear of it, and says by Config.Interrupt when a command is meant.
func (y *Python) Prompt(ctx context.Context, name string) error {
	y.mu.Lock()
	y.prompts = true
	y.mu.Unlock()
	return y.run(ctx, []string{"-i"}, []string{"prompt", name})
}

func (y *Python) run(ctx context.Context, flags, args []string) error {
	folder, err := os.MkdirTemp("", "sledge-python-")
	if err != nil {
		return fmt.Errorf("start Python: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "bootstrap.py")
	if err := os.WriteFile(file, bootstrap, 0o600); err != nil {
		return fmt.Errorf("start Python: %w", err)
	}
	command := exec.Command(y.program, append(append(flags, "-c", first, file), args...)...)
	p, err := start(ctx, y.config, "Python", command)
	if err != nil {
		if command.ProcessState != nil && command.ProcessState.ExitCode() == tooOld {
			return noPython{fmt.Sprintf("%s is older than Python %d.%d", y.program, pythonMajor, pythonMinor)}
		}
		return err
	}
	y.setProcess(p)
	defer y.setProcess(nil)
	defer y.closeTcl()
	return y.serve(ctx, p)
}

// serve does the calls of Python until it ends, and returns why it has.
func (y *Python) serve(ctx context.Context, p *process) error {
	defer p.cancelAfter(ctx)()
	done := make(chan struct{})
	requests := make(chan request)
	var listening sync.WaitGroup
	listening.Go(func() { y.listen(ctx, p, requests, done) })
	defer func() { close(done); listening.Wait() }()
	var why error
	for {
		r := <-requests
		if r.err != nil {
			p.stop(patience)
			return ended(p, why, r.err)
		}
		var reply message
		switch r.Type {
		case "call":
			reply = y.do(r.ctx, p, r.message)
		case "tcl":
			reply = y.evalTcl(r.ctx, r.Script)
		case "failed":
			why = &ScriptError{Message: p.suggested(r.Result)}
			if r.Stopped {
				why = ErrInterrupted
			}
			continue
		default:
			return p.end(fmt.Errorf("it says %q, which is not known", r.Type))
		}
		if reply.Quit && reply.Code == 0 {
			why = ErrQuit
		}
		if err := p.send(reply); err != nil {
			p.stop(patience)
			return ended(p, why, err)
		}
	}
}

// request is what Python says.
type request struct {
	message
	ctx  context.Context // of what is asked for alone
	stop func()          // ends ctx
	err  error           // why Python says nothing any more, or nil
}

// listen passes on what Python says, until Python is gone or done is closed. What it
// says of Ctrl-C is for what it asked for before, whether that has begun or not.
func (y *Python) listen(ctx context.Context, p *process, requests chan<- request, done <-chan struct{}) {
	asked := request{stop: func() {}}
	defer func() { asked.stop() }()
	count := 0 // of Ctrl-C since it was asked
	for {
		m, err := p.receive()
		r := request{message: m, err: err}
		switch m.Type {
		case "event":
			p.event = cmp.Or(p.event, m.Result)
			continue
		case "interrupt":
			count++
			y.interrupt(asked, count)
			continue
		case "call", "tcl":
			asked.stop() // it has ended
			r.ctx, r.stop = context.WithCancel(ctx)
			asked, count = r, 0
		}
		select {
		case requests <- r:
		case <-done:
			return
		}
		if err != nil {
			return
		}
	}
}

// interrupt does what Ctrl-C means for what was asked for. A command of the console
// decides itself; Tcl is ended only when it does not listen, since its variables are
// lost then.
func (y *Python) interrupt(asked request, count int) {
	if y.config.Interrupt() {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if asked.Type == "tcl" && y.tcl != nil && count == 1 {
		y.tcl.Cancel()
		return
	}
	asked.stop()
}

// ended returns why Python has ended, if not for the reason it gave, why: noticed is
// how that showed.
func ended(p *process, why, noticed error) error {
	code := p.command.ProcessState.ExitCode()
	switch {
	case code < 0:
		return &DeathError{p.what, p.command.ProcessState.String(), noticed}
	case code > 0 && (why == nil || errors.Is(why, ErrQuit)):
		return ErrExit{code}
	case why == nil:
		return p.eventError()
	}
	return why
}

// do does a call of Python's. It is Tcl's puts that prints what the command prints, if
// tclpy.eval has put another in its place; it comes before Python's own sys.stdout.
func (y *Python) do(ctx context.Context, p *process, call message) message {
	if y.tcl == nil || !y.tcl.Diverts() {
		return p.do(ctx, call, p.printer(call))
	}
	var mu sync.Mutex
	var notPrinted error
	reply := p.do(ctx, call, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		notPrinted = cmp.Or(notPrinted, y.tcl.Print(ctx, text))
	})
	if notPrinted == nil || reply.Failed || reply.Quit {
		return reply
	}
	return y.tclReply("", notPrinted)
}

// evalTcl evaluates a script for tclpy.eval.
func (y *Python) evalTcl(ctx context.Context, script string) message {
	if err := y.startTcl(ctx); err != nil {
		return replyOf("", err)
	}
	reply := y.tclReply(y.tcl.Eval(ctx, script))
	if ctx.Err() != nil { // as for commands
		reply.Failed, reply.Stopped = true, true
	}
	return reply
}

// tclReply spells what came of something that Tcl evaluated. Tcl's exit is Python's,
// too.
func (y *Python) tclReply(result string, err error) message {
	if errors.As(err, new(*DeathError)) {
		y.closeTcl() // the next script gets a new one
	}
	reply := replyOf(result, err)
	var exit ErrExit
	if errors.As(err, &exit) {
		reply.Quit, reply.Code = true, exit.Code
	}
	return reply
}

func (y *Python) setProcess(p *process) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.process = p
}

func (y *Python) startTcl(ctx context.Context) error {
	if y.tcl != nil { // which only this goroutine sets
		return nil
	}
	tcl, err := StartTcl(ctx, y.config) // without the lock: Cancel must not wait
	y.mu.Lock()
	defer y.mu.Unlock()
	y.tcl = tcl
	return err
}

func (y *Python) closeTcl() {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.tcl != nil {
		y.tcl.Close()
		y.tcl = nil
	}
}
