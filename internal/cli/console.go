package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sledge/internal/control"
	"sledge/internal/hammerdb/console"
	"sledge/internal/interpreter"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

const consoleHelp = `The console has HammerDB's commands, settings and output, so that scripts written
for HammerDB keep working. Without arguments it is a prompt in Tcl; with py, one in
Python. With auto it runs a script. The exit code is 0 only if everything in the
script succeeded; otherwise the last line on standard error says what failed.

Python is python3, or the program in SLEDGE_PYTHON, version 3.9 or later. Settings
are kept beside the job repository, or in the file in SLEDGE_SETTINGS.

Called through a link named hammerdbcli or hammerdbws, sledge takes HammerDB's own
arguments.`

// The languages of the console.
const (
	inTcl    = "tcl"
	inPython = "python"
)

// consoleUse holds the arguments of a console.
type consoleUse struct {
	language string
	script   string   // the file to run; "" starts the prompt
	args     []string // of the script
	prompt   string   // without its ">"
}

func (p *Program) consoleCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "console [tcl|py] [auto FILE [argument...]]",
		Short: "HammerDB's commands in Tcl or Python: a prompt, or a script",
		Long:  consoleHelp,
		Example: examples(
			"sledge console",
			"sledge console py",
			"sledge console auto pg_tprocc_run.tcl",
			"sledge console auto pg_tprocc_run.py",
			"echo 'print dict' | sledge console",
		),
		GroupID: groupOthers,
		Args:    func(_ *cobra.Command, args []string) error { _, err := consoleArguments(args); return err },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return completeConsole(args)
		},
		RunE: p.run(func(ctx context.Context, args []string) error {
			use, err := consoleArguments(args)
			if err != nil {
				return err
			}
			use.prompt = "sledge"
			return p.consoleSession(ctx, use)
		}),
	}
	c.Flags().SetInterspersed(false) // arguments after the script belong to the script
	return c
}

// consoleArguments reads the arguments of sledge console.
func consoleArguments(args []string) (consoleUse, error) {
	var use consoleUse
	if len(args) > 0 && languageOf(args[0]) != "" {
		use.language, args = languageOf(args[0]), args[1:]
	}
	if len(args) == 0 {
		if use.language == "" {
			use.language = inTcl
		}
		return use, nil
	}
	if args[0] != "auto" {
		return use, usage("there is no console %q%s (sledge console --help)", args[0], option.Suggest(args[0], []string{"tcl", "py", "python", "auto"}))
	}
	if len(args) == 1 {
		return use, usage("auto needs a script: sledge console auto FILE.tcl")
	}
	use.script, use.args = args[1], args[2:]
	written := scriptLanguage(use.script)
	switch {
	case written == "":
		return use, usage("run %s: the language is unknown, because the name ends in neither .tcl nor .py: rename the file", use.script)
	case use.language != "" && use.language != written:
		return use, usage("run %s: the name says that it is written in %s, not in %s: leave out %[3]s, or rename the file", use.script, written, use.language)
	}
	use.language = written
	return use, nil
}

// languageOf returns the language that a word such as py names, or "".
func languageOf(word string) string {
	switch word {
	case "tcl":
		return inTcl
	case "py", "python":
		return inPython
	}
	return ""
}

// scriptLanguage returns the language of a script by the ending of its name, or "".
func scriptLanguage(path string) string {
	return languageOf(strings.TrimPrefix(filepath.Ext(path), "."))
}

