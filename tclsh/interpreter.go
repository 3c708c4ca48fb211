package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	tcl "modernc.org/tcl/lib"
)

// What Tcl's header files call these.
const (
	globalOnly   = tcl.TCL_GLOBAL_ONLY
	cancelUnwind = tcl.TCL_CANCEL_UNWIND
)

// interpreter is one Tcl interpreter. Only the goroutine that made it may use it,
// but for expect and cancel.
type interpreter struct {
	link  *link
	tls   *libc.TLS
	tcl   uintptr
	utf8  tcl.Tcl_Encoding
	names []string // of the console's commands, which Tcl knows by their index

	puts    uintptr // the function of Tcl's own puts
	stdout  uintptr // the channel of the process's own stdout
	calling bool    // a command of the console

	mu         sync.Mutex
	asked      bool // to evaluate a script, of which nothing has come yet
	evaluating bool
	cancelled  bool
}

// the is the interpreter of this process. Tcl calls functions that know nothing
// of Go's, so there is one for all.
var the *interpreter

// newInterpreter makes the interpreter and gives it the console's commands.
func newInterpreter(l *link) (*interpreter, error) {
	if os.Getenv("TCL_LIBRARY") == "" {
		folder, err := library()
		if err != nil {
			return nil, err
		}
		if err := os.Setenv("TCL_LIBRARY", folder); err != nil {
			return nil, err
		}
	}
	t := &interpreter{link: l, tls: libc.NewTLS(), names: l.commands}
	the = t
	tcl.XTcl_FindExecutable(t.tls, t.cString(os.Args[0]))
	// Whatever the locale is, scripts, variables of the environment and what is
	// printed are UTF-8: the C locale of containers would make Latin-1 of it.
	utf8 := t.cString("utf-8")
	if tcl.XTcl_SetSystemEncoding(t.tls, 0, utf8) != tcl.TCL_OK {
		return nil, errors.New("set the encoding: it does not know UTF-8")
	}
	t.utf8 = tcl.XTcl_GetEncoding(t.tls, 0, utf8)
	t.tcl = tcl.XTcl_CreateInterp(t.tls)
	if tcl.XTcl_Init(t.tls, t.tcl) != tcl.TCL_OK {
		return nil, errors.New(t.result())
	}
	t.setVariable("argv0", "sledge")
	t.setVariable("argv", "")
	t.setVariable("argc", "0")
	// As in a script, also at the prompt: a mistyped command is an error, and not a
	// program of that name that is started.
	t.setVariable("tcl_interactive", "0")
	for i, name := range t.names {
		tcl.XTcl_CreateObjCommand(t.tls, t.tcl, t.cString(name), pointer(runCommand), uintptr(i), 0)
	}
	tcl.XTcl_CreateObjCommand(t.tls, t.tcl, t.cString(background), pointer(runBackground), 0, 0)
	if tcl.XTcl_Eval(t.tls, t.tcl, t.cString("interp bgerror {} "+background)) != tcl.TCL_OK {
		return nil, errors.New(t.result())
	}
	tcl.XTcl_SetExitProc(t.tls, pointer(leave))
	t.puts = t.function("puts")
	t.stdout = tcl.XTcl_GetStdChannel(t.tls, tcl.TCL_STDOUT)
	if runtime.GOOS != "windows" {
		// On a terminal Tcl ends lines by a carriage return of its own, which logs of
		// terminals would show.
		for _, channel := range []int32{tcl.TCL_STDOUT, tcl.TCL_STDERR} {
			if c := tcl.XTcl_GetStdChannel(t.tls, channel); c != 0 {
				tcl.XTcl_SetChannelOption(t.tls, 0, c, t.cString("-translation"), t.cString("lf"))
			}
		}
	}
	go l.receive(t)
	return t, nil
}

// pointer returns a Go function as the translated C code calls it.
func pointer[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}

