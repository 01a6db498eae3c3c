"""Calls a learner's function so that nothing it does gets past one verdict.

Limits of the system and a hook of Python end the process when the code loops, opens files, starts processes or takes
too much memory: a guard against mistakes, and no wall against somebody who wants to get out.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from workbench.challenges.own_rule.kinds import Kind, wrong_answer

IMPORTS = frozenset(
    ("__future__", "bisect", "collections", "dataclasses", "functools", "itertools", "math", "operator", "statistics",
     "typing")
)  # fmt: skip
"""What a rule may need."""
CALL_CPU_S = 0.2
"""Most that one call of the rule may compute: thousands of times what a rule needs."""
LOOP_IN_C_CPU_S = 0.3
"""A loop in C lets no Python run, not even the alarm: the system ends the process then."""
CALL_S = 2.0
"""Longest that one call may take, should it wait for something instead."""
MEMORY_BYTES = 1 << 30
PRINTED_MAX = 1_000_000
"""Characters that one call may print. To write more takes so long that it looked like a loop."""
FORBIDDEN = (
    "open", "os.", "subprocess.", "socket.", "shutil.", "tempfile.", "ctypes.", "signal.", "time.sleep",
    "pty.", "mmap.", "sys.settrace", "sys.setprofile", "gc.", "code.__new__", "builtins.input",
)  # fmt: skip
"""What the hook ends, by the beginning of the event's name."""


class Printed(io.TextIOBase):
    """What the learner's code prints goes nowhere, and only so much of it."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self.left = PRINTED_MAX
        """Characters, of this call."""

    def write(self, text: str) -> int:
        """Forget the text."""
        self.left -= len(text)
        if self.left < 0:
            what = f"one call prints more than {PRINTED_MAX} characters; what counts is the answer that it returns"
            self._guard.say("prints", what)
        return len(text)


class Guard:
    """Calls the learner's code: nothing that it does gets past one verdict."""

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self._inside = False
        self._printed = Printed(self)

    def set_up(self, source: str) -> None:
        """From here on there is no way back: limits, hook, alarm. What the source may import is loaded before."""
        for name in sorted(IMPORTS):
            if name in source:
                importlib.import_module(name)
        for limit, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
            with suppress(ValueError, OSError):  # not every system has each of them
                resource.setrlimit(limit, (most, most))
        looped = f"it did not answer within {CALL_CPU_S:g} s of computing"
        signal.signal(signal.SIGPROF, lambda *_: self.say("loops", looped))
        signal.signal(signal.SIGALRM, lambda *_: self.say("loops", f"it did not answer within {CALL_S:g} s"))
        sys.addaudithook(self._on_event)
        sys.stdout = sys.stderr = self._printed

    def _on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._inside and event.startswith(FORBIDDEN):
            self.say("forbidden", f"it may not do this: {event} {ascii(arguments)[:100]}")

    def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """What the learner's code answers; whatever it raises is a verdict."""
        self._inside = True
        self._printed.left = PRINTED_MAX
        _limit(CALL_CPU_S, LOOP_IN_C_CPU_S, CALL_S)
        try:
            return function(*given, **named)
        except BaseException as error:
            self._inside = False
            self.say("raises", f"{_said(error)}{_line_of(error)}")
        finally:
            _limit(0, 0, 0)
            self._inside = False

    def say(self, verdict: str, what: str, **more: object) -> NoReturn:
        """The last word; the process is over."""
        self._inside = False
        self.tell(verdict=verdict, what=what, **more)
        os._exit(0)

    def tell(self, **said: object) -> None:
        """One line to whoever waits."""
        os.write(self._channel, json.dumps(said).encode() + b"\n")


def _limit(computing_s: float, in_c_s: float, waiting_s: float) -> None:
    """From now on; 0 takes a limit away."""
    signal.setitimer(signal.ITIMER_PROF, computing_s)
    signal.setitimer(signal.ITIMER_VIRTUAL, in_c_s)
    signal.setitimer(signal.ITIMER_REAL, waiting_s)


def _said(error: BaseException) -> str:
    text = ascii(str(error))[1:-1][:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line_of(error: BaseException) -> str:
    line, trace = 0, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == "<your rule>" else line
        trace = trace.tb_next
    return f" (line {line})" if line else ""


def learners_function(guard: Guard, kind: Kind, source: str) -> Callable[..., Any]:
    """The learner's function, wrapped so that what it answers is checked."""
    scope: dict[str, Any] = {"__name__": "your_rule"}
    guard.call(exec, compile(source, "<your rule>", "exec"), scope)
    function = scope.get(kind.name)
    if not callable(function):
        guard.say("raises", f"after the file has run there is no function {kind.name}")

    def ask(**facts: Any) -> Any:
        answer = guard.call(function, **facts)
        if wrong := wrong_answer(kind, answer):
            guard.say("wrong type", wrong)
        return answer

    return ask
