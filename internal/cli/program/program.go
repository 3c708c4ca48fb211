// Package program is one invocation of the command line: its streams, its environment, its
// interrupts and its exit code. It knows no command.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/agent"
	"sledge/internal/document"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// The names of HammerDB's programs under which Sledge can be started.
const (
	HammerDBConsole = "hammerdbcli"
	HammerDBService = "hammerdbws"
)

// HammerDBName returns the name of HammerDB's program under which Sledge was started, or "".
func HammerDBName(called string) string {
	switch name := strings.TrimSuffix(strings.ToLower(filepath.Base(called)), ".exe"); name {
	case HammerDBConsole, HammerDBService:
		return name
	}
	return ""
}

// OtherTool returns the command under whose name Sledge was started, if it takes the place of another tool: pgbench or
// sysbench. Otherwise it returns "".
func OtherTool(called string) string {
	switch name := strings.TrimSuffix(strings.ToLower(filepath.Base(called)), ".exe"); name {
	case "pgbench", "sysbench":
		return name
	}
	return ""
}

// Program is one invocation of the command line. It contains everything that the command line
// uses of its environment, so that tests can replace it.
type Program struct {
	Resolver settings.Resolver
	Runner   job.Runner // performs jobs in this process
	Workers  job.Runner // performs each job of the web application in its own process; nil uses Runner
	Version  string

	// WorkersOf returns a runner that performs each job in a process of the program in a file, another build of Sledge.
	WorkersOf func(path string) job.Runner

	Name    string   // the name by which the program was started, as in os.Args[0]; hammerdbcli and hammerdbws have their own arguments
	Args    []string // without the program's name
	Environ []string // lines "NAME=value"
	System  string   // the folder of the machine's configuration, including that of database clients: "/etc"

	Stdin  io.Reader
	Stdout io.Writer // only results; text for people is folded to the terminal's width
	Stderr io.Writer // progress, questions and errors

	StdinIsTerminal bool
	ReadPassword    func() (string, error) // from the terminal, without showing it

	// StdoutWidth and StderrWidth return the terminal's current width in columns, or 0 if it is
	// unknown. They are nil if the stream is not a terminal.
	StdoutWidth, StderrWidth func() int

	// StderrHeight returns the terminal's current height in lines; nil if there is no terminal.
	StderrHeight func() int

	// StdoutLook and StderrLook describe the other abilities of the terminals.
	StdoutLook, StderrLook terminal.Look

	// Signals delivers Ctrl-C and the other signals that ask the program to end. Exit ends the
	// process after too many of them.
	Signals <-chan os.Signal
	Exit    func(code int)
	Now     func() time.Time // the time of a signal; nil uses time.Now

	Whole      io.Writer // standard output without folding, for programs
	Lines      io.Writer // standard error without folding, for the bar, which fits the width itself
	Documented bool      // whether a JSON document was printed
	Began      bool      // whether a command was found and its flags are valid
	Interrupts interrupts

	WatchReaders func() (end func()) // watches for lost readers of the output until end is called
}