// at returns what is at an address of C's memory, which Go's collector does not
// move.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// answer does what the console asks for.
func (t *interpreter) answer(request message) (message, error) {
	switch request.Type {
	case "eval":
		return t.evaluate(func() int32 {
			script := t.internal(request.Script)
			defer libc.Xfree(t.tls, script)
			return tcl.XTcl_EvalEx(t.tls, t.tcl, script, -1, tcl.TCL_EVAL_GLOBAL)
		}), nil
	case "file":
		t.setVariable("argv0", request.Path)
		t.setVariable("argc", fmt.Sprint(len(request.Args)))
		t.setList("argv", request.Args)
		return t.evaluate(func() int32 {
			path := t.object(request.Path)
			at[tcl.Tcl_Obj](path).FrefCount++
			defer t.release(path)
			return tcl.XTcl_FSEvalFileEx(t.tls, t.tcl, path, 0)
		}), nil
	case "puts":
		return t.evaluate(func() int32 {
			t.calling = true
			defer func() { t.calling = false }()
			return t.callPuts(request.Result)
		}), nil
	case "complete":
		script := t.internal(request.Script)
		defer libc.Xfree(t.tls, script)
		return message{Type: "done", Complete: tcl.XTcl_CommandComplete(t.tls, script) != 0}, nil
	}
	return message{}, fmt.Errorf("the console asks for %q, which is not known: it is of another version", request.Type)
}

// evaluate runs a script that cancel can stop, and returns what came of it.
func (t *interpreter) evaluate(script func() int32) message {
	t.mu.Lock()
	early := t.cancelled
	t.evaluating = !early
	t.mu.Unlock()

	before := t.variable("errorCode")
	code := int32(tcl.TCL_ERROR)
	if !early {
		code = script()
	}

	t.mu.Lock()
	cancelled := t.cancelled
	t.asked, t.evaluating, t.cancelled = false, false, false
	t.mu.Unlock()
	done := message{Type: "done", Result: t.result(), Divert: t.printsElsewhere()}
	if code != tcl.TCL_OK {
		done.Failed = true
		done.Info = t.variable("errorInfo")
		done.Line = int(tcl.XTcl_GetErrorLine(t.tls, t.tcl))
		done.Stopped = cancelled
	}
	if after := t.variable("errorCode"); after != before {
		done.Signalled = endedBySignal(after, done.Failed)
	}
	if cancelled && !early {
		// It may have come too late for this script, and is not meant for the next.
		tcl.XTcl_AsyncInvoke(t.tls, t.tcl, tcl.TCL_OK)
		tcl.XTclResetCancellation(t.tls, t.tcl, 1)
	}
	t.flush()
	return done
}

// endedBySignal reports whether a script's last error may be that a program which
// it waited for got a Ctrl-C. Of an error that the script caught that must be sure;
// of one that ended it, any failure of a program may come of it. The manual page
// tclvars says how errorCode is spelled.
func endedBySignal(errorCode string, failed bool) bool {
	words := strings.Fields(errorCode)
	if len(words) < 3 {
		return false
	}
	switch words[0] {
	case "CHILDKILLED":
		return failed || words[2] == "SIGINT"
	case "CHILDSTATUS":
		return failed || words[2] == "130" // as shells say SIGINT
	}
	return false
}

// expect says that a script will be evaluated, so that cancel can come before it
// has begun. It is called from another goroutine.
func (t *interpreter) expect() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = true
}

// cancel stops the script that is or will be evaluated, if any, whatever it
// catches. It is called from another goroutine.
func (t *interpreter) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asked {
		return
	}
	t.cancelled = true
	if !t.evaluating {
		return
	}
	tls := libc.NewTLS()
	defer tls.Close()
	tcl.XTcl_CancelEval(tls, t.tcl, 0, 0, cancelUnwind)
}

