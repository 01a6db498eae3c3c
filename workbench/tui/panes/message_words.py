"""What stands on a message in flight: a question ends in `?`, an answer says what it brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cluster.picture.flights import Flight
from workbench.telling.words import node_name

FLOW, ASK, YES, NO = "flow", "ask", "yes", "no"
CROSS, TICK = "\u2717", "\u2713"


class Label(NamedTuple):
    """Words for a message, long and short, and the role of its colour."""

    long: str
    short: str
    role: str


def label_of(flight: Flight) -> Label:
    """Of any kind of message; a kind without words of its own is called by its name."""
    made = LABELS.get(flight.message)
    return made(flight) if made is not None else _by_name(flight)


def _vote(flight: Flight) -> Label:
    if flight.number("pre_vote", 0) > 0:
        return Label("pre-vote?", "pre?", ASK)
    epoch = flight.number("epoch")
    return Label(f"vote e{epoch}?", f"e{epoch}?", ASK)


def _vote_answer(flight: Flight) -> Label:
    if flight.number("granted", 0) > 0:
        return Label("yes", "yes", YES)
    return Label(f"{CROSS} no", CROSS, NO)


def _begin(flight: Flight) -> Label:
    epoch = flight.number("epoch")
    return Label(f"I lead e{epoch}", f"e{epoch}", YES)


def _end(flight: Flight) -> Label:
    return Label(f"I leave e{flight.number('epoch')}", "leaves", ASK)


def _fetch(flight: Flight) -> Label:
    offset = flight.number("offset")
    return Label(f"fetch {offset}?", f"{offset}?", FLOW)


def _fetched(flight: Flight) -> Label:
    if flight.number("error", 0):
        return Label(f"{CROSS} refused", CROSS, NO)
    diverging, offset = flight.number("diverging_epoch"), flight.number("offset")
    if diverging >= 0:
        end = flight.number("diverging_end_offset")
        return Label(f"e{diverging} ends at {end}", f"ends {end}", NO)
    if offset < 0:
        return Label("nothing new", "\u00b7", FLOW)
    count = flight.number("records", 1)
    return Label(f"record {offset}" if count <= 1 else f"{count} records", str(offset), FLOW)


def _alive(flight: Flight) -> Label:
    return Label(f"{node_name(flight.source)} alive", "alive", FLOW)


def _heard(flight: Flight) -> Label:
    return Label("fenced", "fenced", NO) if flight.number("is_fenced", 0) > 0 else Label("heard", "ok", FLOW)


def _isr(flight: Flight) -> Label:
    members = [str(value) for name, value in flight.numbers if name == "isr"]
    return Label(f"ISR {' '.join(members)}?" if members else "ISR?", "ISR?", ASK)


def _isr_answer(flight: Flight) -> Label:
    if flight.number("error", 0):
        return Label(f"{CROSS} ISR refused", CROSS, NO)
    return Label("ISR changed", "ISR", YES)


def _produce(_flight: Flight) -> Label:
    return Label("record?", "rec?", FLOW)


def _produced(flight: Flight) -> Label:
    if flight.number("error", 0):
        return Label(f"{CROSS} refused", CROSS, NO)
    offset = flight.number("offset")
    return Label(f"{TICK} {offset}" if offset >= 0 else TICK, TICK, YES)


def _by_name(flight: Flight) -> Label:
    """The name without Request or Response."""
    word = flight.message.removesuffix("Request").removesuffix("Response")[:20]
    if flight.number("error", 0):
        return Label(f"{CROSS} {word}", CROSS, NO)
    return Label(word if flight.is_answer else f"{word}?", word[:6], FLOW)


def _fetch_together(flight: Flight) -> Label:
    """Never a bare number: that would read as an offset."""
    changed = flight.number("partitions", 0)
    if not flight.number("session_epoch", 0):
        return Label(f"fetch all {changed}?", "all?", FLOW)
    return Label(f"fetch {changed} changed?", "new?", FLOW) if changed else Label("fetch as before?", "same?", FLOW)


def _fetched_together(flight: Flight) -> Label:
    if flight.number("error", 0):
        return Label(f"{CROSS} session?", CROSS, NO)
    count = flight.number("partitions", 0)
    return Label(f"news of {count}", "news", FLOW) if count > 0 else Label("nothing new", "\u00b7", FLOW)


FETCHES = ("FetchRequest", "SessionFetchRequest")
"""Requests for records."""
LABELS: dict[str, Callable[[Flight], Label]] = {
    "VoteRequest": _vote,
    "VoteResponse": _vote_answer,
    "BeginQuorumEpochRequest": _begin,
    "EndQuorumEpochRequest": _end,
    "FetchRequest": _fetch,
    "FetchResponse": _fetched,
    "SessionFetchRequest": _fetch_together,
    "SessionFetchResponse": _fetched_together,
    "BrokerHeartbeatRequest": _alive,
    "BrokerHeartbeatResponse": _heard,
    "AlterPartitionRequest": _isr,
    "AlterPartitionResponse": _isr_answer,
    "ProduceRequest": _produce,
    "ProduceResponse": _produced,
}
"""Words of each kind that has its own."""
