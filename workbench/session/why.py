"""Why an event happened: its causes back to a command, a timer, a client or a start.

A chain ends where a timer ran out: the event that once set the timer is no reason for what happened when nothing came
in the meantime. What was broken at that moment is named instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cluster.model.entry import Entry
from cluster.model.events import FaultInjected, ProcessExited
from workbench.session.recording import Recording
from workbench.session.story.deeds import ENDING
from workbench.support.safe_text import safe_text
from workbench.telling.reasons import TIMER, Reason, reason_of
from workbench.telling.tell import describe, tone, who

CHAIN_MAX = 40
FAULTS_MAX = 4
ENDED_WITHIN = 400
"""Entries before the end of a process among which the fault that ended it is looked for."""
ROOTS = {
    "command": "a command, typed or of a pressed key",
    "lab": "the lab itself",
    "script": "the script of the lesson",
    "start": "the start of the process",
    "stop command": "the command to leave in order",
}
"""What sets a chain off, in words."""


@dataclass(slots=True)
class Because:
    """One link of the chain."""

    index: int
    entry: Entry
    sentence: str
    tone: str
    rule: str = ""
    """Rule and its answer with the reason; empty when no rule decided."""
    numbers: tuple[str, ...] = ()
    source: str = ""
    """Where the rule comes from."""


def explain(recording: Recording, index: int) -> list[Because]:
    """The chain from the entry at index back to its root, newest first."""
    chain: list[Because] = []
    seen: set[int] = set()
    place: int | None = index
    while place is not None and place not in seen and len(chain) < CHAIN_MAX:
        seen.add(place)
        entry = recording.entries[place]
        chain.append(because(place, entry))
        cause = None if entry.trigger.startswith(TIMER) else entry.cause
        place = recording.index_of(cause) if cause is not None else _asked_end(recording, place, entry)
    return chain


def _asked_end(recording: Recording, place: int, entry: Entry) -> int | None:
    """The fault that ended a process, asked for just before: the lab does not name it as the cause."""
    event = entry.event
    if not (isinstance(event, ProcessExited) and event.expected):
        return None
    first = max(0, place - ENDED_WITHIN)
    for index, before in reversed(list(enumerate(recording.entries[first:place], start=first))):
        asked = before.event
        if isinstance(asked, FaultInjected) and asked.kind in ENDING and event.node_id in asked.nodes:
            return index
    return None


def because(index: int, entry: Entry) -> Because:
    """One link, without its causes."""
    link = Because(index, entry, f"{who(entry)} {describe(entry)}", tone(entry))
    decision = entry.decision
    if decision is not None:
        answer = "yes" if decision.granted else "no"
        link.rule = f"{safe_text(decision.rule, 60)}: {answer}, {safe_text(decision.reason, 160)}"
        link.numbers = tuple(
            f"{safe_text(str(name), 40)} = {safe_text(str(value), 80)}" for name, value in decision.numbers.items()
        )
        link.source = safe_text(decision.source, 120)
    return link


def root(recording: Recording, chain: Sequence[Because]) -> str:
    """What set the chain off, in words."""
    if not chain:
        return ""
    last = chain[-1].entry
    trigger = safe_text(last.trigger, 80)
    kind, _, rest = trigger.partition(" ")
    if kind == "timer":
        return f"a timer ran out: {rest}{_broken(recording, chain)}"
    if kind == "connection":
        return trigger + _broken(recording, chain)
    if last.cause is not None:
        return "an event that this recording does not hold" if len(chain) < CHAIN_MAX else "further back"
    if kind == "command" and rest:
        return f"a command {rest}"
    return ROOTS.get(trigger, trigger) or "the start of the run"


def _broken(recording: Recording, chain: Sequence[Because]) -> str:
    """Faults in force at the root; where a silence was measured, those of it, the silent node's if it has any."""
    measured = (reason_of(link.entry) for link in reversed(chain))
    t_ns, reason = chain[-1].entry.t_ns, next((item for item in measured if item.silent_ms), Reason())
    faults = recording.timeline.faults_in(t_ns - reason.silent_ms * 1_000_000, t_ns)
    faults = [span for span in faults if reason.node in span.nodes] or faults
    spans = []
    for span in faults[-FAULTS_MAX:]:
        end = f" to {recording.seconds(span.end_ns):.3f}s" if span.end_ns <= t_ns else ""
        spans.append(f"{span.text} ({recording.seconds(span.begin_ns):.3f}s{end})")
    when = "in force meanwhile" if reason.silent_ms else "in force then"
    return f"; {when}: {', '.join(spans)}" if spans else ""
