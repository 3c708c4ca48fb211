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

// consoleUse is what somebody wants of a console.
type consoleUse struct {
	language string
	script   string   // to be run; "" is the prompt
	args     []string // of the script
	prompt   string   // without what follows it
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
	c.Flags().SetInterspersed(false) // what follows the script is the script's
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
		return use, usage("run %s: its name ends in neither .tcl nor .py, which would say what it is written in", use.script)
	case use.language != "" && use.language != written:
		return use, usage("run %s: by its name it is written in %s, not in %s", use.script, written, use.language)
	}
	use.language = written
	return use, nil
}

// languageOf returns the language of a word such as py, or "" if it is of none.
func languageOf(word string) string {
	switch word {
	case "tcl":
		return inTcl
	case "py", "python":
		return inPython
	}
	return ""
}

// scriptLanguage returns the language that a script's name ends as, or "".
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
	kept    string             // the file of its settings; "" is none

	failed error // the last error of a command that a script got to see

	mu     sync.Mutex
	busy   func(interrupts int) // told of each Ctrl-C while something is evaluated; else nil
	told   int                  // how many
	stop   func()               // ends everything
	ending os.Signal            // for which everything is to end, or nil
	asked  int                  // how many of those there were
}

// consoleSession is one use of the console, from its banner to its end.
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

// newConsole makes a console with the settings of a file. It has a height where somebody types,
// and shows what commands return or not.
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

// checkScript says what is wrong with the file of a script before anything begins.
func checkScript(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return job.WithExit(job.ExitMissing, fmt.Errorf("the file %s does not exist", path))
	case err == nil && info.IsDir():
		return usage("%s is a folder, not a script", path)
	case err == nil && !info.Mode().IsRegular():
		return nil // a pipe is not to be opened twice
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

// consoleRepository opens the job repository at path, or else in its place. One that
// cannot be written to can be read: a job that is to be kept there is refused.
func (p *Program) consoleRepository(path string) (*repository.Store, error) {
	store, err := p.openRepositoryOr(path, settings.EnvRepository)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		if read, err := p.readRepository(path); err == nil {
			return read, nil
		}
	}
	return store, err
}

// file returns the file behind a stream, or nil: interpreters are processes of
// their own and write to files only.
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

// consoleFiles returns where the console keeps its jobs and its settings; "" for
// settings that are kept nowhere.
func (p *Program) consoleFiles() (repository, kept string, err error) {
	if repository, err = p.repositoryPath(); err != nil {
		return "", "", err
	}
	return repository, settings.ConsoleSettings(p.Environ, repository), nil
}

// consoleVersion is the first line that the console prints.
func (p *Program) consoleVersion() string { return "Sledge CLI " + p.Version }

// banner introduces the console, as HammerDB does, with the repository that it keeps
// its jobs in: the usual one, or another that the settings name.
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
	// One that cannot be made is an error when a job is to be kept in it, not before:
	// the settings may say another.
	if store, err := s.openRepository(repository); err == nil {
		store.Close()
		fmt.Fprintf(s.Stdout, "Initialized new Jobs on-disk database %s\n", repository)
	}
}

// handle does a command for an interpreter.
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

// interrupted is told of each signal. Ctrl-C stops what is going on, and not the
// program; other signals end it, but let a command end first as Ctrl-C does.
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
		// Python hears of it as well, knows what it is for, and says so.
	case s.console.Interrupt():
		// A command may wait for what no Ctrl-C ends, such as a full pipe.
		if s.told++; s.told > control.Patience && !s.editsLines() {
			s.Exit(int(job.ExitStopped))
		}
	default:
		s.told++
		s.busy(s.told)
	}
}

// end ends everything because of a signal: a command that is running as Ctrl-C does,
// so that a run keeps its result. The second signal breaks off, the third does not ask.
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

// isEnding reports whether a signal asked for everything to end.
func (s *session) isEnding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending != nil
}

// setBusy has busy called with the number of each Ctrl-C that no command of the
// console is there to take, or ends that.
func (s *session) setBusy(busy func(int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.told = busy, 0
}

// outcome returns how a script's end ends the program.
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
	case errors.As(err, &script): // also one that came before quit
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
		return nil // whoever sits there has seen what failed
	}
	return s.console.Failure()
}

// why says what stopped a script.
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

// stopped returns what came of a script that was to be stopped: it may have failed
// because a program that it started heard of Ctrl-C, too, or because its
// interpreter did not listen and was killed; or it came to its end just then.
func stopped(err error) error {
	if errors.Is(err, interpreter.ErrQuit) || errors.As(err, new(interpreter.ErrExit)) {
		return err
	}
	return interpreter.ErrInterrupted
}

// hearing is how long a signal may take to reach this program after it has ended
// another one.
const hearing = time.Second

// hear waits for a signal that another process may have ended of, which ends ctx.
func hear(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(hearing):
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

// evaluate evaluates something that Ctrl-C cancels. An interpreter that does not
// listen, as it waits for a program or for a line, is ended: at the prompt only by
// the second Ctrl-C, since its variables are lost then.
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
		hear(evaluating)
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

// atPythonsPrompt reports whether somebody sits at Python's prompt.
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
		hear(ctx)
	}
	if ctx.Err() != nil {
		return stopped(err)
	}
	return err
}
