"""The process in which a learner's rule runs: it plays small clusters with the rule in them and says what broke.

It runs the learner's own code. Limits of the system and a hook of Python end it when that code loops, opens files,
starts processes or takes too much memory: a guard against mistakes, and no wall against somebody who wants to get out.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from cluster.simulation.swarm.shrunk_script import script_of
from workbench.challenges.bugs.planted_bug import PlantedBug, planted
from workbench.challenges.own_rule.kinds import KINDS, Kind, wrong_answer
from workbench.challenges.own_rule.small_world import broken, draw, smallest

CALL_S = 2.0
"""Longest that one call of the rule may take."""
MEMORY_BYTES = 2 << 30
CPU_SLACK_S = 4
"""A loop in C lets nobody else run: the system ends the process then."""
FORBIDDEN = (
    "open", "os.", "subprocess.", "socket.", "shutil.", "tempfile.", "ctypes.", "signal.", "time.sleep",
    "pty.", "mmap.", "sys.settrace", "sys.setprofile", "gc.", "code.__new__", "builtins.input",
)  # fmt: skip
"""What the hook ends, by the beginning of the event's name."""


class Guard:
    """Calls the learner's code: nothing that it does gets past one verdict."""

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self._inside = False

    def set_up(self) -> None:
        """From here on there is no way back: limits, hook, alarm."""
        for limit, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
            with suppress(ValueError, OSError):  # not every system has each of them
                resource.setrlimit(limit, (most, most))
        signal.signal(signal.SIGALRM, lambda *_: self.say("loops", f"it did not answer within {CALL_S:g} s"))
        threading.Thread(target=_stay_alive, daemon=True).start()
        sys.addaudithook(self._on_event)
        nothing = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nothing, stream)

    def _on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._inside and event.startswith(FORBIDDEN):
            self.say("forbidden", f"it may not do this: {event} {ascii(arguments)[:100]}")

    def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """What the learner's code answers; whatever it raises is a verdict."""
        self._inside = True
        signal.setitimer(signal.ITIMER_REAL, CALL_S)
        try:
            return function(*given, **named)
        except BaseException as error:
            self._inside = False
            self.say("raises", f"{_said(error)}{_line_of(error)}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._inside = False

    def say(self, verdict: str, what: str, **more: object) -> NoReturn:
        """The last word; the process is over."""
        self._inside = False
        self.tell(verdict=verdict, what=what, **more)
        os._exit(0)

    def tell(self, **said: object) -> None:
        """One line to whoever waits."""
        os.write(self._channel, json.dumps(said).encode() + b"\n")


def _said(error: BaseException) -> str:
    text = ascii(str(error))[1:-1][:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line_of(error: BaseException) -> str:
    line, trace = 0, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == "<your rule>" else line
        trace = trace.tb_next
    return f" (line {line})" if line else ""


def _stay_alive() -> None:
    """Allow a little more time for as long as this thread gets its turn."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    while True:
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + CPU_SLACK_S
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
        time.sleep(0.3)


def learners_rule(guard: Guard, kind: Kind, source: str) -> PlantedBug:
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

    return kind.bug(ask)


def main() -> None:
    """Read one order from stdin, play its seeds, say what broke or that nothing did."""
    order = json.loads(sys.stdin.readline())
    channel = os.dup(1)
    guard, kind = Guard(channel), KINDS[order["kind"]]
    guard.set_up()
    rule = learners_rule(guard, kind, order["source"])
    for seed in order["seeds"]:
        guard.tell(seed=seed)
        schedule = draw(seed, kind.name)
        with planted(rule):
            finding = broken(schedule)
        if finding is None:
            continue
        sound = broken(schedule)
        if sound is not None and sound.rule == finding.rule:
            continue  # the cluster itself is to blame
        with planted(rule):
            small = smallest(schedule, finding, guard.tell)
        plan, commands = f"your {kind.name}, seed {seed}", len(schedule.timed)
        guard.say("broken", small.finding.sentence, seed=seed, script=script_of(small, plan, commands))
    guard.say("held", "")


if __name__ == "__main__":
    main()
