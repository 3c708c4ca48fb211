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

// The oldest supported version of Python.
const (
	pythonMajor = 3
	pythonMinor = 9
)

// tooOld is the exit code of an older Python.
const tooOld = 97

// first is the program that Python starts with. It ends a Python that is too old before that Python
// reads syntax that it does not know.
var first = fmt.Sprintf("import os, sys; sys.version_info >= (%d, %d) or os._exit(%d); "+
	"exec(compile(open(sys.argv[1], encoding='utf-8').read(), '<sledge>', 'exec'), {'__name__': 'sledge', '__file__': sys.argv[1]})", pythonMajor, pythonMinor, tooOld)

//go:embed bootstrap.py
var bootstrap []byte

// Python runs scripts in the user's Python interpreter.
type Python struct {
	config  Config
	program string

	mu       sync.Mutex
	prompts  bool     // whether Python shows its prompt
	starting bool     // whether a process starts, which may run the script already
	cancels  int      // calls of Cancel meanwhile
	process  *process // nil while no process runs
	tcl      *Tcl     // evaluates scripts for tclpy.eval; nil until its first call
}

// ErrNoPython means that the chosen Python is missing or too old.
var ErrNoPython = errors.New("no Python")

// noPython is an ErrNoPython with a detailed message.
type noPython struct{ text string }

func (e noPython) Error() string        { return e.text }
func (e noPython) Is(target error) bool { return target == ErrNoPython }

// NewPython returns a Python whose program is a path or a name on the search path.
func NewPython(config Config, program string) (*Python, error) {
	found, err := exec.LookPath(program)
	if err != nil {
		return nil, noPython{fmt.Sprintf("find Python %d.%d or later: %v", pythonMajor, pythonMinor, err)}
	}
	return &Python{config: config, program: found}, nil
}

// Cancel stops the current script as Ctrl-C does: Tcl's, if Python has called Tcl, or else
// Python's. It may be called in addition to a Ctrl-C that Python has received from the terminal. At
// the prompt it does nothing.
func (y *Python) Cancel() {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.prompts {
		return
	}
	// Python receives this before Tcl has stopped, and leaves the interrupt to Tcl.
	switch {
	case y.process != nil:
		_ = y.process.send(message{Type: "cancel"}) // if Python has ended, it has stopped
	case y.starting:
		y.cancels++
	}
	if y.tcl != nil {
		y.tcl.Cancel()
	}
}

// RunFile runs the script in a file as python FILE args does; "-" reads the script from Stdin. The
// error is a *ScriptError, which Python has printed already, ErrExit, ErrQuit or ErrInterrupted, or
// the reason why Python ended. When ctx ends, RunFile stops the script as Ctrl-C does.
func (y *Python) RunFile(ctx context.Context, file string, args []string) error {
	return y.run(ctx, nil, append([]string{"file", file}, args...))
}

// Prompt shows Python's own prompt with a name, and returns as RunFile does. A terminal sends
// Ctrl-C to Python and to this program. Only Python handles it here, and it calls Config.Interrupt
// if a command is running.
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
	y.setStarting()
	defer y.setProcess(nil)
	p, err := start(ctx, y.config, "Python", command)
	if err != nil {
		if command.ProcessState != nil && command.ProcessState.ExitCode() == tooOld {
			return noPython{fmt.Sprintf("%s is older than Python %d.%d", y.program, pythonMajor, pythonMinor)}
		}
		return err
	}
	y.setProcess(p)
	defer y.closeTcl()
	return y.serve(ctx, p)
}

// serve executes the calls of Python until Python ends, and returns why it ended.
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
			return p.end(fmt.Errorf("it sent an unknown message %q", r.Type))
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

// request is a message from Python.
type request struct {
	message
	ctx  context.Context // of this request only
	stop func()          // ends ctx
	err  error           // why Python sends nothing more, or nil
}

// listen passes on the messages of Python until Python ends or done is closed. An interrupt applies
// to the request before it, even if serve has not begun that request yet.
func (y *Python) listen(ctx context.Context, p *process, requests chan<- request, done <-chan struct{}) {
	asked := request{stop: func() {}}
	defer func() { asked.stop() }()
	count := 0 // number of Ctrl-C since the request
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
			asked.stop() // the previous request has ended
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

// interrupt applies a Ctrl-C to a request. A command of the console decides itself what to do. Tcl
// is killed only if it does not react, because its variables are then lost.
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

// ended returns the reason why Python has ended. If Python gave a reason itself, it is why. noticed
// is the error that revealed the end.
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

// do executes a call of Python. If tclpy.eval has replaced Tcl's puts, that prints the output of
// the command; it takes precedence over Python's own sys.stdout.
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
	if ctx.Err() != nil { // a cancelled request ends like a cancelled command
		reply.Failed, reply.Stopped = true, true
	}
	return reply
}

// tclReply turns the result of a Tcl evaluation into a reply. An exit in Tcl also ends Python.
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

func (y *Python) setStarting() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.starting, y.cancels = true, 0
}

// setProcess sets the process that runs, and sends it the calls of Cancel that came while it started.
func (y *Python) setProcess(p *process) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.starting, y.process = false, p
	for ; p != nil && y.cancels > 0; y.cancels-- {
		_ = p.send(message{Type: "cancel"}) // if Python has ended, it has stopped
	}
}

func (y *Python) startTcl(ctx context.Context) error {
	if y.tcl != nil { // only this goroutine sets it
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
