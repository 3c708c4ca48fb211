// Package console is the compatible console: the commands, settings and output lines that scripts
// for HammerDB rely on, implemented by Sledge's engine. It does not know scripting languages:
// interpreters call its commands by name.
//
// Lines that users' tools parse are identical to HammerDB's. Sledge's own messages name the key,
// the value and the way out.
package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"sledge/internal/agent"
	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// Config configures a console.
type Config struct {
	Resolver settings.Resolver
	Runner   job.Runner
	Version  string

	Script  string    // path of the running script; "" without a script
	Out     io.Writer // output of the commands, in whole lines
	Environ []string  // lines "NAME=value"

	// Width returns the width of the terminal behind Out, or 0 if Out is not a terminal. It may be
	// nil.
	Width func() int

	// Height returns the number of lines of the terminal at which the user types commands. It is
	// nil without a terminal.
	Height func() int

	// ShowsResults makes the console print the results of commands, for a user at a prompt. A
	// script receives them as return values.
	ShowsResults bool

	// OpenStore opens the job repository at a path, or the default one if the path is "".
	OpenStore func(path string) (*repository.Store, error)

	// Agents are the saved agents, whose machines metstart can show. Optional.
	Agents agent.List

	// StartWeb serves the web application on a port of this machine, with the job repository at a
	// path as for OpenStore. FindWeb finds a server of the same user and repository on a port,
	// whichever command started it. Both are nil in a console that must not serve.
	StartWeb func(repository string, port int) (OwnWeb, error)
	FindWeb  func(repository string, port int) (Web, error)

	// Settings is the file that keeps the settings between two starts. If it is "", settings end
	// with the console.
	Settings string
}

// Console is the console of one user or one script. It takes one command at a time; Interrupt may
// be called while a command is running.
type Console struct {
	Config
	out  *output
	book *dictionaries.Book

	users   virtualUsers
	userLog *os.File // the log of the virtual users' output; nil if not requested
	script  script
	warned  bool // the warning that others can read the running script was printed
	counter counter
	metrics metrics
	web     web

	repository openRepository

	running struct {
		sync.Mutex
		interrupt   func() // cancels the running command; nil without one
		interrupted bool   // whether the running command was interrupted
	}

	failing struct {
		sync.Mutex
		first error // the first failure that was printed
		count int
	}
}

// width returns the width available for output; 0 means unlimited.
func (c *Console) width() int {
	if c.Width == nil {
		return 0
	}
	return c.Width()
}

// New returns a console with the saved settings.
func New(config Config) (*Console, error) {
	book, err := dictionaries.Open(config.Resolver, config.Settings)
	if err != nil {
		return nil, err
	}
	c := &Console{Config: config, out: &output{to: config.Out, width: config.Width}, book: book}
	for _, warning := range book.Warnings() {
		c.out.print("Warning: " + warning)
	}
	return c, nil
}

// Close stops the console's work in progress and closes its files.
func (c *Console) Close() error {
	c.metrics.end()
	return errors.Join(c.closeWeb(), c.closeCounter(), c.closeUserLog(), c.repository.close(), c.book.Close())
}

// Call is one call of a command by a script.
type Call struct {
	Name   string
	Args   []string
	Folder string // the interpreter's working folder, which paths are relative to

	Print func(text string) // receives the output during the call; nil for Config.Out
}

// Errors of a call that also end the script.
var (
	ErrQuit        = errors.New("quit")
	ErrInterrupted = errors.New("interrupted")
)

// command is one command of the console.
type command struct {
	name  string
	usage string // what follows "Usage: "
	help  string // the explanation that help prints
	takes int    // arguments, or varies

	// run executes the command and returns its result. An error from fail is printed and the script
	// goes on; any other error ends the script.
	run func(c *Console, ctx context.Context, call Call) (string, error)
}

// varies is set for commands that check the number of their arguments themselves.
const varies = -1

// usageError returns HammerDB's message for a call with wrong arguments.
func (c command) usageError() error { return fail("Usage: %s", c.usage) }

