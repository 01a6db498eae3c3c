"""The sequence chart: votes, and the messages by which a follower learns to cut its log, as rows between nodes."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import quorum, replica
from cluster.model.identifiers import NodeId
from cluster.picture.cluster_state import ClusterState
from workbench.session.describe.sentences import error_name
from workbench.support.safe_text import safe_text

ROWS_MAX = 80
EPOCH_ERRORS = (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.UNKNOWN_LEADER_EPOCH)


class SequenceRow(NamedTuple):
    """One line of the vote sequence chart."""

    t_ns: int
    source: NodeId
    target: NodeId
    """Same as source for something a node does alone."""
    text: str
    tone: str
    """good, bad, warn, info."""


def rows_of(entry: Entry, before: ClusterState, shown: list[SequenceRow]) -> list[SequenceRow]:
    """What an entry adds to the chart. before: the cluster without it."""
    node, event = entry.node, entry.event

    def row(source: NodeId, target: NodeId, text: str, tone: str) -> list[SequenceRow]:
        return [SequenceRow(entry.t_ns, source, target, text, tone)]

    match event:
        case quorum.RoleChanged() if event.role != "leader" and before.node(node).quorum_role == "leader":
            return row(node, node, f"{safe_text(event.role, 20)} e{event.epoch}", "warn")
        case quorum.ElectionStarted():
            return row(node, node, f"\u25d4 {'pre-vote?' if event.pre_vote else 'vote?'} e{event.epoch}", "warn")
        case quorum.VoteGranted() if node != event.candidate_id:
            return row(node, event.candidate_id, "pre-yes" if event.pre_vote else "granted", "good")
        case quorum.VoteRejected():
            return row(node, event.candidate_id, f"no: {safe_text(event.why, 60).removeprefix('already ')}", "bad")
        case quorum.LeaderElected():
            return row(node, node, f"\u2605 leads e{event.epoch}", "good")
        case quorum.MetadataTruncated() | replica.ReplicaTruncated():
            return row(node, node, f"\u2702 {event.old_end_offset}\u2192{event.end_offset}", "bad")
        case quorum.MetadataDiverged() | replica.ReplicaDiverged():
            asked = f"fetch {event.fetch_offset}@e{event.last_fetched_epoch}"
            ends = f"e{event.diverging_epoch} ends {event.diverging_end_offset}"
            return [*row(event.replica_id, node, asked, "info"), *row(node, event.replica_id, ends, "warn")]
        case replica.FetchRefused() if event.error in EPOCH_ERRORS and event.replica_id > 0:
            told = node, event.replica_id, error_name(event.error)
            is_new = all(other[1:4] != told for other in shown[-len(before.nodes) :])  # however often it asks
            return row(*told, "bad") if is_new else []
        case _:
            return []


CHARTED = frozenset(
    (
        quorum.RoleChanged,
        quorum.ElectionStarted,
        quorum.VoteGranted,
        quorum.VoteRejected,
        quorum.LeaderElected,
        quorum.MetadataTruncated,
        quorum.MetadataDiverged,
        replica.ReplicaTruncated,
        replica.ReplicaDiverged,
        replica.FetchRefused,
    )
)
"""Kinds of events that may have rows."""
