"""The rules of the high watermark: what is committed, who counts for it, and how a follower learns of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cluster.model.identifiers import NodeId, Offset
from cluster.model.ruling import Numbers, Ruling, rule
from cluster.replication.state import FollowerState


@rule(source="KIP-966", kafka="Partition.maybeIncrementLeaderHW")
def advance_high_watermark(
    high_watermark: Offset,
    log_end_offsets: Sequence[tuple[NodeId, Offset]],
    isr_size: int,
    min_insync_replicas: int,
    *,
    hw_gate: bool,
) -> Ruling[Offset]:
    """A record is committed once every replica that counts has it, and the ISR is not below its minimum.

    The value is the new high watermark (exclusive), or the old one where it stands still: it never falls.

    Args:
        log_end_offsets: own, and of each follower that counts.
        isr_size: of the committed ISR.
        hw_gate: stand still while the ISR is below min.insync.replicas (Kafka 3.7 and newer).
    """
    lowest = min([offset for _, offset in log_end_offsets])
    if lowest <= high_watermark:
        return Ruling(high_watermark, False, "a replica that counts has no more yet")
    # Else the leader alone goes on committing. With min.insync.replicas 2:
    #
    #     n1 leads   0 1 2 3 4    ISR {1}. It would commit 3 and 4, and consumers would read them
    #     n2         0 1 2        left the ISR with all that was committed then, so it is in the ELR
    #
    # n1 dies, n2 is elected from the ELR as a clean leader, and 3 and 4, which were read, are gone. With the gate the
    # high watermark stays at 3, so whoever left at the minimum still has all of it. Source: KIP-966.
    if hw_gate and isr_size < min_insync_replicas:
        return Ruling(high_watermark, False, "the ISR is below min.insync.replicas")
    numbers: Numbers = {f"log_end_offset of {node}": offset for node, offset in log_end_offsets}
    numbers |= {"high_watermark": high_watermark, "isr_size": isr_size, "min.insync.replicas": min_insync_replicas}
    return Ruling(lowest, True, "every replica that counts has it", numbers)


@rule(source="KIP-497", kafka="Partition.maybeIncrementLeaderHW")
def count_for_high_watermark(
    maximal_isr: Collection[NodeId],
    followers: Mapping[NodeId, FollowerState],
    leader_end: Offset,
    registered_broker_epochs: Mapping[NodeId, int],
    now_ms: int,
    lag_time_max_ms: int,
) -> Ruling[list[tuple[NodeId, Offset]]]:
    """The ISR counts, with those about to join it, and so does a follower that has caught up and may join.

    Else a leader that is alone in its ISR would run away from those that come back. The value names each follower that
    counts with its log end offset (exclusive); the evidence is that of `advance_high_watermark`.

    Args:
        maximal_isr: the committed ISR, and who was proposed to join it.
        registered_broker_epochs: of brokers that are in service.
        lag_time_max_ms: a follower that was caught up no longer ago counts as caught up; one that never was does not.
    """
    counted: list[tuple[NodeId, Offset]] = []
    for node, follower in followers.items():
        end_offset = follower.log_end_offset
        # Who has caught up is waited for before it is in the ISR. A leader alone in its ISR would commit all that it
        # writes at once, while a follower's fetch is always from a little before:
        #
        #     writes 5 6, high watermark 7    n2 fetches from 5: below 7, so it may not join
        #     writes 7 8, high watermark 9    n2 fetches from 7: below 9, so it may not join, and so on
        #
        # As long as somebody produces, n2 would never get in. Waiting for one more is always safe. Source: the comment
        # on Partition.maybeIncrementLeaderHW.
        if node in maximal_isr or (
            (end_offset == leader_end or 0 < follower.last_caught_up_ms >= now_ms - lag_time_max_ms)
            and node in registered_broker_epochs
            and follower.broker_epoch in (-1, registered_broker_epochs[node])
        ):
            counted.append((node, end_offset if end_offset > 0 else 0))
    return Ruling(counted, True, "in the maximal ISR, or caught up and in service")


@rule(kafka="UnifiedLog.maybeUpdateHighWatermark")
def follower_high_watermark(
    high_watermark: Offset, leader_high_watermark: Offset, log_end_offset: Offset
) -> Ruling[Offset]:
    """A follower's high watermark is the leader's as its last answer told it, but never past its own log end.

    So it lags one round behind: the leader learns from a fetch that records are committed, and tells with the next
    answer. It rises only; a cut is what lowers it. Kafka's follower also takes over a lower one, of a new leader that
    has not heard of all that is committed yet.

    Args:
        log_end_offset: of the follower (exclusive), with what the answer brought.
    """
    candidate = min(log_end_offset, leader_high_watermark)
    if candidate <= high_watermark:
        return Ruling(high_watermark, False, "it knows of no more")
    numbers: Numbers = {
        "high_watermark": high_watermark,
        "leader_high_watermark": leader_high_watermark,
        "own_log_end_offset": log_end_offset,
    }
    is_short = log_end_offset < leader_high_watermark
    reason = "all that it holds is committed" if is_short else "as far as the leader's answer tells"
    return Ruling(candidate, True, reason, numbers)