func completeConsole(args []string) ([]string, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		return []string{"auto\trun a script", "tcl\ta prompt in Tcl", "py\ta prompt in Python"}, cobra.ShellCompDirectiveNoFileComp
	case len(args) == 1 && languageOf(args[0]) != "":
		return []string{"auto\trun a script"}, cobra.ShellCompDirectiveNoFileComp
	case args[0] == "auto" && len(args) == 1:
		return []string{"tcl", "py"}, cobra.ShellCompDirectiveFilterFileExt
	case len(args) == 2 && languageOf(args[0]) == inTcl:
		return []string{"tcl"}, cobra.ShellCompDirectiveFilterFileExt
	case len(args) == 2 && languageOf(args[0]) == inPython:
		return []string{"py"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// session is a console in use.
type session struct {
	*Program
	consoleUse
	console *console.Console
	config  interpreter.Config // of its interpreters
	kept    string             // the file of its settings; "" if they are not saved

	failed error // the last error that a command returned to a script

	mu     sync.Mutex
	busy   func(interrupts int) // handles Ctrl-C during an evaluation; nil between evaluations
	told   int                  // how often Ctrl-C came during this evaluation
	stop   func()               // ends the session
	ending os.Signal            // the signal that ends the session; nil before one came
	asked  int                  // how many such signals came
}

// consoleSession runs the console from its banner to its end.
func (p *Program) consoleSession(ctx context.Context, use consoleUse) (err error) {
	if use.script != "" {
		if err := checkScript(use.script); err != nil {
			return fmt.Errorf("run the script: %w", err)
		}
	}
	repository, kept, err := p.consoleFiles()
	if err != nil {
		return err
	}
	made, err := p.newConsole(kept, use.script, p.heightFor(use), p.showsResults(use))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &session{Program: p, consoleUse: use, console: made, kept: kept, stop: cancel}
	defer p.interrupts.taken(s.interrupted)()
	s.config = interpreter.Config{
		Commands: console.Commands(), Words: console.PrintWords(), Handle: s.handle, Interrupt: made.Interrupt,
		Suggest: func(word string) string { return option.Suggest(word, console.Commands()) },
		Stdin:   file(p.Stdin), Stdout: file(p.Stdout), Stderr: file(p.Stderr),
		Environ: p.Environ,
	}
	s.banner(repository)
	if use.language == inPython {
		return s.python(ctx)
	}
	return s.tcl(ctx)
}

// newConsole makes a console with the settings of a file. height is nil unless the console is
// interactive; shows says whether it prints what commands return.
func (p *Program) newConsole(kept, script string, height func() int, shows bool) (*console.Console, error) {
	made, err := console.New(console.Config{
		Resolver: p.Resolver, Runner: p.Runner, Version: p.Version,
		Out: p.whole, Width: p.StdoutWidth, Environ: p.Environ,
		OpenStore: p.consoleRepository,
		StartWeb:  p.startWeb, FindWeb: p.findWeb,
		Settings: kept, Script: script,
		Height: height, ShowsResults: shows,
	})
	if err != nil {
		return nil, fmt.Errorf("%w (choose another file with %s)", err, settings.EnvSettings)
	}
	return made, nil
}

// checkScript returns an error if the file of a script cannot be read.
func checkScript(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return job.WithExit(job.ExitMissing, fmt.Errorf("the file %s does not exist", path))
	case err == nil && info.IsDir():
		return usage("%s is a folder, not a script", path)
	case err == nil && !info.Mode().IsRegular():
		return nil // a pipe can be opened only once
	}
	opened, err := os.Open(path)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("the file %s cannot be read: %w", path, pathErr.Err)
	}
	if err != nil {
		return err
	}
	return opened.Close()
}

// consoleRepository opens the job repository at path, or the default one if path is "". If it
// cannot be written, it is opened for reading, and saving a job in it fails.
func (p *Program) consoleRepository(path string) (*repository.Store, error) {
	store, err := p.openRepositoryOr(path, settings.EnvRepository)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		if read, err := p.readRepository(path); err == nil {
			return read, nil
		}
	}
	return store, err
}

// file returns the file behind a stream, or nil. Interpreters are separate processes, so they
// need a file.
func file(stream any) *os.File {
	if folded, ok := stream.(*terminal.Writer); ok {
		stream = folded.Unwrap()
	}
	if o, ok := stream.(*outlet); ok {
		stream = o.to
	}
	f, _ := stream.(*os.File)
	return f
}

// consoleFiles returns the files of the console's jobs and settings; kept is "" if settings are
// not saved.
func (p *Program) consoleFiles() (repository, kept string, err error) {
	if repository, err = p.repositoryPath(); err != nil {
		return "", "", err
	}
	return repository, settings.ConsoleSettings(p.Environ, repository), nil
}

