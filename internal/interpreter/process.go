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

// patience is the time for a process to end after a request to end.
const patience = 5 * time.Second

// process is a running interpreter. It ends when its connection ends.
type process struct {
	Config
	what string // "Tcl", for messages
	*link
	command *exec.Cmd
	ended   chan struct{} // closed when the process is gone

	once   sync.Once
	failed error // why the process has ended

	event     string // the first error of an event handler, which no script can catch
	signalled bool   // whether the last request may have received a signal
	diverts   bool   // whether a script has replaced the language's output
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
		_ = command.Wait() // ProcessState has the result
		cancel()           // no interpreter will connect any more
		close(p.ended)
	}()
	if p.link, err = d.admit(starting); err != nil {
		_ = command.Process.Kill() // it may have ended already
		<-p.ended
		return nil, fmt.Errorf("start the %s interpreter (%s): %w", what, command.ProcessState, err)
	}
	if err := p.send(message{Type: "commands", Commands: config.Commands, Words: config.Words}); err != nil {
		p.stop(0)
		return nil, fmt.Errorf("send the commands to the %s interpreter: %w", what, err)
	}
	return p, nil
}

// ask sends a request, and executes the calls that arrive before the response.
func (p *process) ask(ctx context.Context, request message) (message, error) {
	if p.failed != nil {
		return message{}, p.failed
	}
	p.signalled = false
	if err := p.send(request); err != nil {
		return message{}, p.end(err)
	}
	defer p.cancelAfter(ctx)() // after send, because otherwise there is nothing to cancel
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
			return message{}, p.end(fmt.Errorf("it sent an unknown message %q", m.Type))
		}
	}
}

// cancelAfter cancels the current request when ctx ends, and kills the process if it does not
// react. The returned function stops that.
func (p *process) cancelAfter(ctx context.Context) (forget func()) {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = p.send(message{Type: "cancel"}) // ask notices if the process has ended
		select {
		case <-done:
		case <-time.After(patience):
			_ = p.command.Process.Kill() // it may have ended
		}
	})
	return func() { stop(); close(done) }
}

// printer returns the function that prints the output of a call in the process, or nil.
func (p *process) printer(call message) func(text string) {
	if !call.Divert {
		return nil
	}
	return func(text string) {
		_ = p.send(message{Type: "print", Result: text}) // ask notices if the process has ended
	}
}

// do executes a call and returns the reply. print receives the output, unless it is nil.
func (p *process) do(ctx context.Context, call message, print func(text string)) message {
	reply := replyOf(p.Handle(ctx, Call{Name: call.Name, Args: call.Args, Folder: call.Folder, Print: print}))
	if ctx.Err() != nil { // the script must stop, regardless of the command's result
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

// replyOf turns the result of a handler into a reply.
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

// leave waits for a process that its script has ended.
func (p *process) leave(why error) error {
	p.failed = why
	p.stop(patience)
	return why
}

// end returns why a process has ended unexpectedly.
func (p *process) end(cause error) error {
	p.stop(0)
	p.signalled = true
	p.failed = &DeathError{p.what, p.command.ProcessState.String(), cause}
	return p.failed
}

// stop gives the process some time to end, and then kills it.
func (p *process) stop(wait time.Duration) {
	p.once.Do(func() {
		select {
		case <-p.ended:
		case <-time.After(wait):
			_ = p.command.Process.Kill() // it may have just ended
		}
		<-p.ended
		if p.link != nil {
			p.connection.Close()
		}
	})
}

// Close ends the process and waits for it.
func (p *process) Close() error {
	_ = p.send(message{Type: "close"}) // it may have ended, as wanted
	p.stop(patience)
	if p.failed == nil {
		p.failed = fmt.Errorf("the %s interpreter: %w", p.what, os.ErrClosed)
	}
	return nil
}
