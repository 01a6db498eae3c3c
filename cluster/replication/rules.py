"""The decisions of partition leaders and followers, as pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, Epoch, EpochEnd, NodeId, Offset
from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs

FOLLOWED_FEW = 12
"""A broker that follows no more partitions asks for each of them every replica.fetch.wait.max.ms."""
QUIET_ROUNDS_MAX = 3
"""An idle partition is asked for eight times less often at most."""
Numbers = dict[str, int | str | list[int]]


def next_high_watermark(
    high_watermark: Offset,
    log_end_offsets: Sequence[tuple[NodeId, Offset]],
    isr_size: int,
    min_insync_replicas: int,
    *,
    hw_gate: bool,
) -> tuple[Offset, Decision | None]:
    """Where a leader's high watermark moves (exclusive), with the decision when it does; it never falls.

    Source: Kafka Partition.maybeIncrementLeaderHW.

    Args:
        log_end_offsets: own, and of each follower that counts: the maximal ISR and those about to join it.
        isr_size: of the committed ISR.
        hw_gate: stand still while the ISR is below min.insync.replicas (Kafka 3.7 and newer).
    """
    lowest = min([offset for _, offset in log_end_offsets])
    if lowest <= high_watermark or (hw_gate and isr_size < min_insync_replicas):
        return high_watermark, None
    numbers: Numbers = {f"log_end_offset of {node}": offset for node, offset in log_end_offsets}
    numbers |= {"high_watermark": high_watermark, "isr_size": isr_size, "min.insync.replicas": min_insync_replicas}
    source = "Kafka Partition.maybeIncrementLeaderHW, KIP-966"
    return lowest, Decision("advance_high_watermark", True, "every replica that counts has it", source, numbers)


def may_append(acks: int, isr: tuple[NodeId, ...], min_insync_replicas: int) -> Decision | None:
    """acks=all is refused before anything is written while the committed ISR is too small; None when it may append.

    Source: Kafka Partition.appendRecordsToLeader.
    """
    if acks != -1 or len(isr) >= min_insync_replicas:
        return None
    reason = "fewer replicas in sync than min.insync.replicas"
    numbers: Numbers = {"acks": acks, "isr": list(isr), "min.insync.replicas": min_insync_replicas}
    return Decision("may_append", False, reason, "Kafka Partition.appendRecordsToLeader", numbers)


def is_out_of_sync(
    replica_id: NodeId, log_end_offset: Offset, leader_end: Offset, silence_ms: int, lag_time_max_ms: int
) -> Decision:
    """A follower leaves the ISR when it was not caught up for too long; one that is level with the leader stays.

    Source: Kafka Partition.isFollowerOutOfSync.

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
    source = "Kafka Partition.isFollowerOutOfSync"
    if log_end_offset == leader_end:
        return Decision("shrink_isr", False, "it holds all the leader holds", source, numbers)
    if silence_ms <= lag_time_max_ms:
        return Decision("shrink_isr", False, "it was caught up recently enough", source, numbers)
    return Decision("shrink_isr", True, "not caught up for longer than allowed", source, numbers)