// consoleVersion is the first line that the console prints.
func (p *Program) consoleVersion() string { return "Sledge CLI " + p.Version }

// banner prints the console's version and job repository, as HammerDB does. The repository is
// usual, unless the settings name another.
func (s *session) banner(usual string) {
	help := "help"
	if s.language == inPython {
		help = "help()"
	}
	fmt.Fprintf(s.Stdout, "%s\nType %q for a list of commands\n", s.consoleVersion(), help)
	named, kept := s.console.Repository()
	repository := cmp.Or(named, usual)
	if !kept {
		return
	}
	if repository == ":memory:" {
		fmt.Fprintln(s.Stdout, "Initialized new Jobs in-memory database")
		return
	}
	if info, err := os.Stat(repository); err == nil {
		fmt.Fprintf(s.Stdout, "Initialized Jobs on-disk database %s using existing tables (%s bytes)\n", repository, humanize.Comma(info.Size()))
		return
	}
	// A repository that cannot be created is an error only when a job is saved in it, because
	// the settings may still name another.
	if store, err := s.openRepository(repository); err == nil {
		store.Close()
		fmt.Fprintf(s.Stdout, "Initialized new Jobs on-disk database %s\n", repository)
	}
}

// handle runs a command for an interpreter.
func (s *session) handle(ctx context.Context, call interpreter.Call) (string, error) {
	result, err := s.console.Call(ctx, console.Call(call))
	if s.isEnding() {
		s.stop()
		return "", interpreter.ErrInterrupted
	}
	switch {
	case errors.Is(err, console.ErrQuit):
		return "", interpreter.ErrQuit
	case errors.Is(err, console.ErrInterrupted):
		return "", interpreter.ErrInterrupted
	case err != nil:
		s.failed = err
	}
	return result, err
}

// interrupted handles each signal. Ctrl-C stops the current command but not the program. Other
// signals stop the current command in the same way, then end the program.
func (s *session) interrupted(signal os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case signal != os.Interrupt:
		s.end(signal)
	case s.busy == nil:
		if !s.editsLines() {
			s.Exit(int(job.ExitStopped))
		}
	case s.atPythonsPrompt():
		// Python gets the signal too, and handles it.
	case s.console.Interrupt():
		// A command may wait for something that ignores Ctrl-C, such as a full pipe.
		if s.told++; s.told > control.Patience && !s.editsLines() {
			s.Exit(int(job.ExitStopped))
		}
	default:
		s.told++
		s.busy(s.told)
	}
}

// end ends the session because of a signal. The first signal stops the current command as Ctrl-C
// does, so that a run keeps its result. The second aborts it, the third ends the process.
func (s *session) end(signal os.Signal) {
	s.asked++
	switch {
	case s.busy == nil || s.asked >= control.Patience:
		s.Exit(int(job.ExitStopped))
	case s.asked > 1 || !s.console.Interrupt():
		s.stop()
	}
	if s.ending == nil {
		s.ending = signal
	}
}

// isEnding reports whether a signal is ending the session.
func (s *session) isEnding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending != nil
}

// setBusy sets the function that is called with the number of each Ctrl-C for which no command of
// the console is running; nil removes it.
func (s *session) setBusy(busy func(int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.told = busy, 0
}

// outcome turns the end of a script into the error, if any, that the program ends with.
func (s *session) outcome(err error) error {
	var exit interpreter.ErrExit
	var script *interpreter.ScriptError
	if errors.Is(err, interpreter.ErrQuit) {
		fmt.Fprintln(s.Stdout, "Shutting down Sledge CLI")
	}
	switch {
	case errors.Is(err, interpreter.ErrInterrupted):
		return job.WithExit(job.ExitStopped, errors.New("stopped "+s.why()))
	case errors.As(err, &exit) && exit.Code != 0:
		return job.WithExit(job.Exit(exit.Code), fmt.Errorf("the script ended by exit %d", exit.Code))
	case errors.As(err, &exit):
	case errors.As(err, &script): // also an error before quit
		if script.Info != "" {
			fmt.Fprintln(s.Stderr, script.Info)
		}
		if s.failed != nil && s.failed.Error() == script.Message {
			return s.failed
		}
		return script
	case err != nil && !errors.Is(err, interpreter.ErrQuit):
		return err
	}
	if s.script == "" && s.StdinIsTerminal {
		return nil // the user has seen the errors
	}
	return s.console.Failure()
}

// why returns what stopped a script.
func (s *session) why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.ending {
	case nil:
		return "by Ctrl-C"
	case unreadOutput{}:
		return "because " + s.ending.String()
	}
	return "by a signal: " + s.ending.String()
}

