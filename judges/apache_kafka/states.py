"""What is compared: the state of each partition and of the quorum at one moment, in any world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cluster.model.identifiers import NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState
from judges.apache_kafka.disks import INTERNAL

Answers = dict[str, str]
"""What each thing that is compared is, by its name."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The state before one step of a script."""

    after: str
    """The command that was carried out last, or what the script began with."""
    answers: Answers


def answers_of(
    state: ClusterState, *, quorum: bool, acknowledged: Mapping[tuple[TopicPartition, NodeId], int] | None = None
) -> Answers:
    """Of all partitions that the script made, and with `quorum` who votes and whether somebody leads.

    acknowledged: records, by partition and the leader that answered the producer.
    """
    found: Answers = {}
    for where, facts in sorted(state.partitions.items()):
        if where.topic.startswith(INTERNAL) or facts.partition_epoch < 0:
            continue
        found[f"leader of {where}"] = _node(facts.leader)
        found[f"leader epoch of {where}"] = str(facts.leader_epoch)
        found[f"partition epoch of {where}"] = str(facts.partition_epoch)
        found[f"ISR of {where}"] = _nodes(facts.isr)
        found[f"ELR of {where}"] = _nodes(facts.elr)
        for node in facts.replicas:
            log = state.log(node, where)
            found[f"log end of {where} on {node}"] = str(log.log_end_offset)
            if state.node(node).is_up:
                found[f"high watermark of {where} on {node}"] = str(max(0, log.high_watermark))
                found[f"epochs of {where} on {node}"] = _epochs(log.epochs)
    for (where, node), count in sorted((acknowledged or {}).items()):
        found[f"records of {where} that {node} acknowledged"] = str(count)
    if quorum:
        found["voters"] = _nodes(state.voters)
        found["the quorum has a leader"] = "no" if state.quorum_leader < 0 else "yes"
    return found


def _node(node: int) -> str:
    return "none" if node < 0 else str(node)


def _nodes(nodes: tuple[int, ...]) -> str:
    return ",".join(map(str, sorted(nodes))) or "none"


def _epochs(epochs: list[tuple[int, int]]) -> str:
    return " ".join(f"{epoch}@{start}" for epoch, start in epochs) or "empty"
