"""What is told of an entry: by all tellings, one for each kind of event of the catalogue."""

from __future__ import annotations

from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import CoordinatorLoaded
from cluster.model.events.load import CLIENT as LOAD_CLIENT
from cluster.model.identifiers import FIRST_CLIENT_ID, INTERNAL_TOPICS, SCRIPT_ID
from workbench.support.safe_text import safe_text
from workbench.telling import (
    clients,
    controller,
    groups,
    lab,
    network,
    quorum,
    replication,
    snapshots,
    storage,
    transactions,
    zookeeper,
)
from workbench.telling.telling import BAD, DIM, GOOD, INFO, Telling
from workbench.telling.template import worded
from workbench.telling.words import node_name, with_node_names

MACHINES = (
    clients, controller, groups, lab, network, quorum, replication, snapshots, storage, transactions, zookeeper,
)  # fmt: skip
TELLINGS: dict[type, Telling] = {kind: telling for machine in MACHINES for kind, telling in machine.TELLINGS.items()}
UNKNOWN = Telling(DIM, "{name}")
"""Of an event of a newer version."""
UNPRINTED = frozenset(kind for kind, telling in TELLINGS.items() if telling.printed is False)
"""Most of what happens: asked of every event."""


def telling_of(entry: Entry) -> Telling:
    """How the event of an entry is told."""
    return TELLINGS.get(type(entry.event), UNKNOWN)


def sentence(event: Any) -> str:
    """What an event says, with nothing in it that a terminal would obey."""
    return with_node_names(safe_text(worded(TELLINGS.get(type(event), UNKNOWN).sentence, event)))


def describe(entry: Entry) -> str:
    """The sentence of one entry, without its node and time."""
    return sentence(entry.event)


def tone(entry: Entry) -> str:
    """good, bad, warn, info or dim: dim events are the steady background."""
    event, look = entry.event, telling_of(entry).tone
    if getattr(event, "topic", "") in INTERNAL_TOPICS and look in (INFO, GOOD):
        return DIM  # fifty partitions that nobody asked for would drown what somebody did
    if look in (INFO, GOOD) and str(getattr(event, "client_id", "")).startswith(LOAD_CLIENT):
        return DIM  # two records a second are the background; what fails is not
    is_idle = isinstance(event, CoordinatorLoaded) and not (event.groups or event.offsets)
    return DIM if is_idle else BAD if getattr(event, "unclean", False) else look


def subject(entry: Entry) -> int:
    """The node an entry is about: the named node for lab events, else the writer."""
    return getattr(entry.event, "node_id", entry.node) if entry.node == 0 else entry.node


def who(entry: Entry) -> str:
    """Whose doing an entry tells; a client's sentence names it already."""
    node_id = subject(entry)
    return "client" if node_id >= FIRST_CLIENT_ID and node_id != SCRIPT_ID else node_name(node_id)


def printed_line(entry: Entry) -> tuple[str, str] | None:
    """In the protocol of a script: who it is about, and its sentence; None for the steady background."""
    if type(entry.event) in UNPRINTED:
        return None
    printed = telling_of(entry).printed
    is_printed = printed if isinstance(printed, bool) else printed(entry.event, entry)
    return (who(entry), describe(entry)) if is_printed else None