// stopped returns the outcome of a script after a stop request. The script may have ended just
// then. Any other error is taken for the interruption: a program that the script started may have
// received Ctrl-C too, or the interpreter did not respond and was killed.
func stopped(err error) error {
	if errors.Is(err, interpreter.ErrQuit) || errors.As(err, new(interpreter.ErrExit)) {
		return err
	}
	return interpreter.ErrInterrupted
}

// signalDelay is how much later a signal may reach this process than another one that it ended.
const signalDelay = time.Second

// awaitSignal waits until ctx is done, because a process that just died may have died of a signal
// that ends ctx as well.
func awaitSignal(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(signalDelay):
	}
}

// tcl runs a script in Tcl, or the prompt.
func (s *session) tcl(ctx context.Context) error {
	tcl, err := interpreter.StartTcl(ctx, s.config)
	if err != nil {
		return err
	}
	defer tcl.Close()
	switch {
	case s.script == "" && s.editsLines():
		return s.outcome(s.prompts(ctx, tcl))
	case s.script == "":
		return s.outcome(s.reads(ctx, tcl))
	}
	return s.outcome(s.evaluate(ctx, tcl, func(ctx context.Context) error {
		return tcl.RunFile(ctx, s.script, s.args)
	}))
}

// evaluate runs what until Ctrl-C cancels it. An interpreter that does not respond, because it
// waits for a program or for input, is killed. At the prompt only the second Ctrl-C does so,
// because the interpreter's variables are lost.
func (s *session) evaluate(ctx context.Context, tcl *interpreter.Tcl, what func(context.Context) error) error {
	atPrompt := s.script == "" && s.editsLines()
	evaluating, cancel := context.WithCancel(ctx)
	defer cancel()
	s.setBusy(func(count int) {
		if count == 1 && atPrompt {
			tcl.Cancel()
			return
		}
		cancel()
	})
	defer s.setBusy(nil)
	err := what(evaluating)
	if tcl.Signalled() && !atPrompt {
		awaitSignal(evaluating)
	}
	if ctx.Err() != nil || evaluating.Err() != nil && !atPrompt {
		return stopped(err)
	}
	return err
}

// python runs a script in Python, or Python's own prompt.
func (s *session) python(ctx context.Context) error {
	err := s.runPython(ctx)
	if errors.Is(err, interpreter.ErrNoPython) {
		return job.WithExit(job.ExitMissing, fmt.Errorf("%w: install it, or name one in %s", err, settings.EnvPython))
	}
	return s.outcome(err)
}

// atPythonsPrompt reports whether the console shows Python's prompt at a terminal.
func (s *session) atPythonsPrompt() bool {
	return s.language == inPython && s.script == "" && s.StdinIsTerminal
}

func (s *session) runPython(ctx context.Context) error {
	name := s.environment(settings.EnvPython)
	if name == "" {
		name = "python3"
	}
	python, err := interpreter.NewPython(s.config, name)
	if err != nil {
		return err
	}
	s.setBusy(func(count int) {
		python.Cancel()
		if count >= control.Patience {
			s.stop()
		}
	})
	defer s.setBusy(nil)
	switch {
	case s.atPythonsPrompt():
		err = python.Prompt(ctx, s.prompt)
	case s.script == "":
		err = python.RunFile(ctx, "-", nil)
	default:
		err = python.RunFile(ctx, s.script, s.args)
	}
	if errors.As(err, new(*interpreter.DeathError)) {
		awaitSignal(ctx)
	}
	if ctx.Err() != nil {
		return stopped(err)
	}
	return err
}
