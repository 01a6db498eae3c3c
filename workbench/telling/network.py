"""What a message says, in the few words that fit beside its arrow, and the sentences of what was seen of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from cluster.model.events import MessageSeen, TrafficSeen
from cluster.model.events.network import DELIVERED, HELD, LEFT, LOST
from workbench.support.safe_text import safe_text
from workbench.telling.telling import DIM, Telling
from workbench.telling.words import error_name, message_words, node_name, plural

Numbers = Mapping[str, int]


def label(message: str, numbers: Numbers) -> str:
    """A message in a few words. One that ends in ? is a question."""
    error = numbers.get("error", 0)
    if error:
        return error_name(error).lower().replace("_", " ")
    words = _LABELS.get(message)
    if words is not None:
        return words(numbers)
    kind = message_words(message.removesuffix("Request").removesuffix("Response"))
    return safe_text(kind, 40) + "?" * (not message.endswith("Response"))


def quoted(message: str, numbers: Iterable[tuple[str, int]]) -> str:
    """The same within a sentence; a kind whose numbers are not all there is called by its name."""
    try:
        said = label(message, dict(numbers))
    except KeyError:
        said = message_words(safe_text(message, 40))
    return said if said in ("yes", "no") else f'"{said}"'


def _vote(n: Numbers) -> str:
    return f"pre-vote e{n['epoch']}?" if n.get("pre_vote") else f"vote e{n['epoch']}?"


def _fetched(n: Numbers) -> str:
    if "diverging_epoch" in n:
        return f"e{n['diverging_epoch']} ends at {n['diverging_end_offset']}"
    if "offset" not in n:
        return "nothing new"
    records = n.get("records", 0)
    if records > 1:
        return f"records {n['offset']} to {n['offset'] + records - 1}"
    return f"record {n['offset']}" if records else f"records from {n['offset']}"


def _fetch_together(n: Numbers) -> str:
    changed = n.get("partitions", 0)
    if not n.get("session_epoch"):
        return f"fetch all, {changed}?"
    return f"fetch, {changed} changed?" if changed else "fetch as before?"


_LABELS: dict[str, Callable[[Numbers], str]] = {
    "VoteRequest": _vote,
    "VoteResponse": lambda n: "yes" if n.get("granted") else "no",
    "BeginQuorumEpochRequest": lambda n: f"I lead e{n['epoch']}",
    "BeginQuorumEpochResponse": lambda n: f"ok, e{n['epoch']}",
    "EndQuorumEpochRequest": lambda n: f"e{n['epoch']} ends",
    "EndQuorumEpochResponse": lambda n: f"ok, e{n['epoch']}",
    "FetchRequest": lambda n: f"fetch {n['offset']}?",
    "FetchResponse": _fetched,
    "SessionFetchRequest": _fetch_together,
    "SessionFetchResponse": lambda n: f"news of {n['partitions']}" if n.get("partitions") else "nothing new",
    "BrokerHeartbeatRequest": lambda _: "alive",
    "BrokerHeartbeatResponse": lambda n: "fenced" if n.get("is_fenced") else "ok",
    "AlterPartitionRequest": lambda _: "other ISR?",
    "AlterPartitionResponse": lambda _: "ISR changed",
}


def _message(event: MessageSeen) -> str:
    """What became of one message."""
    name = safe_text(event.message, 40)
    try:
        what = label(event.message, dict(event.numbers))
    except KeyError:
        what = name
    way = f"{node_name(event.source)}>{node_name(event.target)}"
    why = f": {safe_text(event.why, 60)}" if event.why else ""
    match event.fate:
        case fate if fate == LEFT:
            return f"{name} ({what}) left {way}"
        case fate if fate == HELD:
            return f"{name} ({what}) is held {way}{why}"
        case fate if fate == DELIVERED:
            return f"{name} ({what}) came {way} {_took(event)}"
        case fate if fate == LOST:
            return f"{name} ({what}) was lost {way}{why}"
        case _:
            return f"{name} ({what}) {way} got no answer{why}"


def _took(event: MessageSeen) -> str:
    return f"in {(event.ended_ns - event.left_ns) / 1e6:.3f} ms" if event.left_ns else "at an unknown pace"


def _traffic(event: TrafficSeen) -> str:
    """How many messages a node heard, and of whom."""
    heard: dict[int, int] = {}
    for source, _, count, *_ in event.heard:
        heard[source] = heard.get(source, 0) + count
    of = ", ".join(f"{count} from n{source}" for source, count in sorted(heard.items()))
    sentence = f"heard {plural(sum(heard.values()), 'message')} in {(event.until_ns - event.since_ns) / 1e9:.2f} s"
    held = sum(count for _, _, count, _ in event.held)
    return f"{sentence}{': ' if of else ''}{of}" + (f"; {plural(held, 'message')} held" if held else "")


TELLINGS: dict[type, Telling] = {
    MessageSeen: Telling(DIM, _message),
    TrafficSeen: Telling(DIM, _traffic),
}
"""Observations are never notable: what they show has events of its own."""
