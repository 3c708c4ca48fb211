package scripting

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"sledge/internal/control/tasks"
	"sledge/internal/job"
)

// Limits of processes at once.
const (
	MaxScripts  = 8
	MaxConsoles = 8
)

// linger is how long a prompt without followers keeps running.
const linger = 30 * time.Minute

// grace is the time for running executions to abort after the second request to end the program, so
// that a run of a script can record its end. Then they are killed.
const grace = 3 * time.Second

// Runner starts scripts and prompts.
type Runner struct {
	Store Store

	// Command returns a command that starts this program.
	Command func(arguments ...string) *exec.Cmd

	// Busy reports whether a process needs no follower, because it is running a job. Nil means
	// never.
	Busy func(pid int) bool

	list tasks.List[*Execution]

	// The lock of list guards looking and ended until list.End; then mu does.
	looking bool          // whether lookAfter is running
	ended   chan struct{} // ends lookAfter
	clear   sync.WaitGroup
	linger  time.Duration // replaces linger in tests

	mu     sync.Mutex
	wishes int // requests to end the program
}

// Kind is the kind of an execution.
type Kind string

// The kinds of executions.
const (
	OfScript  Kind = "script"
	OfConsole Kind = "console"
)

// Run runs a script. The script finds the arguments in argv.
func (d *Runner) Run(name string, arguments []string) (*Execution, error) {
	language, err := LanguageOf(name)
	if err != nil {
		return nil, err
	}
	if _, err := d.Store.Read(name); err != nil {
		return nil, err
	}
	path := d.Store.path(name)
	var command *exec.Cmd
	if language == Driver {
		if len(arguments) > 0 {
			return nil, job.WithExit(job.ExitUsage, errors.New("arguments: a driver script takes none"))
		}
		command = d.Command("console", "tcl")
		command.Stdin = strings.NewReader(driving(path))
	} else {
		command = d.Command(slices.Concat([]string{"console", "auto", path}, arguments)...)
	}
	return d.start(Report{Kind: OfScript, Script: name, Language: language}, command, nil)
}

// driving returns the Tcl commands that load a driver script and run it.
func driving(path string) string {
	var quoted strings.Builder
	for _, r := range path {
		if strings.ContainsRune(" \t\"$;[]{}\\", r) {
			quoted.WriteByte('\\')
		}
		quoted.WriteRune(r)
	}
	return "customscript " + quoted.String() + "\nvurun\nvudestroy\n"
}

// Size is the size of a terminal in characters.
type Size struct {
	Columns int `json:"columns" minimum:"20" maximum:"500"`
	Rows    int `json:"rows" minimum:"5" maximum:"200"`
}

// Open starts a prompt of the console at its own terminal.
func (d *Runner) Open(language Language, size Size) (*Execution, error) {
	word := "tcl"
	if language == Python {
		word = "py"
	}
	return d.start(Report{Kind: OfConsole, Language: language}, d.Command("console", word), &size)
}

// start starts a process.
func (d *Runner) start(report Report, command *exec.Cmd, terminal *Size) (*Execution, error) {
	limit := MaxScripts
	if report.Kind == OfConsole {
		limit = MaxConsoles
	}
	return d.list.Begin(func(running []*Execution) (*Execution, error) {
		running = slices.DeleteFunc(running, func(e *Execution) bool { return e.kind() != report.Kind })
		if len(running) >= limit {
			return nil, tasks.Busy("%d executions of the kind %s are running, which is the limit: end one", limit, report.Kind)
		}
		if d.Store.Folder != "" {
			root, err := d.Store.open(true)
			if err != nil {
				return nil, err
			}
			root.Close()
			command.Dir = d.Store.Folder // scripts find each other in their folder
		}
		report.ID = tasks.NewID()
		e, err := begin(report, command, terminal)
		if err == nil && report.Kind == OfConsole && !d.looking {
			d.looking, d.ended = true, make(chan struct{})
			d.clear.Go(d.lookAfter)
		}
		return e, err
	})
}

// lookAfter ends prompts without followers.
func (d *Runner) lookAfter() {
	patience := cmp.Or(d.linger, linger)
	tick := time.NewTicker(patience / 10)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-d.ended:
			return
		}
		for _, e := range d.List() {
			left, is := e.leftFor()
			if e.kind() == OfConsole && is && left > patience && (d.Busy == nil || !d.Busy(e.pid)) {
				e.Stop()
			}
		}
	}
}

// List returns the running executions and those that ended recently, oldest first.
func (d *Runner) List() []*Execution { return d.list.All() }

// Find returns an execution by its ID.
func (d *Runner) Find(id string) (*Execution, error) {
	if e, found := d.list.Find(id); found {
		return e, nil
	}
	return nil, job.WithExit(job.ExitMissing, errors.New("this execution does not exist: it ended long ago, or the server was restarted"))
}

// Interrupt handles a request to end the program: nothing is started any more, and running
// processes are stopped as by Execution.Stop. Processes that run longer than grace after the second
// request are killed.
func (d *Runner) Interrupt() {
	d.mu.Lock()
	d.wishes++
	second := d.wishes == 2
	d.mu.Unlock()
	for _, e := range d.list.End() {
		e.Stop()
		if second {
			time.AfterFunc(grace, e.kill)
		}
	}
}

// Wait waits until no process is running, or ctx ends.
func (d *Runner) Wait(ctx context.Context) {
	for _, e := range d.List() {
		select {
		case <-e.over:
		case <-ctx.Done():
			return
		}
	}
}

// Close kills running processes and waits until they have ended.
func (d *Runner) Close() {
	all := d.list.End()
	d.mu.Lock()
	if d.looking {
		d.looking = false
		close(d.ended)
	}
	d.mu.Unlock()
	for _, e := range all {
		e.kill()
	}
	d.Wait(context.Background())
	d.clear.Wait()
}
