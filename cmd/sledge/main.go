// Command sledge load-tests databases. Package internal/cli contains its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/term"

	"sledge/internal/catalog/edition"
	"sledge/internal/cli"
	"sledge/internal/cli/program"
	"sledge/internal/engine"
	"sledge/internal/engine/ceiling"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/runner/process"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// version is set by the linker in a release: -X main.version=v1.2.3.
var version string

func main() {
	v := cli.VersionOf(version)
	local := engine.Local{Catalog: edition.Catalog, Version: v}
	if path, err := repository.DefaultPath(); err == nil { // without one, runs that name agents are refused
		local.Agents = program.AgentsBeside(path)
	}
	local.Program = process.Self().Program
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.Command:
			os.Exit(int(process.Main(local)))
		case ceiling.Command:
			os.Exit(int(ceiling.Main(edition.Catalog)))
		}
	}
	signals := make(chan os.Signal, 3)
	watchSignals(signals)
	restore := keepTerminal()
	program := &program.Program{
		Resolver:        settings.Resolver{Catalog: edition.Catalog},
		Runner:          local,
		Workers:         process.Self(),
		WorkersOf:       func(path string) job.Runner { return process.Runner{Program: path} },
		Version:         v,
		Name:            os.Args[0],
		Args:            os.Args[1:],
		Environ:         os.Environ(),
		System:          systemFolder(),
		Stdin:           os.Stdin,
		Stdout:          os.Stdout,
		Stderr:          os.Stderr,
		StdinIsTerminal: term.IsTerminal(int(os.Stdin.Fd())),
		StdoutWidth:     width(os.Stdout),
		StderrWidth:     width(os.Stderr),
		StderrHeight:    func() int { _, lines := size(os.Stderr); return lines },
		StdoutLook:      look(os.Stdout),
		StderrLook:      look(os.Stderr),
		ReadPassword:    readPassword,
		Signals:         signals,
		Exit:            func(code int) { restore(); os.Exit(code) },
	}
	code := cli.Run(context.Background(), program)
	restore()
	os.Exit(int(code))
}

// watchSignals sends all signals that ask the program to end to the channel, except a hang-up that
// is ignored, as under nohup. It also catches SIGPIPE, so that a write to a pipe without a reader
// returns an error, which cli handles, and does not kill the program. Child processes do not
// inherit these settings.
func watchSignals(signals chan<- os.Signal) {
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// systemFolder returns the folder of the machine's configuration, or "" on Windows, which has none.
func systemFolder() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return "/etc"
}

// keepTerminal saves the terminal's state, which restore restores. Otherwise, after Ctrl-C at a
// password prompt, the terminal would stay in the mode that hides typed text.
func keepTerminal() (restore func()) {
	fd := int(os.Stdin.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return func() {} // no terminal
	}
	return func() { _ = term.Restore(fd, state) } // an error here can no longer be reported
}

// width returns a function that returns the current width of a terminal, or nil if the file is not
// a terminal.
func width(f *os.File) func() int {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return nil
	}
	return func() int { columns, _ := size(f); return columns }
}

// size returns the size of a terminal, or 80 columns and 24 lines if it is unknown.
func size(f *os.File) (columns, lines int) {
	columns, lines, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 || lines <= 0 {
		return 80, 24
	}
	return columns, lines
}

// look returns the abilities of the terminal, if the file is one.
func look(f *os.File) terminal.Look {
	return terminal.LookOf(f, term.IsTerminal(int(f.Fd())), os.Environ())
}

// readPassword reads a line from the terminal without showing it.
func readPassword() (string, error) {
	text, err := term.ReadPassword(int(os.Stdin.Fd()))
	return string(text), err
}
