"""Why an event happened: one sentence, the few steps from the cause to it, and the whole chain as the proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.faults.grammar import FAULTS
from cluster.model.events import (
    FaultApplied,
    FaultInjected,
    ProcessExited,
    TimerSet,
    controller,
    quorum,
    replica,
)
from workbench.session.recording import Recording
from workbench.session.story.deeds import BY_YOU
from workbench.session.story.incident import Incident
from workbench.session.why import Because, explain
from workbench.support.safe_text import safe_text
from workbench.telling.reasons import TIMER, fact_of, reason_of, timer_of, trigger_words
from workbench.telling.tell import subject, telling_of, who
from workbench.telling.template import fill, worded
from workbench.telling.words import node_name

YOU = -1
"""Lane of what came from outside: you, or the script."""
HOPS_MAX = 6
TIMER_WITHIN = 5000
"""Entries before an event among which the start of its timer is looked for."""
PROGRESS: tuple[type, ...] = (
    quorum.MetadataHighWatermarkAdvanced,
    quorum.MetadataAppended,
    replica.HighWatermarkAdvanced,
    replica.FollowerProgress,
    replica.ReplicaAppended,
)
"""Events by which something came true that others had decided."""


class Hop(NamedTuple):
    """One step of the way."""

    place: int
    """Of its entry in the recording."""
    t_ns: int
    lane: int
    """The node that it is about, or YOU."""
    text: str


class Explanation(NamedTuple):
    """All that is said of one event."""

    question: str
    sentence: str
    hops: tuple[Hop, ...] = ()
    """From the cause to the event."""
    chain: tuple[Because, ...] = ()
    """The event first, then its causes."""


def explanation(recording: Recording, index: int) -> Explanation:
    """Why the entry at index happened."""
    chain = explain(recording, index)
    incident = _incident(recording, chain)
    since = incident.place if incident is not None else -1
    steps = [link for link in chain if link.index > since] or chain[:1]
    question = _question(recording, chain[0])
    return Explanation(question, _sentence(recording, steps, incident), _hops(recording, steps, incident), tuple(chain))


def _question(recording: Recording, link: Because) -> str:
    """What is asked, in words of the story where it tells of the event."""
    asked = worded(telling_of(link.entry).question, link.entry.event, {"who": who(link.entry)})
    moments = recording.story.moments if not asked else ()
    return asked or f"Why: {next((item.text for item in moments if item.place == link.index), fact_of(link.entry))}"


def _timed_out(recording: Recording, link: Because) -> str:
    """What it means that the timer ran out that was the trigger of an event, and for how long that ran.

    That is its length: that it began anew with the same one, as with each fetch, is told now and then only. 0 where
    the trace does not tell of it.
    """
    (timer, meaning), place, waited_ms = timer_of(link.entry.trigger), link.index, 0
    for entry in reversed(recording.entries[max(0, place - TIMER_WITHIN) : place] if timer else ()):
        if isinstance(entry.event, TimerSet) and entry.node == link.entry.node and entry.event.timer == timer:
            waited_ms = entry.event.length_ms
            break
    return fill(meaning, None, {"waited_ms": waited_ms})


def _sentence(recording: Recording, chain: Sequence[Because], incident: Incident | None) -> str:
    """The begin, the fault, and what decided."""
    event, asked = chain[0].entry.event, chain[-1].entry.event
    if isinstance(asked, FaultInjected) and isinstance(event, FaultInjected | FaultApplied | ProcessExited):
        return f"Because {_told_by(chain[-1:])}: {safe_text(asked.command)}."
    reasons = [(link, reason) for link in chain if (reason := reason_of(link.entry)).text]
    begin = next(((link, reason.text) for link, reason in reversed(reasons) if reason.silent_ms), None)
    if begin is None and chain[-1].entry.trigger.startswith(TIMER):
        begin = chain[-1], _timed_out(recording, chain[-1])
    passed = PROGRESS
    if any(isinstance(link.entry.event, replica.IsrProposed) for link in chain):
        passed = *PROGRESS, controller.PartitionDecided  # it decided what was proposed
    near = next(((link, why.text) for link, why in reasons if not isinstance(link.entry.event, passed)), None)
    near = near or (None if not reasons else (reasons[0][0], reasons[0][1].text))
    after = f", after {_lowered(incident.head.said[0].text)}" if incident is not None else ""
    if begin is None and near is None:
        return f"Because {_told_by(chain)}{after}."
    if begin is None or near is None or near[1] == begin[1]:
        return f"Because {_about(*(begin or near or (chain[-1], '')))}{after}."
    return f"Because {_about(*begin)}{after}; and {_about(*near)}."


def _about(link: Because, reason: str) -> str:
    """With the name of whom it is about in place of a bare `it`."""
    name = who(link.entry)
    return f"{name} {reason[3:]}" if reason.startswith("it ") else reason


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _told_by(chain: Sequence[Because]) -> str:
    """Of an event that nothing decided: what it followed from."""
    if len(chain) > 1:
        return fact_of(chain[1].entry)
    trigger = chain[-1].entry.trigger
    kind, _, rest = trigger.partition(" ")
    if kind == "command":
        by = trigger.removeprefix(BY_YOU)
        return "the script asked for it" if by == "script" else "you asked for it"
    if kind == "timer":
        return fill(timer_of(trigger)[1], None, {"waited_ms": 0})
    if kind == "connection":
        return "a Kafka client asked for it"
    if trigger == "lab":
        return "the lab did it"
    if trigger in ("start", ""):
        return f"{who(chain[-1].entry)} started, or was there already when the recording began"
    return f"there came: {trigger_words(trigger)}" if rest else f"of its {trigger_words(trigger)}"


def _incident(recording: Recording, chain: Sequence[Because]) -> Incident | None:
    """The deed that the event belongs to: that of the story, else the newest about a node that was not heard."""
    places = {link.index for link in chain}
    index, t_ns = chain[0].index, chain[0].entry.t_ns
    for incident in reversed(recording.story.incidents):
        if incident.place >= index or incident.kind not in (*FAULTS, "back"):
            continue
        if any(wording.place in places for line in incident.steps for wording in line.said):
            return incident
    silent = {reason_of(link.entry).node for link in chain}
    for incident in reversed(recording.story.incidents):
        is_earlier = incident.kind in FAULTS and incident.place < index
        if is_earlier and incident.nodes & silent and not _ended_before(incident, t_ns):
            return incident
    return None


def _ended_before(incident: Incident, t_ns: int) -> bool:
    """Whether all that it led to was over by then."""
    return incident.is_over and incident.settled[-1].t_ns < t_ns


def _hops(recording: Recording, chain: Sequence[Because], incident: Incident | None) -> tuple[Hop, ...]:
    """The fault, where the chain goes from node to node or something was decided, and the event."""
    hops: list[Hop] = []
    if incident is not None:
        entry = recording.entries[incident.place]
        event = entry.event
        text = event.command if isinstance(event, FaultInjected) else incident.head.said[0].text
        hops.append(Hop(incident.place, entry.t_ns, YOU, safe_text(text)))
    links = list(reversed(chain))
    for place, link in enumerate(links):
        lane = YOU if isinstance(link.entry.event, FaultInjected) else subject(link.entry)
        is_last = place == len(links) - 1
        is_decided = link.entry.decision is not None and not isinstance(link.entry.event, PROGRESS)
        if is_last or is_decided or not hops or hops[-1].lane != lane:
            event, text = link.entry.event, fact_of(link.entry).removeprefix(node_name(lane)).strip()
            text = safe_text(event.command) if isinstance(event, FaultInjected) else text
            hops.append(Hop(link.index, link.entry.t_ns, lane, text))
    while len(hops) > HOPS_MAX:
        decided = {link.index for link in chain if link.entry.decision is not None}
        middle = range(1, len(hops) - 1)
        del hops[next((at for at in middle if hops[at].place not in decided), len(hops) // 2)]
    return tuple(hops)
