"""The short protocol of a run: what commands did and the events that matter, one line each, in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from cluster.commands.world import ClientCommand
from cluster.faults.grammar import parse_command
from cluster.language.words import CommandError
from cluster.model.entry import Entry
from cluster.scenario.runner import StepReport

NS_PER_MS = 1_000_000
FOLDED_MS = 200
"""Partitions of which the same is said within this are told of in one line."""
INTERNAL = re.compile(r"(__consumer_offsets)-(\d+)")
_NODE = re.compile(r"\bn\d+")
Tell = Callable[[Entry], tuple[str, str] | None]
"""Who an entry is about, and its sentence; None for one of which nothing is printed."""


def _is_of_a_client(command: str) -> bool:
    """What stands behind `try` may be no command once its values are filled in: the lab has refused it."""
    try:
        return isinstance(parse_command(command), ClientCommand)
    except CommandError:
        return False


@dataclass(slots=True)
class _Line:
    at_ms: int
    who: str
    text: str
    times: int = 1
    partitions: set[str] = field(default_factory=set)
    """Of an internal topic: those that it speaks for."""

    def __str__(self) -> str:
        tail = f" ({self.times} times)" if self.times > 1 else ""
        if len(self.partitions) > 1:
            tail += f" (and {len(self.partitions) - 1} more of its partitions)"
        return f"{self.at_ms:7d} ms  {self.who:<6}  {self.text}{tail}".rstrip()


class Protocol:
    """Collects the lines of a script's clusters. A sentence that a node only repeats is counted, not repeated.

    What is the same for many partitions of an internal topic, but for who leads and who is in sync, is one line too.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._lines: list[_Line | str] = []
        self._last: dict[str, _Line] = {}
        self._folded: dict[tuple[str, str], _Line] = {}
        self._began_ns = -1
        self._now_ms = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """All so far."""
        return tuple(map(str, self._lines))

    def on_entry(self, entry: Entry) -> None:
        """An event of the present cluster."""
        if self._began_ns < 0:
            self._began_ns = entry.t_ns
        self._now_ms = (entry.t_ns - self._began_ns) // NS_PER_MS
        line = self._tell(entry)
        if line is not None:
            self._add(*line)

    def on_step(self, step: StepReport) -> None:
        """A step of the script is done."""
        if step.kind == "cluster":
            self._began_ns, self._now_ms = -1, 0
            self._forget()
            self._lines.append(f"== {step.section or 'cluster'}: {step.text}")
        elif step.kind == "do" and _is_of_a_client(step.text):
            self._forget()
            self._lines.append(_Line(self._now_ms, "$", f"{step.text}: {step.seen}"))

    def _add(self, who: str, text: str) -> None:
        last = self._last.get(who)
        if last is not None and last.text == text:
            last.times += 1
            return
        line = _Line(self._now_ms, who, text)
        if self._is_folded(who, text, line):
            return
        self._last[who] = line
        self._lines.append(line)

    def _is_folded(self, who: str, text: str, line: _Line) -> bool:
        """Whether a line of just now speaks for this partition too. One that says it a second time has a line again."""
        internal = INTERNAL.search(text)
        if internal is None:
            return False
        key = who, _NODE.sub("n", INTERNAL.sub(r"\1", text))
        earlier = self._folded.get(key)
        is_near = earlier is not None and self._now_ms - earlier.at_ms <= FOLDED_MS
        if earlier is not None and is_near and internal[2] not in earlier.partitions:
            earlier.partitions.add(internal[2])
            return True
        line.partitions.add(internal[2])
        self._folded[key] = line
        return False

    def _forget(self) -> None:
        self._last.clear()
        self._folded.clear()
