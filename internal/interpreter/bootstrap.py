"""The Python side of Sledge's console, with one of two sets of arguments:

    bootstrap.py file FILE [argument...]    runs a script as python FILE does
    bootstrap.py prompt NAME                makes python -i the console's prompt

A script may be all that somebody knows of who wants to stop it, or the console may: the
console tells of each Ctrl-C that is not for a command. At the prompt, somebody is at a
terminal, which tells both at the same time. Which of them hears of it first, and while
what is done, is then a matter of luck; so there Python alone hears of it, and tells the
console when a command is meant.

Each command of the console becomes a function that calls the console, which started
this process and waits for it. The names go into builtins, so that modules which a
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

show = print  # Python's own
this_file = sys._getframe().f_code.co_filename


class Error(RuntimeError):
    """What a command, or Tcl, says went wrong."""


class Console:
    """The connection to the console."""

    def __init__(self, interrupts):
        self.interrupts = interrupts  # who hears of Ctrl-C from the console; None at the prompt
        # Programs that scripts start have no business with the console.
        address, token = os.environ.pop("SLEDGE_CONSOLE").split(" ")
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.lines = self.socket.makefile("rb")
        self.process = os.getpid()
        self.calling = threading.Lock()
        self.sending = threading.Lock()
        self.stdout = sys.stdout
        self.printing = None  # the thread that prints what a command prints
        self.replies = queue.SimpleQueue()  # of the call that is made
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
        """Take messages until the console is gone, and this process with it."""
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
        """Have the console do something, and return what that returns."""
        if os.getpid() != self.process:
            raise Error("the console belongs to the process that it started, and not to its children")
        if self.printing == threading.get_ident():
            raise Error("what is printed to cannot call a command, which would print")
        sys.stdout.flush()  # what the script printed belongs before what the command prints
        sys.stderr.flush()
        with self.calling:
            # What comes too late for one call is not for the next one.
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
        if interrupted or not replies.empty():  # Ctrl-C came when the command had ended
            raise KeyboardInterrupt
        return reply.get("result", "")

    def reply(self, replies):
        """Wait for the reply, and print what comes before it. Return also what broke, and
        whether the console was told of Ctrl-C."""
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
    """Interrupt the script as Ctrl-C does, from another thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    else:
        _thread.interrupt_main()


class Interrupts:
    """Python's own handler of Ctrl-C for scripts, once for each.

    At a terminal this process hears of it from the terminal and, perhaps much later, from
    the console; from somebody who only knows the console's process, from the console alone.
    """

    together = 0.3  # seconds between two that are one
    late = 5.0  # seconds that the console may need to hear of one

    def __init__(self):
        self.last = -math.inf  # when one was heard of
        self.alone = -math.inf  # the same, of one that the console has not told of
        self.told = False  # the next is what the console has told of

    def __call__(self, number, frame):
        told, self.told = self.told, False
        now = time.monotonic()
        if now - self.last <= self.together:
            return
        self.last = now
        if not told:
            self.alone = now
        signal.default_int_handler(number, frame)

    def tell(self):
        """Hear of one from the console, in another thread."""
        if time.monotonic() - self.alone <= self.late:
            self.alone = -math.inf
            return
        self.told = True
        interrupt()

    def left(self):
        """Leave one to the console."""
        self.told = False