// find returns the command of that name, if there is one.
func find(name string) (command, bool) {
	all := commands()
	i := slices.IndexFunc(all, func(known command) bool { return known.name == name })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

// commands lists all commands by name.
func commands() []command {
	all := slices.Concat(
		configureCommands(), printCommands(), schemaCommands(), scriptCommands(), userCommands(), autopilotCommands(), stepCommands(),
		counterCommands(), metricsCommands(), datagenCommands(), jobsCommands(), webCommands(), helpCommands(), missingCommands(),
	)
	slices.SortFunc(all, func(a, b command) int { return strings.Compare(a.name, b.name) })
	return all
}

// Commands lists the names of the commands, for interpreters to define.
func Commands() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// Call executes a command and returns its result to the script. Errors after which HammerDB goes
// on, such as a wrong key, are printed and recorded for Failure. An error that Call returns ends
// the script.
func (c *Console) Call(ctx context.Context, call Call) (string, error) {
	command, ok := find(call.Name)
	if !ok {
		return "", fmt.Errorf("there is no command %s%s", call.Name, option.Suggest(call.Name, Commands()))
	}
	defer c.out.divert(call.Print)()
	ctx, end := c.begin(ctx)
	result, err := command.do(c, ctx, call)
	interrupted := end()
	var printed *failure
	if errors.As(err, &printed) {
		c.out.print(printed.text)
		c.remember(printed.err)
		err = nil
	}
	if err == nil && interrupted {
		err = ErrInterrupted
	}
	return result, err
}

// do executes the command after checking the number of its arguments.
func (c command) do(console *Console, ctx context.Context, call Call) (string, error) {
	if c.takes != varies && len(call.Args) != c.takes {
		return "", c.usageError()
	}
	return c.run(console, ctx, call)
}

// begin makes a command interruptible until the returned function is called, which reports whether
// the command was interrupted.
func (c *Console) begin(ctx context.Context) (context.Context, func() bool) {
	ctx, cancel := context.WithCancel(ctx)
	c.running.Lock()
	defer c.running.Unlock()
	c.running.interrupt, c.running.interrupted = cancel, false
	return ctx, func() bool {
		cancel()
		c.running.Lock()
		defer c.running.Unlock()
		c.running.interrupt = nil
		return c.running.interrupted
	}
}

// onInterrupt calls handle at each Ctrl-C, instead of cancelling the running command, until restore
// is called. Handle must not block, because the next Ctrl-C calls it again.
func (c *Console) onInterrupt(handle func()) (restore func()) {
	c.running.Lock()
	defer c.running.Unlock()
	before := c.running.interrupt
	c.running.interrupt = handle
	return func() {
		c.running.Lock()
		defer c.running.Unlock()
		c.running.interrupt = before
	}
}

// wasInterrupted reports whether the running command was interrupted.
func (c *Console) wasInterrupted() bool {
	c.running.Lock()
	defer c.running.Unlock()
	return c.running.interrupted
}

// Interrupt stops the running command. It returns false if no command is running, for example while
// the interpreter runs the script itself.
func (c *Console) Interrupt() bool {
	c.running.Lock()
	defer c.running.Unlock()
	if c.running.interrupt == nil {
		return false
	}
	c.running.interrupted = true
	c.running.interrupt()
	return true
}

// Failure returns the first failure that was printed, with its exit code, or nil if everything
// succeeded.
func (c *Console) Failure() error {
	c.failing.Lock()
	defer c.failing.Unlock()
	if c.failing.first == nil {
		return c.out.failure()
	}
	return c.failing.first
}

// failures returns how many failures were printed.
func (c *Console) failures() int {
	c.failing.Lock()
	defer c.failing.Unlock()
	return c.failing.count
}

func (c *Console) remember(err error) {
	c.failing.Lock()
	defer c.failing.Unlock()
	c.failing.count++
	c.failing.first = cmp.Or(c.failing.first, err)
}

// failure is an error that is printed like HammerDB's, after which the script goes on.
type failure struct {
	text string // the printed text, of one or more lines
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail returns a usage error with the text to print.
func fail(format string, args ...any) error { return failWith(job.ExitUsage, format, args...) }

// failWith returns a failure with an exit code and the text to print.
func failWith(code job.Exit, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &failure{text, job.WithExit(code, errors.New(strings.ReplaceAll(text, "\n", "; ")))}
}

// output writes whole lines from any goroutine.
type output struct {
	mu       sync.Mutex
	to       io.Writer
	width    func() int        // of the terminal, as in Config; or nil
	diverted func(text string) // receives the output instead, unless it is nil
	failed   error             // the first error of writing
}

// divert sends the output to print until the returned function is called. If print is nil, it
// changes nothing.
func (o *output) divert(print func(text string)) (end func()) {
	set := func(print func(string)) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.diverted = print
	}
	set(print)
	return func() { set(nil) }
}

func (o *output) print(text string) { o.write(text, o.width) }

// printWhole prints text whose lines a terminal must not shorten, because programs read it or users
// copy it.
func (o *output) printWhole(text string) { o.write(text, nil) }

func (o *output) write(text string, width func() int) {
	text = report.PrintableLines(text) // text may come from a server or a script
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.diverted != nil {
		o.diverted(text)
		return
	}
	if width != nil {
		text = terminal.Fold(text, width())
	}
	_, err := fmt.Fprintln(o.to, text)
	o.failed = cmp.Or(o.failed, err)
}

// failure returns an error if output was lost: a full disk must not make a result disappear
// silently.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("write the output: %w", o.failed)
}

func (o *output) printf(format string, args ...any) { o.print(fmt.Sprintf(format, args...)) }
