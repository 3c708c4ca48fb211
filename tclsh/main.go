// Command tclsh is the Tcl interpreter of Sledge's console, in a process of its
// own. It connects to the console that started it, defines each of the console's
// commands as a Tcl command, and evaluates what it is sent. What the commands do
// it does not know.
//
// It is a module of its own because modernc.org/tcl needs an older
// modernc.org/libc than SQLite does: docs/decisions/010-interpreters.md.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
)

func main() {
	// Tcl keeps what it knows of a thread by thread.
	runtime.LockOSThread()
	// What the library has not got it panics about, at a length that hides the reason.
	defer func() {
		if fault := recover(); fault != nil {
			fail(fmt.Errorf("it cannot do that: %v", fault))
		}
	}()
	if err := serve(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "sledge: the Tcl interpreter: %v\n", err)
	os.Exit(1)
}

// serve evaluates what the console sends until it closes the connection.
func serve() error {
	// Ctrl-C at a terminal is sent to every program in it. What it means the console
	// decides, and says so by a message; programs that a script starts are not to
	// ignore it, as they would if it were ignored here.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)

	l, err := connect()
	if err != nil {
		return err
	}
	t, err := newInterpreter(l)
	if err != nil {
		return err
	}
	for request := range l.requests {
		reply, err := t.answer(request)
		if err != nil {
			return err
		}
		if err := l.send(reply); err != nil {
			return err
		}
	}
	t.flush()
	return nil
}
