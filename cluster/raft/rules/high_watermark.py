"""The rules of what is committed in the metadata log: at its leader, and as far as a follower knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cluster.model.identifiers import NodeId, Offset
from cluster.model.ruling import Numbers, Ruling, rule


def majority_offset(log_end_offsets: Iterable[Offset]) -> Offset:
    """The largest offset that a majority of the voters has reached; -1 counts as unknown."""
    ordered = sorted(log_end_offsets, reverse=True)
    return ordered[len(ordered) // 2]


@rule(source="KIP-595, Raft paper 5.4.2", kafka="LeaderState.maybeUpdateHighWatermark")
def advance_high_watermark(
    log_end_offsets: Mapping[NodeId, Offset], epoch_start_offset: Offset, high_watermark: Offset
) -> Ruling[Offset]:
    """A record is committed once a majority of the voters has it, and one of the leader's own epoch with it.

    The value is the new high watermark (exclusive), or the old one where it stands still.
    """
    candidate = majority_offset(log_end_offsets.values())
    numbers: Numbers = {
        "majority offset": candidate,
        "epoch start": epoch_start_offset,
        "high watermark": high_watermark,
        "log ends": ", ".join(f"n{voter}:{offset}" for voter, offset in sorted(log_end_offsets.items())),
    }
    # A majority has it, and it is lost all the same (Raft paper, figure 8). Offsets, and the epochs that wrote them:
    #
    #     101   e1 e2 e4     leads e4; 103 has fetched its old record of e2 by now, not yet that of e4
    #     102   e1 e3        has led e3 meanwhile, alone
    #     103   e1 e2
    #
    # Were offset 1 committed and 101 died, 103 would vote for 102, since e3 is newer than e2, and would cut offset 1.
    # Once the record of e4 is on a majority nobody of that majority votes for 102. That is why a leader begins with a
    # record of its own (LeaderChange): without any, what is older would wait until somebody asks for a change.
    if candidate <= epoch_start_offset:
        reason = "no record of the leader's own epoch is on a majority yet"
        return Ruling(high_watermark, False, reason, numbers)
    if candidate <= high_watermark:
        return Ruling(high_watermark, False, "the majority offset has not moved", numbers)
    return Ruling(candidate, True, "a majority of voters holds it", numbers)


@rule(source="KIP-595", kafka="KafkaRaftClient.updateFollowerHighWatermark")
def follower_high_watermark(
    high_watermark: Offset, leader_high_watermark: Offset, log_end_offset: Offset
) -> Ruling[Offset]:
    """A follower's high watermark is the leader's as its last answer told it, but never past its own log end.

    So it lags one round behind: the leader learns from a fetch that records are committed, and tells with the next
    answer. It rises only.

    Args:
        log_end_offset: of the follower (exclusive), with what the answer brought.
    """
    candidate = min(leader_high_watermark, log_end_offset)
    if candidate <= high_watermark:
        return Ruling(high_watermark, False, "it knows of no more")
    numbers: Numbers = {
        "high watermark": high_watermark,
        "leader's high watermark": leader_high_watermark,
        "own log end": log_end_offset,
    }
    is_short = log_end_offset < leader_high_watermark
    reason = "all that it holds is committed" if is_short else "as far as the leader's answer tells"
    return Ruling(candidate, True, reason, numbers)