// runCommand is what Tcl calls for each of the console's commands.
func runCommand(tls *libc.TLS, index, _ uintptr, count int32, words uintptr) int32 {
	t := the
	var args []string
	for i := range uintptr(count) {
		word := at[uintptr](words + i*unsafe.Sizeof(words))
		args = append(args, t.external(tcl.XTcl_GetString(tls, *word)))
	}
	if t.calling {
		t.setResult("the script's own puts cannot call " + t.names[index] + ", which would print")
		return tcl.TCL_ERROR
	}
	t.flush() // what the script printed belongs before what the command prints
	var notPrinted error
	var print func(string)
	if t.printsElsewhere() {
		print = func(text string) { notPrinted = cmp.Or(notPrinted, t.print(text)) }
	}
	t.calling = true
	reply, err := t.link.call(t.names[index], args[1:], print)
	t.calling = false
	if err == nil && !reply.Quit && !reply.Failed {
		err = notPrinted
	}
	switch {
	case err != nil:
		t.setResult(err.Error())
		return tcl.TCL_ERROR
	case reply.Quit:
		t.exit(0)
	case reply.Stopped:
		t.cancel() // the whole script was meant, whatever it catches
		fallthrough
	case reply.Failed:
		t.setResult(reply.Result)
		return tcl.TCL_ERROR
	}
	t.setResult(reply.Result)
	return tcl.TCL_OK
}

// printsElsewhere reports whether a script has put its own procedure in the place
// of puts, or its own file in that of stdout. HammerDB's commands print by puts,
// and scripts that collect results rely on it.
func (t *interpreter) printsElsewhere() bool {
	puts, stdout := t.function("puts"), tcl.XTcl_GetStdChannel(t.tls, tcl.TCL_STDOUT)
	return puts != 0 && puts != t.puts || stdout != 0 && stdout != t.stdout
}

// function returns the function of a command, or 0 if there is no such command.
func (t *interpreter) function(name string) uintptr {
	const size = int(unsafe.Sizeof(tcl.Tcl_CmdInfo{}))
	info := t.tls.Alloc(size)
	defer t.tls.Free(size)
	command := t.internal(name)
	defer libc.Xfree(t.tls, command)
	if tcl.XTcl_GetCommandInfo(t.tls, t.tcl, command, info) == 0 {
		return 0
	}
	return at[tcl.Tcl_CmdInfo](info).FobjProc
}

// print prints by puts, whatever that is.
func (t *interpreter) print(text string) error {
	if t.callPuts(text) != tcl.TCL_OK {
		return errors.New(t.result())
	}
	return nil
}

// callPuts calls puts and returns Tcl's code for how that ended.
func (t *interpreter) callPuts(text string) int32 {
	command := tcl.XTcl_NewObj(t.tls)
	for _, word := range []string{"puts", text} {
		tcl.XTcl_ListObjAppendElement(t.tls, t.tcl, command, t.object(word))
	}
	at[tcl.Tcl_Obj](command).FrefCount++
	defer t.release(command)
	return tcl.XTcl_EvalObjEx(t.tls, t.tcl, command, tcl.TCL_EVAL_GLOBAL)
}

// background is the command that Tcl calls for an error of an event, such as the
// script of after, with the message and the options of the error.
const background = "::tcl::sledgeBackground"

// runBackground does what Tcl itself does with such an error, which is to show it
// or to call bgerror, and tells the console.
func runBackground(tls *libc.TLS, _, _ uintptr, count int32, words uintptr) int32 {
	t := the
	command := tcl.XTcl_NewObj(tls)
	tcl.XTcl_ListObjAppendElement(tls, t.tcl, command, t.object("::tcl::Bgerror"))
	for i := range uintptr(count) - 1 {
		word := at[uintptr](words + (i+1)*unsafe.Sizeof(words))
		tcl.XTcl_ListObjAppendElement(tls, t.tcl, command, *word)
	}
	text := t.external(tcl.XTcl_GetString(tls, *at[uintptr](words + unsafe.Sizeof(words))))
	at[tcl.Tcl_Obj](command).FrefCount++
	defer t.release(command)
	code := tcl.XTcl_EvalObjEx(tls, t.tcl, command, tcl.TCL_EVAL_GLOBAL)
	if err := t.link.send(message{Type: "event", Result: text}); err != nil {
		t.setResult(err.Error())
		return tcl.TCL_ERROR
	}
	return code
}

