package interpreter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// patience is how long a process gets to end after it was told to.
const patience = 5 * time.Second

// process is an interpreter that runs. It ends when its connection does.
type process struct {
	Config
	what string // "Tcl", for messages
	*link
	command *exec.Cmd
	ended   chan struct{} // closed when the process is gone

	once   sync.Once
	failed error // why the process is gone

	event     string // the message of the first error of an event, which no script gets to see
	signalled bool   // whether what was asked for last may have got a signal
	diverts   bool   // whether a script has put something of its own in the place of what prints
}

// start starts a process and waits until it has connected.
func start(ctx context.Context, config Config, what string, command *exec.Cmd) (*process, error) {
	d, err := openDoor()
	if err != nil {
		return nil, err
	}
	defer d.listener.Close()
	// A nil *os.File in an interface would not be nil.
	if config.Stdin != nil {
		command.Stdin = config.Stdin
	}
	if config.Stdout != nil {
		command.Stdout = config.Stdout
	}
	if config.Stderr != nil {
		command.Stderr = config.Stderr
	}
	command.Env = append(append(command.Env, config.Environ...), d.variable())
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the %s interpreter: %w", what, err)
	}
	p := &process{Config: config, what: what, command: command, ended: make(chan struct{})}
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_ = command.Wait() // how it ended is in ProcessState
		cancel()           // no interpreter will connect any more
		close(p.ended)
	}()
	if p.link, err = d.admit(starting); err != nil {
		_ = command.Process.Kill() // it may be gone already
		<-p.ended
		return nil, fmt.Errorf("start the %s interpreter (%s): %w", what, command.ProcessState, err)
	}
	if err := p.send(message{Type: "commands", Commands: config.Commands, Words: config.Words}); err != nil {
		p.stop(0)
		return nil, fmt.Errorf("tell the %s interpreter its commands: %w", what, err)
	}
	return p, nil
}

// ask sends a request and does the calls that come until it is answered.
func (p *process) ask(ctx context.Context, request message) (message, error) {
	if p.failed != nil {
		return message{}, p.failed
	}
	p.signalled = false
	if err := p.send(request); err != nil {
		return message{}, p.end(err)
	}
	defer p.cancelAfter(ctx)() // not before: there would be nothing yet to cancel
	for {
		m, err := p.receive()
		if err != nil {
			return message{}, p.end(err)
		}
		switch m.Type {
		case "done":
			p.signalled, p.diverts = m.Signalled, m.Divert
			return m, nil
		case "event":
			p.event = cmp.Or(p.event, m.Result)
		case "exit":
			return message{}, p.leave(ErrExit{m.Code})
		case "call":
			reply := p.do(ctx, m, p.printer(m))
			if err := p.send(reply); err != nil {
				return message{}, p.end(err)
			}
			if reply.Quit {
				return message{}, p.leave(ErrQuit)
			}
		default:
			return message{}, p.end(fmt.Errorf("it says %q, which is not known", m.Type))
		}
	}
}

// cancelAfter has what the process does cancelled when ctx ends, and a process
// that does not care killed, until the function it returns is called.
func (p *process) cancelAfter(ctx context.Context) (forget func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = p.send(message{Type: "cancel"}) // a process that is gone is noticed elsewhere
		select {
		case <-done:
		case <-time.After(patience):
			_ = p.command.Process.Kill() // the same
		}
	})
	return func() { stop(); close(done) }
}

// printer returns what the process takes what a call prints by, or nil.
func (p *process) printer(call message) func(text string) {
	if !call.Divert {
		return nil
	}
	return func(text string) {
		_ = p.send(message{Type: "print", Result: text}) // a process that is gone is noticed elsewhere
	}
}

// do does a call, what it prints being print's unless that is nil, and returns the
// reply.
func (p *process) do(ctx context.Context, call message, print func(text string)) message {
	reply := replyOf(p.Handle(ctx, Call{Name: call.Name, Args: call.Args, Folder: call.Folder, Print: print}))
	if ctx.Err() != nil { // the script is not to go on, whatever came of the command
		reply.Failed, reply.Stopped = true, true
	}
	return reply
}

// eventError returns the first error of an event, or nil.
func (p *process) eventError() error {
	if p.event == "" {
		return nil
	}
	return &ScriptError{Message: p.event}
}

// replyOf spells what a handler returned.
func replyOf(result string, err error) message {
	m := message{Type: "reply", Result: result}
	if err != nil {
		m.Failed = true
		m.Result = err.Error()
		m.Quit = errors.Is(err, ErrQuit)
		m.Stopped = errors.Is(err, ErrInterrupted)
	}
	return m
}

// leave waits for a process that ends by the will of its script.
func (p *process) leave(why error) error {
	p.failed = why
	p.stop(patience)
	return why
}

// end returns why a process is gone that was not told to go.
func (p *process) end(cause error) error {
	p.stop(0)
	p.signalled = true
	p.failed = &DeathError{p.what, p.command.ProcessState.String(), cause}
	return p.failed
}

// stop ends the process, if it has not ended, after it got some time to do so
// itself.
func (p *process) stop(wait time.Duration) {
	p.once.Do(func() {
		select {
		case <-p.ended:
		case <-time.After(wait):
			_ = p.command.Process.Kill() // it may be gone just now
		}
		<-p.ended
		if p.link != nil {
			p.connection.Close()
		}
	})
}

// Close ends the process and waits for it.
func (p *process) Close() error {
	_ = p.send(message{Type: "close"}) // a process that is gone is what is wanted
	p.stop(patience)
	if p.failed == nil {
		p.failed = fmt.Errorf("the %s interpreter: %w", p.what, os.ErrClosed)
	}
	return nil
}
