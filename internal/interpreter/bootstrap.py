"""The Python side of Sledge's console, with one of two sets of arguments:

    bootstrap.py file FILE [argument...]    runs a script as python FILE does
    bootstrap.py prompt NAME                makes python -i the console's prompt

To stop a script, somebody may interrupt its process or only the console's. The console
therefore forwards each Ctrl-C that is not for a command. At the prompt, the terminal
signals both processes at the same time, and either may receive the signal first. So at the
prompt only Python handles Ctrl-C, and tells the console if a command is running.

Each command of the console becomes a function that calls the console, which started
this process and waits for it. The names are added to builtins, so that modules which a
script imports have them, too. It works with Python 3.9 and later.
"""

import _thread
import atexit
import builtins
import functools
import json
import linecache
import math
import os
import queue
import signal
import socket
import sys
import threading
import time
import types

show, pause = print, time.sleep  # Python's own
this_file = sys._getframe().f_code.co_filename


class Error(RuntimeError):
    """The error message of a command or of Tcl."""


class Console:
    """The connection to the console."""

    def __init__(self, interrupts):
        self.interrupts = interrupts  # handles Ctrl-C from the console; None at the prompt
        # Programs that scripts start must not connect to the console.
        address, token = os.environ.pop("SLEDGE_CONSOLE").split(" ")
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.lines = self.socket.makefile("rb")
        self.process = os.getpid()
        self.calling = threading.Lock()
        self.sending = threading.Lock()
        self.stdout = sys.stdout
        self.printing = None  # the thread that prints the output of a command
        self.replies = queue.SimpleQueue()  # to the current call
        self.send({"type": "hello", "token": token})
        first = self.receive()
        self.commands = first["commands"]
        self.words = frozenset(first.get("words", ()))
        threading.Thread(target=self.listen, daemon=True).start()

    def send(self, message):
        line = json.dumps(message).encode() + b"\n"
        with self.sending:
            self.socket.sendall(line)

    def receive(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def listen(self):
        """Receive messages until the console ends, and then end this process."""
        while True:
            try:
                message = self.receive()
            except OSError:
                message = None
            if message is None:
                os._exit(1)
            if message["type"] in ("reply", "print"):
                self.replies.put(message)
            elif message["type"] == "cancel" and self.interrupts is not None:
                self.interrupts.tell()

    def call(self, request):
        """Send a request to the console, and return its result."""
        if os.getpid() != self.process:
            raise Error("only the process that the console started can call commands, not its children")
        if self.printing == threading.get_ident():
            raise Error("an object that output is written to cannot call a command, because commands print")
        sys.stdout.flush()  # the script's output must precede the command's
        sys.stderr.flush()
        with self.calling:
            # A late reply to one call must not reach the next one.
            replies = self.replies = queue.SimpleQueue()
            at_prompt = self.interrupts is None
            with Deaf((lambda: replies.put({"type": "interrupt"})) if at_prompt else self.interrupts.left):
                self.send(request)
                reply, broken, interrupted = self.reply(replies)
        if reply.get("quit"):
            raise SystemExit(reply.get("code", 0))
        if reply.get("stopped"):
            raise KeyboardInterrupt
        if reply.get("failed"):
            raise Error(reply.get("result", ""))
        if broken:
            raise broken
        if interrupted or not replies.empty():  # Ctrl-C arrived after the end of the command
            raise KeyboardInterrupt
        return reply.get("result", "")

    def reply(self, replies):
        """Wait for the reply, and print the output before it. Return the reply, the first
        exception while printing, and whether the console was told of Ctrl-C."""
        broken, interrupted = None, False
        while True:
            message = replies.get()
            if message["type"] == "reply":
                return message, broken, interrupted
            if message["type"] == "interrupt":
                interrupted = True
                self.send(message)
                continue
            self.printing = threading.get_ident()
            try:
                show(message.get("result", ""))
            except Exception as failure:
                broken = broken or failure
            finally:
                self.printing = None


def interrupt():
    """Interrupt the script from another thread, as Ctrl-C does."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    else:
        _thread.interrupt_main()


class Interrupts:
    """Calls Python's own handler of Ctrl-C for scripts, once for each Ctrl-C.

    At a terminal this process receives a signal from the terminal and, perhaps much later, a
    message from the console. If somebody signals only the console's process, it receives only
    the message.
    """

    together = 0.3  # two signals within this time, in seconds, are one Ctrl-C
    late = 5.0  # the time, in seconds, that the console may need to report one

    def __init__(self):
        self.last = -math.inf  # the time of the latest signal
        self.alone = -math.inf  # the time of the latest one that the console has not reported
        self.told = False  # the next signal is due to a message of the console
        self.begun = False  # the script runs
        self.early = False  # there was a Ctrl-C before

    def begin(self):
        """Let a Ctrl-C interrupt the script. One that came before does it at once."""
        self.begun = True
        if self.early:
            raise KeyboardInterrupt

    def __call__(self, number, frame):
        told, self.told = self.told, False
        now = time.monotonic()
        if now - self.last <= self.together:
            return
        self.last = now
        if not told:
            self.alone = now
        if not self.begun:
            self.early = True
            return
        signal.default_int_handler(number, frame)

    def tell(self):
        """Handle a message of the console about Ctrl-C, in another thread."""
        if time.monotonic() - self.alone <= self.late:
            self.alone = -math.inf
            return
        self.told = True
        threading.Thread(target=self.insist, daemon=True).start()

    def insist(self):
        """Interrupt the script until it hears of it. A signal that arrives after the script has
        last looked for signals, and before it waits, does not end the wait."""
        while self.told:
            interrupt()
            if signal.getsignal(signal.SIGINT) is not self:  # the script handles signals itself
                return
            pause(0.05)

    def left(self):
        """Leave a Ctrl-C to the console."""
        self.told = False


class Deaf:
    """Leaves Ctrl-C to the console, which stops the command and says so. Each one calls heard."""

    def __init__(self, heard):
        self.heard = heard

    def __enter__(self):
        self.before = None
        if threading.current_thread() is threading.main_thread():
            self.before = signal.signal(signal.SIGINT, lambda *_: self.heard())

    def __exit__(self, *_):
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)


def spell(value):
    """Return a value in the syntax of the console's commands."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return " ".join(spell(v) for v in value)
    return word(str(value))


def word(text):
    """Return a Tcl word without the blanks, braces or quotes around it.

    Scripts rely on a call behaving like a line of Tcl: blanks around an argument are
    removed, and so are braces or quotes around it, within which blanks are kept. Nothing
    within is substituted, and blanks within do not separate arguments.
    """
    text = text.strip(" \t\n\v\f\r")
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        return text[1:-1]
    return text[1:-1] if braced(text) else text


def braced(text):
    """Return whether the last character of a text closes its first brace."""
    depth, escaped = 0, False
    for i, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character in "{}":
            depth += 1 if character == "{" else -1
        if depth <= 0:
            return i > 0 and i == len(text) - 1
    return False


def function(console, name):
    """Return the function that calls a command."""

    def command(*arguments):
        return console.call({
            "type": "call",
            "name": name,
            "args": [spell(a) for a in arguments],
            "folder": os.getcwd(),
            "divert": sys.stdout is not console.stdout,
        })

    command.__name__ = command.__qualname__ = name
    command.__doc__ = "The console's command %s: help('%s') explains it." % (name, name)
    return command


def printer(console, command):
    """Return print: the console's for a single argument that is one of its words, else Python's."""

    @functools.wraps(show)
    def print(*values, **keywords):
        alone = len(values) == 1 and isinstance(values[0], str) and values[0] in console.words
        if alone and not keywords and os.getpid() == console.process:
            command(*values)
        else:
            show(*values, **keywords)

    return print


def helper(console, command, original):
    """Return help: the console's for its commands, and Python's for everything else."""

    def help(*arguments):
        if not arguments or (isinstance(arguments[0], str) and arguments[0] in console.commands):
            return command(*arguments)
        return original(*arguments)

    return help


def define(console):
    """Define the commands for scripts, and the module tclpy."""
    functions = {name: function(console, name) for name in console.commands}
    if "print" in functions:
        functions["pydict"] = functions["print"]
        functions["print"] = printer(console, functions["print"])
    if "help" in functions:
        original = getattr(builtins, "help", None) or __import__("_sitebuiltins")._Helper()
        functions["help"] = helper(console, functions["help"], original)
    functions.pop("exit", None)  # keep Python's
    tclpy = types.ModuleType("tclpy", "Tcl, with the same commands.")
    tclpy.Error = Error
    tclpy.eval = lambda script: console.call({"type": "tcl", "script": str(script)})
    sys.modules["tclpy"] = tclpy
    functions["tclpy"] = tclpy
    for name, value in functions.items():
        setattr(builtins, name, value)


def report_events(console):
    """Report errors to the console that no script can catch, because Python only prints them:
    errors in threads, and in functions that are called at the end."""
    in_thread, unraisable = threading.excepthook, sys.unraisablehook

    def thread_failed(args):
        clean(args.exc_value)
        in_thread(args)
        if args.exc_type is not SystemExit:
            event(args.exc_type, args.exc_value)

    def not_raised(args):
        unraisable(args)
        event(args.exc_type, args.exc_value)

    def event(kind, value):
        if os.getpid() == console.process:
            console.send({"type": "event", "result": spelled(kind, value)})

    threading.excepthook, sys.unraisablehook = thread_failed, not_raised


def spelled(kind, value):
    """Return an exception in the form of the last line of a traceback."""
    return kind.__name__ + (": %s" % value if value is not None and str(value) else "")


def run(console, arguments):
    """Run a script as python FILE does. "-" means standard input."""
    path = arguments[0]
    sys.argv = arguments
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    if path != "-":
        main.__file__ = path
        find_modules(os.path.dirname(os.path.realpath(path)))
    try:
        console.interrupts.begin()
        exec(compiled(path), main.__dict__)
    except SystemExit:
        raise
    except BaseException as failure:
        clean(failure)
        sys.excepthook(type(failure), failure, failure.__traceback__)
        sys.stderr.flush()
        stopped = isinstance(failure, KeyboardInterrupt)
        console.send({"type": "failed", "result": spelled(type(failure), failure), "stopped": stopped})
        raise SystemExit(130 if stopped else 1) from None


def clean(failure):
    """Remove the frames of this file from the tracebacks of an exception and its causes."""
    known, others = set(), [failure]
    while others:
        failure = others.pop()
        if failure is None or id(failure) in known:
            continue
        known.add(id(failure))
        failure.__traceback__ = of_user(failure.__traceback__)
        others += failure.__cause__, failure.__context__


def of_user(trace):
    """Return a traceback without the frames of this file."""

    def next_of_user(trace):
        while trace is not None and trace.tb_frame.f_code.co_filename == this_file:
            trace = trace.tb_next
        return trace

    first = trace = next_of_user(trace)
    while trace is not None:
        trace.tb_next = next_of_user(trace.tb_next)
        trace = trace.tb_next
    return first


def compiled(path):
    if path == "-":
        return compile(sys.stdin.read(), "<stdin>", "exec")
    with open(path, "rb") as source:
        return compile(source.read(), path, "exec")


def find_modules(folder):
    """Search a folder for modules first, as python FILE does with the folder of FILE."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder


def converse(name):
    """Turn the prompt that python -i shows into the console's."""
    sys.argv = [""]
    sys.ps1 = name + ">>> "
    sys.ps2 = "." * (len(name) + 3) + " "
    display = sys.displayhook
    # Most commands return an empty text, which is not shown.
    sys.displayhook = lambda value: None if isinstance(value, str) and not value else display(value)

    def failed(kind, value, trace):
        clean(value)
        sys.__excepthook__(kind, value, value.__traceback__)

    sys.excepthook = failed
    original = getattr(sys, "__interactivehook__", None)

    def hook():
        if original is not None:
            original()
        atexit.register(forget)  # runs before the hook's own function, which writes the history

    sys.__interactivehook__ = hook
    for name in "os", "sys":  # the text of -c imported these
        del sys.modules["__main__"].__dict__[name]


def forget():
    """Remove lines that may contain a password from the history."""
    for name in "readline", "_pyrepl.readline":
        history = sys.modules.get(name)
        if history is None:
            continue
        for i in reversed(range(history.get_current_history_length())):
            line = history.get_history_item(i + 1)
            if line is not None and "pass" in line.lower():
                history.remove_history_item(i)


def begin(kind, *arguments):
    # The file has been read, and nothing remains even if the console is killed.
    os.remove(__file__)
    os.rmdir(os.path.dirname(__file__))
    # Otherwise Python 3.13 would show the text of -c as the source of executed texts.
    linecache.clearcache()
    # Python ends with a signal if its latest exec of a text was interrupted, however long ago.
    atexit.register(exec, "", {})
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    interrupts = Interrupts() if kind == "file" else None
    if hears:
        signal.signal(signal.SIGINT, interrupts or (lambda *_: None))  # there is nothing to stop yet
    console = Console(interrupts)
    define(console)
    if kind == "file":
        report_events(console)
        run(console, list(arguments))
        return
    converse(*arguments)
    if hears:
        signal.signal(signal.SIGINT, signal.default_int_handler)


begin(*sys.argv[2:])