def may_join_isr(
    replica_id: NodeId,
    log_end_offset: Offset,
    high_watermark: Offset,
    epoch_start_offset: Offset,
    broker_epoch: int,
    registered_broker_epoch: int | None,
) -> Decision:
    """A follower joins once it has all that is committed, and all that stood in the log when the leader's epoch began.

    And it has to be the live incarnation of its broker. Source: KIP-497, KIP-841.

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
    source = "Kafka Partition.canAddReplicaToIsr, isFollowerInSync"
    if registered_broker_epoch is None:
        return Decision("expand_isr", False, "its broker is fenced or leaving", source, numbers)
    numbers["registered_broker_epoch"] = registered_broker_epoch
    if broker_epoch not in (-1, registered_broker_epoch):
        return Decision("expand_isr", False, "the fetch is from an earlier life of the broker", source, numbers)
    if log_end_offset < high_watermark:
        return Decision("expand_isr", False, "it is behind what is committed", source, numbers)
    if log_end_offset < epoch_start_offset:
        return Decision("expand_isr", False, "it is behind the start of the leader's epoch", source, numbers)
    return Decision("expand_isr", True, "it has all that is committed and all of the epochs before", source, numbers)


def fetch_error(
    their_epoch: Epoch, our_epoch: Epoch, *, is_leader: bool, is_replica: bool, is_consumer: bool
) -> tuple[ErrorCode, Decision | None]:
    """Whether a fetch may be answered: epochs first, then the role; with the decision when it is refused.

    Source: KIP-320, Partition.checkCurrentLeaderEpoch.
    """
    if their_epoch in (our_epoch, NO_EPOCH) and is_leader and (is_replica or is_consumer):
        return ErrorCode.NONE, None
    numbers: Numbers = {"their_leader_epoch": their_epoch, "our_leader_epoch": our_epoch}
    source = "KIP-320, Kafka Partition.checkCurrentLeaderEpoch"
    if their_epoch != NO_EPOCH and their_epoch < our_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH, Decision(
            "check_leader_epoch", False, "the asker is in an older leader epoch", source, numbers
        )
    if their_epoch > our_epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH, Decision(
            "check_leader_epoch", False, "the asker is in a newer leader epoch", source, numbers
        )
    if not is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER, Decision(
            "check_leader_epoch", False, "this broker does not lead the partition", source, numbers
        )
    return ErrorCode.UNKNOWN_LEADER_EPOCH, Decision(
        "check_leader_epoch", False, "the asker is no replica of the partition", source, numbers
    )


def diverging_epoch(
    leader_epochs: LeaderEpochs, log_end_offset: Offset, last_fetched_epoch: Epoch, fetch_offset: Offset
) -> tuple[EpochEnd, Decision] | None:
    """Where a fetcher's log leaves the leader's; None when it agrees up to fetch_offset. Source: KIP-595.

    UNKNOWN_END when the leader knows nothing of that epoch: the fetch is out of range.
    """
    if last_fetched_epoch == leader_epochs.latest() != NO_EPOCH and fetch_offset <= log_end_offset:
        return None  # nearly always
    end = leader_epochs.end_offset_for(last_fetched_epoch, log_end_offset)
    if end.epoch == last_fetched_epoch and end.end_offset >= fetch_offset:
        return None
    numbers: Numbers = {
        "last_fetched_epoch": last_fetched_epoch,
        "fetch_offset": fetch_offset,
        "leader_has_epoch": end.epoch,
        "which_ends_at": end.end_offset,
    }
    source = "KIP-595, Kafka Partition.readRecords"
    if end == UNKNOWN_END:
        return UNKNOWN_END, Decision("find_divergence", True, "the leader never saw that epoch", source, numbers)
    return end, Decision("find_divergence", True, "the follower has records the leader never had", source, numbers)


def truncation_point(
    leader_epochs: LeaderEpochs, log_end_offset: Offset, diverging: EpochEnd
) -> tuple[Offset, Decision]:
    """Where a follower cuts (exclusive log end after the cut). Source: KIP-279, AbstractFetcherThread.

    When the follower does not know the leader's epoch it cuts to the end of its own earlier one, and asks again.
    """
    numbers: Numbers = {
        "leader_epoch_found": diverging.epoch,
        "which_ends_at": diverging.end_offset,
        "own_log_end_offset": log_end_offset,
    }
    source = "KIP-279, Kafka AbstractFetcherThread.getOffsetTruncationState"
    own = UNKNOWN_END if diverging.epoch == NO_EPOCH else leader_epochs.end_offset_for(diverging.epoch, log_end_offset)
    if own == UNKNOWN_END:
        point = min(diverging.end_offset, log_end_offset)
        return point, Decision("truncation_point", True, "cut to the end the leader named", source, numbers)
    numbers |= {"own_epoch_found": own.epoch, "own_epoch_ends_at": own.end_offset}
    if own.epoch != diverging.epoch:
        point = min(own.end_offset, log_end_offset)
        return point, Decision("truncation_point", True, "cut to the end of the own older epoch", source, numbers)
    point = min(own.end_offset, diverging.end_offset, log_end_offset)
    return point, Decision("truncation_point", True, "cut to where the shared epoch ends first", source, numbers)


def epoch_end_kip101(leader_epochs: LeaderEpochs, log_end_offset: Offset, epoch: Epoch) -> Offset:
    """What a leader of 0.11 to 1.1 answers: the start of the first larger epoch, or its log end; -1 when it cannot say.

    It does not tell which epoch it found, so a follower with an epoch the leader never saw is misled. Source: KIP-101.
    """
    if epoch == leader_epochs.latest():
        return log_end_offset
    entries = leader_epochs.entries()
    if not entries or epoch < entries[0][0]:
        return UNKNOWN_END.end_offset
    return next((start for known, start in entries if known > epoch), UNKNOWN_END.end_offset)


def truncation_point_kip101(log_end_offset: Offset, high_watermark: Offset, end_offset: Offset) -> Decision:
    """Where a follower of 0.11 to 1.1 cuts (`cut_to`, exclusive). Source: KIP-101, ReplicaFetcherThread.maybeTruncate.

    Args:
        end_offset: the leader's answer; -1 when it could not say.
    """
    numbers: Numbers = {
        "leader_answered": end_offset,
        "own_log_end_offset": log_end_offset,
        "own_high_watermark": high_watermark,
    }
    source = "KIP-101, Kafka 0.11 ReplicaFetcherThread.maybeTruncate"
    if end_offset == UNKNOWN_END.end_offset:
        numbers["cut_to"] = high_watermark
        return Decision("truncation_point", True, "the leader cannot say: cut to the high watermark", source, numbers)
    numbers["cut_to"] = min(end_offset, log_end_offset)
    return Decision("truncation_point", True, "cut to the end the leader named", source, numbers)


def is_too_far_behind(
    replica_id: NodeId, log_end_offset: Offset, leader_end: Offset, silence_ms: int, lag_time_ms: int, lag_messages: int
) -> Decision:
    """The rule before 0.9: out when silent for too long, or too many records behind, however briefly.

    Source: Kafka 0.8 Partition.getOutOfSyncReplicas.

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
    source = "Kafka 0.8 Partition.getOutOfSyncReplicas"
    if leader_end - log_end_offset > lag_messages:
        return Decision("shrink_isr", True, "more records behind than allowed", source, numbers)
    if log_end_offset != leader_end and silence_ms > lag_time_ms:
        return Decision("shrink_isr", True, "silent for longer than allowed", source, numbers)
    return Decision("shrink_isr", False, "near enough, and heard of lately", source, numbers)


