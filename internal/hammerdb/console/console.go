// Package console is the compatible console: the commands, settings and output
// lines that scripts written for HammerDB rely on, done by Sledge's engine. It
// knows no scripting language: interpreters call its commands by name.
//
// Lines that people's tools parse are kept byte for byte; where a message is
// Sledge's own it names the key, the value and the way out.
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

	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// Config is what a console is made of.
type Config struct {
	Resolver settings.Resolver
	Runner   job.Runner
	Version  string

	Script  string    // path of the script that runs; "" for none
	Out     io.Writer // everything that commands print, in whole lines
	Environ []string  // lines "NAME=value"

	// Width returns the width of the terminal that Out is, or 0 if it is not a terminal; or is nil.
	Width func() int

	// Height returns the number of lines of the terminal at which the user types commands. It is
	// nil without one.
	Height func() int

	// ShowsResults says that what commands return is shown to who types them. In a script it
	// goes to the script.
	ShowsResults bool

	// OpenStore opens the job repository at a path, or in its usual place where the
	// path is "".
	OpenStore func(path string) (*repository.Store, error)

	// StartWeb serves the web application on a port of this machine, with the job repository at a
	// path, as OpenStore has it. FindWeb finds a server of the same user and repository on a
	// port, whichever command started it. They are nil in a console that must not serve.
	StartWeb func(repository string, port int) (OwnWeb, error)
	FindWeb  func(repository string, port int) (Web, error)

	// Settings is the file that settings are kept in between two starts; "" keeps
	// them for this console only.
	Settings string
}

// Console is one person's console, or one script's. Commands are called one
// after another; Interrupt may be called while one is running.
type Console struct {
	Config
	out  *output
	book *dictionaries.Book

	users   virtualUsers
	userLog *os.File // the output of virtual users; nil if not requested
	script  script
	warned  bool // that others can read the script that runs
	counter counter
	web     web

	repository openRepository

	running struct {
		sync.Mutex
		interrupt   func() // of the command that is running, or nil
		interrupted bool   // whether the command was, by whatever it did
	}

	failing struct {
		sync.Mutex
		first error // that was printed
		count int
	}
}

// width is how wide what is printed may be; 0 is as wide as it takes.
func (c *Console) width() int {
	if c.Width == nil {
		return 0
	}
	return c.Width()
}

// New returns a console with the settings that were kept.
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

// Close stops what the console has running, and ends its use of its files.
func (c *Console) Close() error {
	return errors.Join(c.closeWeb(), c.closeCounter(), c.closeUserLog(), c.repository.close(), c.book.Close())
}

// Call is one command as a script calls it.
type Call struct {
	Name   string
	Args   []string
	Folder string // the interpreter's working folder, which paths are relative to

	Print func(text string) // what is printed goes to it meanwhile, or to Config.Out if it is nil
}

// What a call may return that ends the script, too.
var (
	ErrQuit        = errors.New("quit")
	ErrInterrupted = errors.New("interrupted")
)

// command is one word of the console.
type command struct {
	name  string
	usage string // what follows "Usage: "
	help  string // what help prints about it
	takes int    // arguments, or varies

	// run does the command and returns what the script gets. An error made by fail
	// is printed; any other ends the script.
	run func(c *Console, ctx context.Context, call Call) (string, error)
}

// varies is for commands that look at the number of their arguments themselves.
const varies = -1

// usageError is what HammerDB prints when the command is called wrongly.
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

// commands lists every word of the console by name.
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

// Call does a command and returns what it returns to the script. What HammerDB
// prints and goes on after, such as a wrong key, is printed and remembered for
// Failure; the error is only for what ends a script.
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

// do runs the command with as many arguments as it takes.
func (c command) do(console *Console, ctx context.Context, call Call) (string, error) {
	if c.takes != varies && len(call.Args) != c.takes {
		return "", c.usageError()
	}
	return c.run(console, ctx, call)
}

// begin makes the command that begins interruptible, and returns what ends that
// and says whether it was interrupted.
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

// onInterrupt has handle called at each Ctrl-C, in place of cancelling the command
// that is running, until restore is called. Handle must not wait for anything: who is
// told of Ctrl-C has to be told of the next one.
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

// wasInterrupted reports whether there was a Ctrl-C since the command began.
func (c *Console) wasInterrupted() bool {
	c.running.Lock()
	defer c.running.Unlock()
	return c.running.interrupted
}

// Interrupt stops the command that is running, and returns false when there is
// none: then the interpreter is what is busy, or nothing is.
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

// Failure returns the first failure that was printed, with its exit code, or nil
// when everything that ran succeeded.
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

// failure is an error that is printed as HammerDB prints it, after which the
// script goes on.
type failure struct {
	text string // as printed, of one line or more
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail returns a mistake of the user's in the words that are printed.
func fail(format string, args ...any) error { return failWith(job.ExitUsage, format, args...) }

// failWith returns a failure with an exit code in the words that are printed.
func failWith(code job.Exit, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &failure{text, job.WithExit(code, errors.New(strings.ReplaceAll(text, "\n", "; ")))}
}

// output writes whole lines, whichever goroutine they come from.
type output struct {
	mu       sync.Mutex
	to       io.Writer
	width    func() int        // of the terminal, as in Config; or nil
	diverted func(text string) // takes what is printed, unless it is nil
	failed   error             // why something was not printed, first of all
}

// divert has print take what is printed, until the function it returns is called.
// With nil it changes nothing.
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

// printWhole prints text whose lines must stay whole on a terminal, too: programs read
// it, or people copy it for one.
func (o *output) printWhole(text string) { o.write(text, nil) }

func (o *output) write(text string, width func() int) {
	text = report.PrintableLines(text) // some of it is what a server or a script says
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

// failure returns an error if something was not printed: a full disk must not make
// a result disappear without a word.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		return nil
	}
	return fmt.Errorf("write the output: %w", o.failed)
}

func (o *output) printf(format string, args ...any) { o.print(fmt.Sprintf(format, args...)) }