// Run calls execute, which performs the command that the arguments name, and returns the exit code.
// It prints the error, if any, as the last line on Stderr.
func (p *Program) Run(ctx context.Context, execute func(context.Context) error) (code job.Exit) {
	unread := make(chan struct{}, 2) // one place for each stream
	stdout := newOutlet(p.Stdout, func() { unread <- struct{}{} })
	stderr := newOutlet(p.Stderr, func() { unread <- struct{}{} })
	p.Whole, p.Lines = stdout, stderr
	p.WatchReaders = func() func() {
		ctx, cancel := context.WithCancel(ctx)
		var watching sync.WaitGroup
		watching.Go(func() { stdout.watch(ctx) })
		watching.Go(func() { stderr.watch(ctx) })
		return func() { cancel(); watching.Wait() }
	}
	p.Stdout, p.Stderr = terminal.NewWriter(stdout, p.StdoutWidth), terminal.NewWriter(stderr, p.StderrWidth)
	defer func() {
		if fault := recover(); fault != nil {
			code = p.sayFault(&job.Fault{Value: fault, Stack: debug.Stack()})
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if p.Now == nil {
		p.Now = time.Now
	}
	p.Documented, p.Began, p.Interrupts = false, false, interrupts{}
	p.Interrupts.Instead(func(int) { cancel() })
	defer p.watchSignals(unread)()
	err := execute(ctx)
	if errors.Is(err, context.Canceled) {
		err = job.WithExit(job.ExitStopped, &stoppedError{err})
	}
	if fault, is := errors.AsType[*job.Fault](err); is {
		return p.sayFault(fault)
	}
	if err == nil {
		err = job.WithExit(job.ExitError, stdout.failure())
	}
	swallowed := stdout.unread() || stderr.unread()
	// A reader such as head, which reads only the first lines, needs no error about the others.
	if err != nil && (!swallowed || !errors.Is(err, context.Canceled)) {
		fmt.Fprintf(p.Stderr, "sledge: %s\n", report.OneLine(err))
	}
	switch {
	case err == nil && !swallowed:
		return job.OK
	case err == nil || p.Interrupts.Count() > 0:
		code = job.ExitStopped
	case !p.Began:
		code = job.ExitOf(job.WithExit(job.ExitUsage, err))
	default:
		code = job.ExitOf(err)
	}
	if err != nil && p.asksJSON() && !p.Documented {
		_ = p.PrintJSON(document.NewError(code, err, report.OneLine(err))) // the error is on Stderr already
	}
	return code
}

// sayFault asks the user to report a bug.
func (p *Program) sayFault(fault *job.Fault) job.Exit {
	fmt.Fprintf(p.Stderr, "%s\nsledge: this is a bug in Sledge: please report it, with the lines above: %v\n", fault.Stack, fault.Value)
	return job.ExitInternal
}

// asksJSON reports whether the arguments contain --json, even if they are otherwise invalid. It
// ignores the arguments of a console's script.
func (p *Program) asksJSON() bool {
	if HammerDBName(p.Name) != "" || len(p.Args) > 0 && p.Args[0] == "console" {
		return false
	}
	return slices.ContainsFunc(p.Args, func(arg string) bool { return arg == "--json" || arg == "--json=true" })
}

// Environment returns a variable's value, or "".
func (p *Program) Environment(name string) string { return settings.Variable(p.Environ, name) }

// RepositoryPath returns the path of the job repository: from the environment, or the default.
func (p *Program) RepositoryPath() (string, error) {
	if path := p.Environment(settings.EnvRepository); path != "" {
		return path, nil
	}
	return repository.DefaultPath()
}

// Agents returns the file of saved agents, which is beside the default job repository. Its path is ""
// if that is in memory.
func (p *Program) Agents() (agent.List, error) {
	path, err := p.RepositoryPath()
	return AgentsBeside(path), err
}

// AgentsBeside returns the file of saved agents beside a job repository.
func AgentsBeside(repository string) agent.List {
	folder := settings.FolderOf(repository)
	if folder == "" {
		return agent.List{}
	}
	return agent.ListIn(folder)
}

// OpenRepository opens the job repository at path, or the default one if path is "".
func (p *Program) OpenRepository(path string) (*repository.Store, error) {
	return p.OpenRepositoryOr(path, "--repo")
}

// OpenRepositoryOr is OpenRepository with an error that names choice, the setting of the path.
func (p *Program) OpenRepositoryOr(path, choice string) (*repository.Store, error) {
	path, err := p.Repository(path)
	if err != nil {
		return nil, err
	}
	store, err := repository.OpenSaying(path, func(line string) { fmt.Fprintf(p.Stderr, "sledge: %s\n", line) })
	if err != nil {
		return nil, fmt.Errorf("%w (choose another one with %s)", err, choice)
	}
	return store, nil
}

// ReadRepository opens the job repository at path, or the default one if path is "", for reading. If
// the default one does not exist, it returns an empty one. A path must exist, because it may be
// mistyped.
func (p *Program) ReadRepository(path string) (*repository.Store, error) {
	usual := path == "" && p.Environment(settings.EnvRepository) == ""
	path, err := p.Repository(path)
	if err != nil {
		return nil, err
	}
	store, err := repository.OpenToRead(path)
	if usual && job.ExitOf(err) == job.ExitMissing {
		return repository.Open(":memory:")
	}
	if err != nil {
		return nil, fmt.Errorf("%w (choose another one with --repo)", err)
	}
	return store, nil
}

// Repository returns path, or the path of the default job repository if path is "".
func (p *Program) Repository(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	return p.RepositoryPath()
}

// Confirm asks a question on the terminal, and returns an error unless the answer is yes. Without a
// terminal it asks nothing and returns nil, because a script cannot answer.
func (p *Program) Confirm(question string) error {
	if !p.StdinIsTerminal {
		return nil
	}
	fmt.Fprintf(p.Stderr, "%s [y/N] ", question)
	answer, err := p.Ask(func() (string, error) { return ReadLine(p.Stdin) })
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if folded, ok := p.Stderr.(*terminal.Writer); ok && err == nil {
		folded.LineEntered()
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return Usage("nothing was changed, because the answer was not y; with --yes there is no question")
}

// slow is the time after which WhenSlow prints a message.
const slow = 2 * time.Second

// WhenSlow prints a line after the time slow, unless done is called before.
func (p *Program) WhenSlow(format string, args ...any) (done func()) {
	timer := time.AfterFunc(slow, func() { fmt.Fprintf(p.Stderr, format+"\n", args...) })
	return func() { timer.Stop() }
}

// ReadLine reads a line, one byte at a time, so that it consumes nothing after it.
func ReadLine(r io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := r.Read(b)
		if n == 1 && b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[:n]...)
		if err != nil {
			return string(line), err
		}
	}
}

// Width returns the width of the output in columns; 0 is unlimited.
func (p *Program) Width() int {
	if p.StdoutWidth == nil {
		return 0
	}
	return p.StdoutWidth()
}

// Drawn applies a look to text. It folds the text first, because the escape sequences of a look must
// not be folded.
func Drawn(look func(string) string, text string, width func() int) string {
	wide := 0
	if width != nil {
		wide = width()
	}
	lines := strings.Split(terminal.Fold(text, wide), "\n")
	for i, line := range lines {
		lines[i] = look(line)
	}
	return strings.Join(lines, "\n")
}

// Body wraps the body of a command. It notes that the command began: errors from then on are not
// about the arguments.
func (p *Program) Body(body func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		p.Began = true
		return body(c.Context(), args)
	}
}

// stoppedError replaces the message of context.Canceled, with which a stopped command ends.
type stoppedError struct{ err error }

// Error implements error.
func (e *stoppedError) Error() string { return job.Stopped }

// Unwrap returns the error of the command.
func (e *stoppedError) Unwrap() error { return e.err }

// Headline returns HammerDB's headline of a run, or "".
func (p *Program) Headline(j job.Job) string {
	return views.Headline(j, p.Resolver.Catalog)
}