// leave is what Tcl calls to end the process: the console is told with which
// code, and what is still to be printed is printed.
func leave(tls *libc.TLS, code uintptr) {
	the.flush()
	if err := the.link.send(message{Type: "exit", Code: int(int32(code))}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	tcl.XTcl_SetExitProc(tls, 0)
	tcl.XTcl_Exit(tls, int32(code))
}

// exit ends the process as Tcl's exit does.
func (t *interpreter) exit(code int32) { tcl.XTcl_Exit(t.tls, code) }

// flush prints what scripts have printed.
func (t *interpreter) flush() {
	for _, channel := range []int32{tcl.TCL_STDOUT, tcl.TCL_STDERR} {
		if c := tcl.XTcl_GetStdChannel(t.tls, channel); c != 0 {
			tcl.XTcl_Flush(t.tls, c)
		}
	}
}

func (t *interpreter) result() string {
	return t.external(tcl.XTcl_GetStringResult(t.tls, t.tcl))
}

func (t *interpreter) setResult(text string) {
	tcl.XTcl_SetObjResult(t.tls, t.tcl, t.object(text))
}

// variable returns a global variable's value, or "".
func (t *interpreter) variable(name string) string {
	value := tcl.XTcl_GetVar2Ex(t.tls, t.tcl, t.cString(name), 0, globalOnly)
	if value == 0 {
		return ""
	}
	return t.external(tcl.XTcl_GetString(t.tls, value))
}

func (t *interpreter) setVariable(name, value string) { t.setObject(name, t.object(value)) }

func (t *interpreter) setList(name string, values []string) {
	list := tcl.XTcl_NewObj(t.tls)
	for _, value := range values {
		tcl.XTcl_ListObjAppendElement(t.tls, t.tcl, list, t.object(value))
	}
	t.setObject(name, list)
}

func (t *interpreter) setObject(name string, object uintptr) {
	tcl.XTcl_SetVar2Ex(t.tls, t.tcl, t.cString(name), 0, object, globalOnly)
}

// object makes a Tcl object without an owner.
func (t *interpreter) object(text string) uintptr {
	internal := t.internal(text)
	defer libc.Xfree(t.tls, internal)
	return tcl.XTcl_NewStringObj(t.tls, internal, -1)
}

// release frees an object that has no owner.
func (t *interpreter) release(object uintptr) {
	o := at[tcl.Tcl_Obj](object)
	if o.FrefCount--; o.FrefCount <= 0 {
		tcl.XTclFreeObj(t.tls, object)
	}
}

// cString returns text for C, never to be freed: for the few names there are.
func (t *interpreter) cString(text string) uintptr {
	s, err := libc.CString(text)
	if err != nil {
		panic(err) // no memory
	}
	return s
}

// external returns a string of Tcl's as UTF-8. Inside Tcl a character beyond the
// first 65,536 is two, and one of code zero is two bytes.
func (t *interpreter) external(s uintptr) string {
	converted, free := t.buffer()
	defer free()
	tcl.XTcl_UtfToExternalDString(t.tls, t.utf8, s, -1, converted)
	text := at[tcl.Tcl_DString](converted)
	return string(unsafe.Slice(at[byte](text.Fstring), text.Flength))
}

// internal returns text as Tcl keeps it, to be freed.
func (t *interpreter) internal(text string) uintptr {
	converted, free := t.buffer()
	defer free()
	source := t.cString(text)
	defer libc.Xfree(t.tls, source)
	tcl.XTcl_ExternalToUtfDString(t.tls, t.utf8, source, int32(len(text)), converted)
	return t.cString(libc.GoString(at[tcl.Tcl_DString](converted).Fstring))
}

// buffer returns a string that Tcl can fill, in C's memory: Go's stack moves.
func (t *interpreter) buffer() (dString uintptr, free func()) {
	const size = int(unsafe.Sizeof(tcl.Tcl_DString{}))
	p := t.tls.Alloc(size)
	return p, func() {
		tcl.XTcl_DStringFree(t.tls, p)
		t.tls.Free(size)
	}
}
