// Package hammerdb contains the commands that take the place of HammerDB's own: its console and its
// web service.
package hammerdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/cli/site"
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

// ConsoleCommand returns "sledge console", the console that is compatible with HammerDB's.
func ConsoleCommand(p *program.Program) *cobra.Command {
	c := &cobra.Command{
		Use:   "console [tcl|py] [auto FILE [argument...]]",
		Short: "HammerDB's commands in Tcl or Python: a prompt, or a script",
		Long:  consoleHelp,
		Example: program.Examples(
			"sledge console",
			"sledge console py",
			"sledge console auto pg_tprocc_run.tcl",
			"sledge console auto pg_tprocc_run.py",
			"echo 'print dict' | sledge console",
		),
		GroupID: program.GroupOthers,
		Args:    func(_ *cobra.Command, args []string) error { _, err := consoleArguments(args); return err },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return completeConsole(args)
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			use, err := consoleArguments(args)
			if err != nil {
				return err
			}
			use.prompt = "sledge"
			return consoleSession(ctx, p, use)
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
		return use, program.Usage("there is no console %q%s (sledge console --help)", args[0], option.Suggest(args[0], []string{"tcl", "py", "python", "auto"}))
	}
	if len(args) == 1 {
		return use, program.Usage("auto needs a script: sledge console auto FILE.tcl")
	}
	use.script, use.args = args[1], args[2:]
	written := scriptLanguage(use.script)
	switch {
	case written == "":
		return use, program.Usage("run %s: the language is unknown, because the name ends in neither .tcl nor .py: rename the file", use.script)
	case use.language != "" && use.language != written:
		return use, program.Usage("run %s: the name says that it is written in %s, not in %s: leave out %[3]s, or rename the file", use.script, written, use.language)
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

// consoleSession runs the console from its banner to its end.
func consoleSession(ctx context.Context, p *program.Program, use consoleUse) (err error) {
	if use.script != "" {
		if err := checkScript(use.script); err != nil {
			return fmt.Errorf("run the script: %w", err)
		}
	}
	repository, kept, err := consoleFiles(p)
	if err != nil {
		return err
	}
	made, err := NewConsole(p, kept, use.script, heightFor(p, use), showsResults(p, use))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &Session{Program: p, consoleUse: use, Console: made, kept: kept, stop: cancel}
	defer p.Interrupts.Taken(s.interrupted)()
	s.config = interpreter.Config{
		Commands: console.Commands(), Words: console.PrintWords(), Handle: s.handle, Interrupt: made.Interrupt,
		Suggest: func(word string) string { return option.Suggest(word, console.Commands()) },
		Stdin:   file(p.Stdin), Stdout: file(p.Stdout), Stderr: file(p.Stderr),
		Environ: p.Environ,
	}
	s.Banner(repository)
	if use.language == inPython {
		return s.python(ctx)
	}
	return s.tcl(ctx)
}

// NewConsole makes a console with the settings of a file. height is nil unless the console is
// interactive. shows says whether the console prints the results of commands.
func NewConsole(p *program.Program, kept, script string, height func() int, shows bool) (*console.Console, error) {
	agents, err := p.Agents()
	if err != nil {
		return nil, err
	}
	made, err := console.New(console.Config{
		Resolver: p.Resolver, Runner: p.Runner, Version: p.Version, Agents: agents,
		Out: p.Whole, Width: p.StdoutWidth, Environ: p.Environ,
		OpenStore: func(path string) (*repository.Store, error) { return site.ConsoleRepository(p, path) },
		StartWeb:  func(path string, port int) (console.OwnWeb, error) { return site.StartWeb(p, path, port) },
		FindWeb:   func(path string, port int) (console.Web, error) { return site.FindWeb(p, path, port) },
		Settings:  kept, Script: script,
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
		return program.Usage("%s is a folder, not a script", path)
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

// file returns the file behind a stream, or nil. Interpreters are separate processes, so they
// need a file.
func file(stream any) *os.File {
	if folded, ok := stream.(*terminal.Writer); ok {
		stream = folded.Unwrap()
	}
	if o, ok := stream.(*program.Outlet); ok {
		stream = o.To
	}
	f, _ := stream.(*os.File)
	return f
}

// consoleFiles returns the job repository and the settings file of the console. kept is "" if
// settings are not saved.
func consoleFiles(p *program.Program) (repository, kept string, err error) {
	if repository, err = p.RepositoryPath(); err != nil {
		return "", "", err
	}
	return repository, settings.ConsoleSettings(p.Environ, repository), nil
}

// consoleVersion is the first line that the console prints.
func consoleVersion(p *program.Program) string { return "Sledge CLI " + p.Version }
