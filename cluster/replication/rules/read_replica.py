"""The rules of consumers that read from followers. Source: KIP-392."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.ruling import Numbers, Ruling, rule


class ReadReplica(NamedTuple):
    """A follower as its leader knows it."""

    node: NodeId
    rack: str
    log_start_offset: Offset
    """As its last fetch said (inclusive)."""
    log_end_offset: Offset
    """As its last fetch said (exclusive)."""
    caught_up_ms_ago: int
    """Since it last had all that the leader had."""


@rule(source="KIP-392", kafka="ReplicaManager.findPreferredReadReplica, RackAwareReplicaSelector.select")
def select_read_replica(
    rack: str, leader_rack: str, followers: Sequence[ReadReplica], fetch_offset: Offset
) -> Ruling[NodeId]:
    """A consumer reads in its own rack: from the leader if it stands there, else from the follower with the most.

    Of several with equally much the one that was caught up last, then the one with the largest number. The value is -1
    when the leader itself is to be read from.

    Args:
        rack: of the consumer; empty for none.
        followers: in the committed ISR and in service. One out of the ISR may fall ever further behind, and a consumer
            with it.
        fetch_offset: what the consumer reads next; only who holds it, or ends there, can serve it.
    """
    numbers: Numbers = {"rack": rack, "leader_rack": leader_rack, "fetch_offset": fetch_offset}
    if not rack or rack == leader_rack:
        reason = "the leader stands in the consumer's rack" if rack else "the consumer names no rack"
        return Ruling(NO_NODE, False, reason, numbers)
    able = [
        (each.log_end_offset, -each.caught_up_ms_ago, each.node)
        for each in followers
        if each.rack == rack and each.log_start_offset <= fetch_offset <= each.log_end_offset
    ]
    if not able:
        return Ruling(NO_NODE, False, "no in-sync replica in the consumer's rack holds the offset", numbers)
    end_offset, _, node = max(able)
    numbers |= {"its_log_end_offset": end_offset}
    return Ruling(node, True, "it stands in the consumer's rack and holds the offset", numbers)
