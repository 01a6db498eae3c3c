"""Why an event happened, as one clause for people, and what was measured of it."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, NodeId
from workbench.support.safe_text import safe_text
from workbench.telling.tell import describe, telling_of, who
from workbench.telling.template import fill
from workbench.telling.words import message_words, with_node_names

TIMER = "timer "
TIMERS = {
    "quorum.fetch": (
        "fetch",
        "it had heard nothing from the leader of the quorum for {waited_ms:{} ms, /}longer than it waits",
    ),
    "quorum.election": ("election", "it had waited {waited_ms:{} ms, /}long enough to ask for votes"),
    "quorum.check": ("check_quorum", "too few voters had fetched from it {waited_ms:within {} ms/in time}"),
    "controller.session_check": ("", "the controller looks at the sessions of brokers now and then"),
    "isr": ("", "the leader looks at its followers now and then"),
}
"""By the begin of a timer's name: as which the trace tells of its start, and what has happened when it runs out."""
OTHER_TIMER = "", "it had waited as long as it waits"
FACT_MAX = 160


class Reason(NamedTuple):
    """Why, in words, and the silence that its rule measured."""

    text: str = ""
    silent_ms: int = 0
    """For how long somebody was not heard; 0 where no silence was measured."""
    node: NodeId = NO_NODE
    """Who was not heard."""


def reason_of(entry: Entry) -> Reason:
    """Why it happened, as far as the event and its decision tell; empty when they tell nothing."""
    event, decision, telling = entry.event, entry.decision, telling_of(entry)
    numbers = {name: value for name, value in decision.numbers.items() if not _is_unknown(value)} if decision else {}
    text = decision.reason if decision is not None else ""
    for words in telling.reasons:
        try:
            text = (fill(words, event, numbers) if isinstance(words, str) else words(event, numbers)) or text
            break
        except KeyError:
            continue
    text = with_node_names(safe_text(text, FACT_MAX))
    silent_ms, node = (numbers.get(name) for name in telling.silence)
    return Reason(text, silent_ms, node) if isinstance(silent_ms, int) and isinstance(node, int) else Reason(text)


def _is_unknown(value: object) -> bool:
    return isinstance(value, int) and value < 0


def timer_of(trigger: str) -> tuple[str, str]:
    """Of the timer that ran out: as which the trace tells of its start, and what that means."""
    name = trigger.removeprefix(TIMER)
    return next((timer for begin, timer in TIMERS.items() if name.startswith(begin)), OTHER_TIMER)


def fact_of(entry: Entry) -> str:
    """Who, and what; what the lab sees happens by itself."""
    name = who(entry)
    return safe_text(describe(entry) if name == "lab" else f"{name} {describe(entry)}", FACT_MAX)


def trigger_words(trigger: str) -> str:
    """What came, as `fetch response from n2`."""
    message, came_from, node = trigger.partition(" from ")
    sender = f"node {node}" if node.isdigit() else node
    return with_node_names(safe_text(f"{message_words(message)}{came_from}{sender}", FACT_MAX))
