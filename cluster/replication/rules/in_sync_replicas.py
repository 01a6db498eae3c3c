"""The rules of the ISR, the in-sync replicas: who leaves it, and who joins it."""

from __future__ import annotations

from cluster.model.identifiers import NodeId, Offset
from cluster.model.ruling import Numbers, Ruling, rule, yes_or_no


@rule(kafka="Partition.isFollowerOutOfSync")
def shrink_isr(
    replica_id: NodeId, log_end_offset: Offset, leader_end: Offset, silence_ms: int, lag_time_max_ms: int
) -> Ruling[bool]:
    """A follower leaves the ISR when it was not caught up for too long; one that is level with the leader stays.

    Args:
        silence_ms: since it was last caught up.
    """
    numbers: Numbers = {
        "replica_id": replica_id,
        "log_end_offset": log_end_offset,
        "leader_log_end_offset": leader_end,
        "not_caught_up_ms": silence_ms,
        "replica.lag.time.max.ms": lag_time_max_ms,
    }
    if log_end_offset == leader_end:
        return yes_or_no(False, "it holds all the leader holds", numbers)
    if silence_ms <= lag_time_max_ms:
        return yes_or_no(False, "it was caught up recently enough", numbers)
    return yes_or_no(True, "not caught up for longer than allowed", numbers)


@rule(source="before KIP-16", kafka="Partition.getOutOfSyncReplicas")
def shrink_isr_by_messages(
    replica_id: NodeId, log_end_offset: Offset, leader_end: Offset, silence_ms: int, lag_time_ms: int, lag_messages: int
) -> Ruling[bool]:
    """Before 0.9 a follower left the ISR when it was silent for too long, or too many records behind for a moment.

    Args:
        silence_ms: since its last fetch, whether that brought it any further or not.
    """
    numbers: Numbers = {
        "replica_id": replica_id,
        "log_end_offset": log_end_offset,
        "leader_log_end_offset": leader_end,
        "behind": leader_end - log_end_offset,
        "replica.lag.max.messages": lag_messages,
        "silent_ms": silence_ms,
        "replica.lag.time.max.ms": lag_time_ms,
    }
    if leader_end - log_end_offset > lag_messages:
        return yes_or_no(True, "more records behind than allowed", numbers)
    if log_end_offset != leader_end and silence_ms > lag_time_ms:
        return yes_or_no(True, "silent for longer than allowed", numbers)
    return yes_or_no(False, "near enough, and heard of lately", numbers)


@rule(source="KIP-497, KIP-841", kafka="Partition.canAddReplicaToIsr, isFollowerInSync")
def expand_isr(
    replica_id: NodeId,
    log_end_offset: Offset,
    high_watermark: Offset,
    epoch_start_offset: Offset,
    broker_epoch: int,
    registered_broker_epoch: int | None,
) -> Ruling[bool]:
    """A follower joins the ISR once it has all that is committed and all that is older than the leader's epoch.

    And it has to be the live incarnation of its broker.

    Args:
        registered_broker_epoch: None when the broker is fenced or shutting down.
    """
    numbers: Numbers = {
        "replica_id": replica_id,
        "log_end_offset": log_end_offset,
        "high_watermark": high_watermark,
        "epoch_start_offset": epoch_start_offset,
        "broker_epoch": broker_epoch,
    }
    if registered_broker_epoch is None:
        return yes_or_no(False, "its broker is fenced or leaving", numbers)
    numbers["registered_broker_epoch"] = registered_broker_epoch
    # What the leader remembers of it was fetched by another process. The one that is registered now may be back from a
    # power loss with less, and would be in the ISR, and elected, on the merits of the one before. Source: KIP-903.
    if broker_epoch not in (-1, registered_broker_epoch):
        return yes_or_no(False, "the fetch is from an earlier life of the broker", numbers)
    if log_end_offset < high_watermark:
        return yes_or_no(False, "it is behind what is committed", numbers)
    # To reach the high watermark is not enough: that of a new leader lags behind what is committed.
    #
    #     n1   0 1 2 3    led e4 with ISR {1,2}, has committed and acknowledged 3, and is dead
    #     n2   0 1 2 3    leads e5, which starts at 4; has heard of high watermark 3 only
    #     n3   0 1 2      has all below 3
    #
    # If n3 joined now and n2 died, n3 would be elected, without 3. All that older leaders have committed is below the
    # start of this one's epoch, so who has reached that lacks none of it. Source: KAFKA-7128.
    if log_end_offset < epoch_start_offset:
        return yes_or_no(False, "it is behind the start of the leader's epoch", numbers)
    return yes_or_no(True, "it has all that is committed and all of the epochs before", numbers)
