"""The rules of a partition that a majority of its replicas commits: what is committed, and who counts for it."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model.identifiers import Epoch, NodeId, Offset
from cluster.model.ruling import Numbers, Ruling, rule


@rule(source="Viewstamped Replication Revisited 4.1; Raft paper 5.3")
def commit_by_majority(
    high_watermark: Offset, log_end_offsets: Sequence[tuple[NodeId, Offset]], replica_count: int
) -> Ruling[Offset]:
    """A record is committed once a majority of all replicas has it, the leader among them or not; nobody is waited for.

    The value is the new high watermark (exclusive), or the old one where it stands still: it never falls.

    Args:
        log_end_offsets: of each replica that counts in this leader epoch; the others count as having nothing.
        replica_count: of all replicas, dead or alive.
    """
    needed = replica_count // 2 + 1
    reached = sorted((offset for _, offset in log_end_offsets), reverse=True)
    if len(reached) < needed:
        return Ruling(high_watermark, False, "fewer than a majority count in this leader epoch")
    candidate = reached[needed - 1]
    if candidate <= high_watermark:
        return Ruling(high_watermark, False, "a majority has no more yet")
    numbers: Numbers = {f"log_end_offset of {node}": offset for node, offset in log_end_offsets}
    numbers |= {"high_watermark": high_watermark, "replicas": replica_count, "majority": needed}
    return Ruling(candidate, True, "a majority of the replicas has it", numbers)


@rule(source="Viewstamped Replication Revisited 4.2")
def adopt_epoch(
    adopted_epoch: Epoch, leader_epoch: Epoch, log_end_offset: Offset, epoch_start_offset: Offset
) -> Ruling[Epoch]:
    """A replica counts in a leader's epoch once it holds all that the epoch began with, and has written it down.

    Raft has the leader write a record of its own first, and counts from that on. Without either a record of an older
    leader could be on a majority and lose an election all the same (Raft paper, figure 8).

    Args:
        log_end_offset: own; what is flushed, where partitions are flushed before they count.
        epoch_start_offset: the leader's log end when its epoch began; -1 while it is not known.
    """
    numbers: Numbers = {
        "adopted_epoch": adopted_epoch,
        "leader_epoch": leader_epoch,
        "log_end_offset": log_end_offset,
        "epoch_start_offset": epoch_start_offset,
    }
    if adopted_epoch >= leader_epoch:
        return Ruling(adopted_epoch, False, "the epoch is written down already", numbers)
    if epoch_start_offset < 0 or log_end_offset < epoch_start_offset:
        return Ruling(adopted_epoch, False, "the log lacks some of what the epoch began with", numbers)
    return Ruling(leader_epoch, True, "the log holds all that the epoch began with", numbers)
