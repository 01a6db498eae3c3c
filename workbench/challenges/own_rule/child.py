"""The processes in which a learner's rule runs: each plays small clusters with the rule in them and says what broke.

They run the learner's own code. Limits of the system and a hook of Python end them when that code loops, opens files,
starts processes or takes too much memory: a guard against mistakes, and no wall against somebody who wants to get out.
What they need is imported once, before they part: a verdict is to come within seconds, on a busy machine too.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from cluster.simulation.swarm.shrunk_script import script_of
from workbench.challenges.bugs.planted_bug import PlantedBug, planted
from workbench.challenges.own_rule.kinds import KINDS, Kind, wrong_answer
from workbench.challenges.own_rule.patches import bug_of
from workbench.challenges.own_rule.small_world import broken, draw, smallest

CALL_CPU_S = 0.2
"""Most that one call of the rule may compute: thousands of times what a rule needs."""
LOOP_IN_C_CPU_S = 0.3
"""A loop in C lets no Python run, not even the alarm: the system ends the process then."""
CALL_S = 2.0
"""Longest that one call may take, should it wait for something instead."""
MEMORY_BYTES = 1 << 30
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
        looped = f"it did not answer within {CALL_CPU_S:g} s of computing"
        signal.signal(signal.SIGPROF, lambda *_: self.say("loops", looped))
        signal.signal(signal.SIGALRM, lambda *_: self.say("loops", f"it did not answer within {CALL_S:g} s"))
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._inside and event.startswith(FORBIDDEN):
            self.say("forbidden", f"it may not do this: {event} {ascii(arguments)[:100]}")

    def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """What the learner's code answers; whatever it raises is a verdict."""
        self._inside = True
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

    return bug_of(kind, ask)


def play(channel: int, kind: Kind, source: str, seeds: Sequence[int]) -> NoReturn:
    """Play these seeds, say what broke or that nothing did."""
    guard = Guard(channel)
    guard.set_up()
    rule = learners_rule(guard, kind, source)
    for seed in seeds:
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


def main() -> None:
    """Read one order from stdin: each channel gets a process that plays its part of the seeds. Tell how it ended."""
    order = json.loads(sys.stdin.readline())
    playing: dict[int, int] = {}
    for channel, seeds in order["parts"]:
        child = os.fork()
        if child == 0:
            play(channel, KINDS[order["kind"]], order["source"], seeds)
        playing[child] = channel
    while playing:
        child, status = os.wait()
        Guard(playing.pop(child)).tell(ended=os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