def is_intact(stored_crc: int, crc: int) -> bool:
    """Whether a batch's bytes are those that its producer sent. Source: Kafka DefaultRecordBatch.ensureValid."""
    return stored_crc == crc


def fetch_wait_ms(wait_max_ms: int, request_timeout_ms: int, quiet_rounds: int, followed_count: int) -> int:
    """How long a follower lets its leader hold an empty fetch.

    A fetch asks for one partition. A broker that follows many, most of them idle, would send hundreds of empty ones
    every second, so one that is answered with nothing waits longer the next time. What is written wakes it at once, and
    a follower that holds all of its leader's log stays in the ISR however seldom it asks. Kafka has one fetch for all
    partitions of a leader instead, and leaves what has not changed out of it.

    Source: KIP-227 (fetch sessions) for the reason; the way is our own.

    Args:
        wait_max_ms: replica.fetch.wait.max.ms.
        quiet_rounds: fetches of this partition in a row that were answered with nothing new.
        followed_count: partitions that this broker follows.
    """
    if followed_count <= FOLLOWED_FEW:
        return wait_max_ms
    longest_ms = max(wait_max_ms, request_timeout_ms // 4)
    return min(longest_ms, wait_max_ms << min(quiet_rounds, QUIET_ROUNDS_MAX))
