"""The sequence chart: votes, and the messages by which a follower learns to cut its log, as rows between nodes."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import lab, quorum, replica
from cluster.model.identifiers import NodeId
from cluster.picture.cluster_state import ClusterState
from workbench.telling.tell import TELLINGS, telling_of
from workbench.telling.telling import INFO
from workbench.telling.template import worded

ROWS_MAX = 80
EPOCH_ERRORS = (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.UNKNOWN_LEADER_EPOCH)
CHARTED = frozenset(kind for kind, telling in TELLINGS.items() if telling.row is not None)
"""Kinds of events that may have rows."""


class SequenceRow(NamedTuple):
    """One line of the vote sequence chart."""

    t_ns: int
    source: NodeId
    target: NodeId
    """Same as source for something a node does alone."""
    text: str
    tone: str
    """good, bad, warn, info."""
    few: tuple[str, ...] = ()
    """The same in ever fewer letters."""


def rows_of(entry: Entry, before: ClusterState, shown: list[SequenceRow]) -> list[SequenceRow]:
    """What an entry adds to the chart. before: the cluster without it."""
    node, event, telling = entry.node, entry.event, telling_of(entry)
    assert telling.row is not None, "only what is charted comes here"
    target = getattr(event, telling.row.to) if telling.row.to else node
    text, *few = (worded(words, event) for words in (telling.row.text, *telling.row.few))
    tone = telling.row.tone or telling.tone
    row = SequenceRow(entry.t_ns, node, target, text, tone, tuple(filter(None, few)))
    match event:
        case quorum.RoleChanged() if event.role == "leader" or before.node(node).quorum_role != "leader":
            return []
        case lab.MessagePlucked():
            return [row._replace(source=event.source)]
        case quorum.VoteGranted() if node == target:
            return []
        case quorum.MetadataDiverged() | replica.ReplicaDiverged():
            place = f"{event.fetch_offset}@e{event.last_fetched_epoch}"
            return [SequenceRow(entry.t_ns, target, node, f"fetch {place}", INFO, (place,)), row]
        case replica.FetchRefused() if event.error not in EPOCH_ERRORS or target <= 0:
            return []
        case replica.FetchRefused():  # however often it asks
            return [row] if all(other[1:4] != row[1:4] for other in shown[-len(before.nodes) :]) else []
        case _:
            return [row]
