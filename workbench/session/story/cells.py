"""What of the screen a headline speaks of: which pane, whose rows, which log and offsets, which exchange."""

from __future__ import annotations

from typing import Any, NamedTuple

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NodeId, Offset, TopicPartition

MAP, CLOSEUP, LOGS = "map", "quorum", "logs"
"""Panes, as the layout names them."""
VOTES, CUT = "votes", "cut"
"""Exchanges that the close-up shows."""
OF_VOTES = (ev.ElectionStarted, ev.VoteGranted, ev.VoteRejected, ev.VoteReceived, ev.LeaderElected, ev.RoleChanged)
OF_PARTITIONS = (ev.ReplicaLagging, ev.ProduceRefused)
"""What goes wrong with a partition that people look at; one that is made or moved does not take their place."""
OF_LINKS = (ev.FaultInjected, ev.FaultApplied, ev.FaultReverted)


class Cells(NamedTuple):
    """Where to look while a headline is on top. All follows from the event that it tells."""

    pane: str = MAP
    nodes: tuple[NodeId, ...] = ()
    """Whose boxes or rows."""
    log: TopicPartition | None = None
    """None when it speaks of no log."""
    first: Offset = 0
    end: Offset = 0
    """Offsets of that log, the end exclusive; both the same for none in particular."""
    exchange: str = ""
    """votes, cut, or empty for none."""


def cells_of(entry: Entry) -> Cells:
    """Of the headline that an event leads to."""
    event: Any = entry.event
    log = _log_of(event)
    match event:
        case ev.MetadataTruncated() | ev.ReplicaTruncated():
            return Cells(LOGS, (entry.node,), log or METADATA, event.end_offset, event.old_end_offset, CUT)
        case _ if isinstance(event, OF_VOTES):
            return Cells(CLOSEUP, _voters(entry.node, event), exchange=VOTES)
        case ev.MessagePlucked():
            exchange = VOTES if event.message.startswith("Vote") else ""
            return Cells(CLOSEUP if exchange else MAP, (event.source, event.target), log, exchange=exchange)
        case _ if isinstance(event, OF_LINKS):
            return Cells(MAP, event.nodes or tuple(sorted({node for way in event.links for node in way if node > 0})))
        case _ if isinstance(event, OF_PARTITIONS):
            return Cells(LOGS, (entry.node,), log)
        case _:
            return Cells(MAP, (getattr(event, "node_id", getattr(event, "broker_id", entry.node)),))


def _voters(node: NodeId, event: Any) -> tuple[NodeId, ...]:
    other = getattr(event, "candidate_id", getattr(event, "voter_id", node))
    return (node,) if other == node else (node, other)


def _log_of(event: Any) -> TopicPartition | None:
    topic, partition = getattr(event, "topic", None), getattr(event, "partition", None)
    if not isinstance(topic, str) or not isinstance(partition, int) or partition < 0:
        return None
    return TopicPartition(topic, partition)