class Deaf:
    """Leaves Ctrl-C to the console, which stops the command and says so; heard is called."""

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
    """Return a value as the console's commands read it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return " ".join(spell(v) for v in value)
    return word(str(value))


def word(text):
    """Return a word of Tcl's without what does not belong to it.

    A call stands for one line of Tcl, and scripts rely on what that does: blanks
    around an argument vanish, and so do braces or quotes around it, which keep
    blanks. Nothing within is replaced, and blanks within make no further argument.
    """
    text = text.strip(" \t\n\v\f\r")
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        return text[1:-1]
    return text[1:-1] if braced(text) else text


def braced(text):
    """Say whether the first brace of a text is closed by what it ends with."""
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
    """Return print: the console's own for one of its words alone, or else Python's."""

    @functools.wraps(show)
    def print(*values, **keywords):
        alone = len(values) == 1 and isinstance(values[0], str) and values[0] in console.words
        if alone and not keywords and os.getpid() == console.process:
            command(*values)
        else:
            show(*values, **keywords)

    return print


def helper(console, command, original):
    """Return help: the console's own, and Python's for everything else."""

    def help(*arguments):
        if not arguments or (isinstance(arguments[0], str) and arguments[0] in console.commands):
            return command(*arguments)
        return original(*arguments)

    return help


def define(console):
    """Give scripts the commands, and the module tclpy."""
    functions = {name: function(console, name) for name in console.commands}
    if "print" in functions:
        functions["pydict"] = functions["print"]
        functions["print"] = printer(console, functions["print"])
    if "help" in functions:
        original = getattr(builtins, "help", None) or __import__("_sitebuiltins")._Helper()
        functions["help"] = helper(console, functions["help"], original)
    functions.pop("exit", None)  # Python's own stays
    tclpy = types.ModuleType("tclpy", "Tcl, with the same commands.")
    tclpy.Error = Error
    tclpy.eval = lambda script: console.call({"type": "tcl", "script": str(script)})
    sys.modules["tclpy"] = tclpy
    functions["tclpy"] = tclpy
    for name, value in functions.items():
        setattr(builtins, name, value)


def report_events(console):
    """Tell the console of errors that no script gets to see, which Python only shows:
    those of threads, and of functions that are called at the end."""
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
    """Return an exception as the last line of a traceback has it."""
    return kind.__name__ + (": %s" % value if value is not None and str(value) else "")


def run(console, arguments):
    """Run a script as python FILE does; "-" is what comes from stdin."""
    path = arguments[0]
    sys.argv = arguments
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    if path != "-":
        main.__file__ = path
        find_modules(os.path.dirname(os.path.realpath(path)))
    try:
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
    """Leave the frames of this file out of what shows where an exception comes from."""
    known, others = set(), [failure]
    while others:
        failure = others.pop()
        if failure is None or id(failure) in known:
            continue
        known.add(id(failure))
        failure.__traceback__ = of_user(failure.__traceback__)
        others += failure.__cause__, failure.__context__


def of_user(trace):
    """Leave the frames of this file out of a traceback."""

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
    """Look for modules in a folder first, as python FILE does in that of FILE."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder


def converse(name):
    """Make Python's own prompt that of the console; python -i shows it."""
    sys.argv = [""]
    sys.ps1 = name + ">>> "
    sys.ps2 = "." * (len(name) + 3) + " "
    display = sys.displayhook
    # Most commands return nothing.
    sys.displayhook = lambda value: None if isinstance(value, str) and not value else display(value)

    def failed(kind, value, trace):
        clean(value)
        sys.__excepthook__(kind, value, value.__traceback__)

    sys.excepthook = failed
    original = getattr(sys, "__interactivehook__", None)

    def hook():
        if original is not None:
            original()
        atexit.register(forget)  # runs before what the hook registered: it writes the history

    sys.__interactivehook__ = hook
    for name in "os", "sys":  # what this file was begun with
        del sys.modules["__main__"].__dict__[name]


def forget():
    """Take lines that hold a password out of the history."""
    for name in "readline", "_pyrepl.readline":
        history = sys.modules.get(name)
        if history is None:
            continue
        for i in reversed(range(history.get_current_history_length())):
            line = history.get_history_item(i + 1)
            if line is not None and "pass" in line.lower():
                history.remove_history_item(i)


def begin(kind, *arguments):
    # It has been read; so nothing is left behind, however the console ends.
    os.remove(__file__)
    os.rmdir(os.path.dirname(__file__))
    # Python 3.13 would show what it was started by in the place of texts that are executed.
    linecache.clearcache()
    # Python ends by a signal if the latest exec of a text was interrupted, also long ago.
    atexit.register(exec, "", {})
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    interrupts = Interrupts() if kind == "file" else None
    if hears:
        signal.signal(signal.SIGINT, interrupts or (lambda *_: None))  # nothing can be stopped yet
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
