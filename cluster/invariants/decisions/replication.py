"""What the specifications make of the numbers of a decision about a partition. Source: KIP-101, KIP-279, KIP-497."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cluster.invariants.ghost.ghost import Ghost
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE

SEQUENCES = 1 << 31
"""Sequence numbers of a producer begin anew at 0 after so many. Source: KIP-98."""
ALL = -1


def _ends(numbers: Mapping[str, Any]) -> list[int]:
    return [end for name, end in numbers.items() if name.startswith("log_end_offset of ")]


def _is_granted(entry: Entry) -> bool:
    assert entry.decision is not None
    return entry.decision.granted


def _by_isr(ghost: Ghost, _entry: Entry, event: ev.HighWatermarkAdvanced, numbers: Mapping[str, Any]) -> str:
    due = min(_ends(numbers))
    if not event.high_watermark == due > numbers["high_watermark"]:
        return f"a high watermark rises to {event.high_watermark}; the last of those that count ends at {due}"
    if ghost.settings.get("hw_gate", True) and numbers["isr_size"] < numbers["min.insync.replicas"]:
        return f"a high watermark rises with {numbers['isr_size']} of {numbers['min.insync.replicas']} in the ISR"
    return ""


def _by_majority(ghost: Ghost, _entry: Entry, event: ev.HighWatermarkAdvanced, numbers: Mapping[str, Any]) -> str:
    majority = numbers["replicas"] // 2 + 1
    due = sorted(_ends(numbers), reverse=True)[majority - 1]
    replicas = len(ghost.partition(event.topic, event.partition).isr)
    if numbers["majority"] != majority or (replicas and numbers["replicas"] != replicas):
        return f"takes {numbers['majority']} of {replicas} replicas for a majority"
    if event.high_watermark == due > numbers["high_watermark"]:
        return ""
    return f"a high watermark rises to {event.high_watermark}; a majority has {due}"


def _follows(ghost: Ghost, entry: Entry, event: ev.HighWatermarkAdvanced, numbers: Mapping[str, Any]) -> str:
    own_end = ghost.partition(event.topic, event.partition).logs[entry.node].end_offset
    due = min(numbers["leader_high_watermark"], own_end)
    if event.high_watermark == due > numbers["high_watermark"]:
        return ""
    return f"a follower's high watermark rises to {event.high_watermark}; its log and its leader's word make it {due}"


def _lags(ghost: Ghost, entry: Entry, _event: object, numbers: Mapping[str, Any]) -> str:
    limit = ghost.settings.get("replica_lag_time_max_ms", numbers["replica.lag.time.max.ms"])
    is_level = numbers["log_end_offset"] == numbers["leader_log_end_offset"]
    is_late = not is_level and numbers["not_caught_up_ms"] > limit
    return "" if is_late is _is_granted(entry) else _wrong_lag(numbers, numbers["not_caught_up_ms"], limit)


def _lags_by_messages(ghost: Ghost, entry: Entry, _event: object, numbers: Mapping[str, Any]) -> str:
    behind = numbers["leader_log_end_offset"] - numbers["log_end_offset"]
    limit = ghost.settings.get("replica_lag_time_max_ms", numbers["replica.lag.time.max.ms"])
    most = ghost.settings.get("lag_max_messages", numbers["replica.lag.max.messages"])
    is_late = behind > most or (behind != 0 and numbers["silent_ms"] > limit)
    return "" if is_late is _is_granted(entry) else _wrong_lag(numbers, numbers["silent_ms"], limit)


def _wrong_lag(numbers: Mapping[str, Any], late_ms: int, limit_ms: int) -> str:
    ends = f"{numbers['log_end_offset']} of {numbers['leader_log_end_offset']}"
    return f"judges replica {numbers['replica_id']} wrongly: it has {ends}, {late_ms} ms late, {limit_ms} are allowed"


def _joins(_ghost: Ghost, _entry: Entry, _event: ev.IsrProposed, numbers: Mapping[str, Any]) -> str:
    needed = max(numbers["high_watermark"], numbers["epoch_start_offset"])
    if numbers["log_end_offset"] < needed:
        return f"replica {numbers['replica_id']} is to join the ISR at {numbers['log_end_offset']}, {needed} is needed"
    if numbers["broker_epoch"] not in (-1, numbers["registered_broker_epoch"]):
        return f"replica {numbers['replica_id']} is to join the ISR in an earlier life of its broker"
    return ""


def _refused(_ghost: Ghost, _entry: Entry, event: ev.ProduceRefused, numbers: Mapping[str, Any]) -> str:
    is_small = event.acks == numbers["acks"] == ALL and len(numbers["isr"]) < numbers["min.insync.replicas"]
    return "" if is_small else "a produce is refused for a small ISR, and it is large enough"


def _answered(_ghost: Ghost, _entry: Entry, event: ev.ProduceAnswered, numbers: Mapping[str, Any]) -> str:
    if event.error != ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND:
        return ""
    is_small = numbers["acks"] == ALL and len(numbers["isr"]) < numbers["min.insync.replicas"]
    return "" if is_small else f"a produce with acks={event.acks} is told of a small ISR, which it does not wait for"


def _beside(_ghost: Ghost, _entry: Entry, _event: ev.ProduceRefused, numbers: Mapping[str, Any]) -> str:
    if numbers["open_from"] >= 0:
        return ""
    return f"producer {numbers['producer_id']} is refused for a transaction that it has not open here"


def _is_next(numbers: Mapping[str, Any]) -> bool:
    """Whether a batch goes on where its producer stopped, or begins a newer epoch. Source: KIP-98."""
    known, epoch = numbers["known_epoch"], numbers["producer_epoch"]
    if epoch > known:
        return bool(numbers["base_sequence"] == 0)
    return bool(epoch == known and numbers["base_sequence"] == (numbers["last_sequence"] + 1) % SEQUENCES)


def _out_of_sequence(_ghost: Ghost, _entry: Entry, event: ev.ProduceRefused, numbers: Mapping[str, Any]) -> str:
    is_fenced = numbers["producer_epoch"] < numbers["known_epoch"]
    if is_fenced is (event.error == ErrorCode.INVALID_PRODUCER_EPOCH) and (is_fenced or not _is_next(numbers)):
        return ""
    return f"a batch of producer {numbers['producer_id']} is refused, which is the next"


def _duplicate(_ghost: Ghost, _entry: Entry, event: ev.ProduceDuplicated, numbers: Mapping[str, Any]) -> str:
    is_old = (numbers["last_sequence"] - numbers["base_sequence"]) % SEQUENCES < SEQUENCES // 2
    if is_old and numbers["producer_epoch"] == numbers["known_epoch"] and event.base_offset == numbers["written_at"]:
        return ""
    return f"a batch of producer {numbers['producer_id']} is taken for one that is written, which it is not"


def _fenced(ghost: Ghost, entry: Entry, event: ev.FetchRefused, numbers: Mapping[str, Any]) -> str:
    known = ghost.partition(event.topic, event.partition).applied_replicas.get(entry.node, ())
    is_unheard = known and event.replica_id >= 0 and event.replica_id not in known
    if event.error == ErrorCode.UNKNOWN_LEADER_EPOCH and is_unheard:
        return ""  # added by a reassignment that this leader has not read of
    theirs, ours = numbers["their_leader_epoch"], numbers["our_leader_epoch"]
    if theirs < 0:
        return ""  # who tells no epoch is refused for other causes
    if theirs != ours:
        due = ErrorCode.FENCED_LEADER_EPOCH if theirs < ours else ErrorCode.UNKNOWN_LEADER_EPOCH
    elif "is_leader" in numbers:
        due = ErrorCode.NONE if numbers["is_leader"] else ErrorCode.NOT_LEADER_OR_FOLLOWER
    elif event.replica_id < 0:
        due = ErrorCode.NONE  # a consumer is no replica, and need not be one
    else:
        due = ErrorCode.NONE if numbers.get("is_replica", 1) else ErrorCode.UNKNOWN_LEADER_EPOCH
    if event.error == due:
        return ""
    return f"a fetch of leader epoch {theirs} is refused with {event.error} in leader epoch {ours}"


def _adopts(_ghost: Ghost, _entry: Entry, event: ev.EpochAdopted, numbers: Mapping[str, Any]) -> str:
    has_all = 0 <= numbers["epoch_start_offset"] <= numbers["log_end_offset"]
    if has_all and numbers["adopted_epoch"] < event.leader_epoch:
        return ""
    return f"counts in leader epoch {event.leader_epoch} without all that it began with"


def _diverged(ghost: Ghost, entry: Entry, event: ev.ReplicaDiverged, numbers: Mapping[str, Any]) -> str:
    found = (numbers["leader_has_epoch"], numbers["which_ends_at"])
    end = ghost.partition(event.topic, event.partition).log(entry.node).end_of_epoch(event.last_fetched_epoch)
    if end not in (-1, found[1]):
        return f"tells replica {event.replica_id} that epoch {event.last_fetched_epoch} ends at {found[1]}, not {end}"
    if found[0] != event.last_fetched_epoch or found[1] < event.fetch_offset:
        return ""
    return f"tells replica {event.replica_id} that its log parts from the leader's, and it does not"


def _cut(ghost: Ghost, entry: Entry, event: ev.ReplicaTruncated, numbers: Mapping[str, Any]) -> str:
    end, log_end = numbers["which_ends_at"], numbers["own_log_end_offset"]
    own = numbers.get("own_epoch_found")
    if own is None:
        due = min(end, log_end)
    else:
        ends = [numbers["own_epoch_ends_at"], log_end]
        due = min([*ends, end] if own == numbers["leader_epoch_found"] else ends)
    return _cut_to(ghost, entry, event, due)


def _cut_kip101(ghost: Ghost, entry: Entry, event: ev.ReplicaTruncated, numbers: Mapping[str, Any]) -> str:
    answered = numbers["leader_answered"]
    due = min(answered, numbers["own_log_end_offset"]) if answered >= 0 else numbers["own_high_watermark"]
    return _cut_to(ghost, entry, event, due)


def _cut_to_watermark(ghost: Ghost, entry: Entry, event: ev.ReplicaTruncated, numbers: Mapping[str, Any]) -> str:
    return _cut_to(ghost, entry, event, numbers["high_watermark"])


def _cut_to(ghost: Ghost, entry: Entry, event: ev.ReplicaTruncated, due: int) -> str:
    """A cut takes whole batches, none of which begins before the log start; a leader that deleted records may name an
    offset inside one: its oldest epoch begins where its log does. What compaction took before the cut goes with it.
    """
    partition = ghost.partition(event.topic, event.partition)
    log = partition.log(entry.node)
    batch = log.batch_at(due) if due >= log.log_start_offset else None
    whole = due if batch is None else max(batch.base_offset, log.log_start_offset)
    if event.end_offset in (due, whole) or partition.compacted.may_skip(event.end_offset, whole):
        return ""
    return f"cuts a log to {event.end_offset}, which is to end at {due}"


def _expired_by_time(_ghost: Ghost, _entry: Entry, event: ev.SegmentsExpired, numbers: Mapping[str, Any]) -> str:
    age_ms = numbers["wall_ms"] - numbers["newest_ms"]
    if not all(size_bytes for _, _, size_bytes, _ in event.segments):
        return "a segment without records expires"
    if age_ms > numbers["retention_ms"] == event.limit and numbers["end_offset"] <= numbers["high_watermark"]:
        return ""
    return f"records expire that are {age_ms} ms old and may stay {numbers['retention_ms']} ms"


def _expired_by_size(_ghost: Ghost, _entry: Entry, event: ev.SegmentsExpired, numbers: Mapping[str, Any]) -> str:
    if event.kept_bytes >= event.limit == numbers["retention_bytes"]:
        return ""
    return f"{event.kept_bytes} bytes are left of a log that may keep {event.limit}"


def _elsewhere(_ghost: Ghost, _entry: Entry, event: ev.ReadReplicaChosen, numbers: Mapping[str, Any]) -> str:
    """Source: KIP-392."""
    holds = event.fetch_offset <= numbers.get("its_log_end_offset", -1)
    if event.replica_id != NO_NODE and holds and event.rack == numbers["rack"] != numbers["leader_rack"]:
        return ""
    return f"a consumer in rack {event.rack} is sent to {event.replica_id} for offset {event.fetch_offset}"


def _cleans(_ghost: Ghost, _entry: Entry, event: ev.CleaningBegan, numbers: Mapping[str, Any]) -> str:
    """Closed segments, all decided, enough of them new. Source: Kafka LogCleanerManager."""
    last_end = min(numbers["last_stable_offset"], event.active_offset)
    is_enough = numbers["dirty_bytes"] > 0 and numbers["dirty_percent"] >= numbers["least_percent"]
    if event.dirty_offset < event.end_offset <= last_end and is_enough:
        return ""
    return f"compacts from {event.dirty_offset} to {event.end_offset} with {numbers['dirty_percent']} % new"


def _marked(_ghost: Ghost, _entry: Entry, event: ev.MarkerWritten, numbers: Mapping[str, Any]) -> str:
    """A marker of an older epoch, or of a coordinator that was replaced, is not written. Source: KIP-98.

    One that brings a new epoch is written once. Source: KIP-890.
    """
    known = numbers.get("known_epoch", -1) + numbers.get("bumps epoch", 0)
    is_newest = numbers["producer_epoch"] >= known
    if is_newest and numbers["coordinator_epoch"] >= numbers.get("known_coordinator_epoch", -1):
        return ""
    return f"a marker of producer {event.producer_id} is written, and a newer one is in the log"


def _marker_refused(_ghost: Ghost, _entry: Entry, event: ev.MarkerRefused, numbers: Mapping[str, Any]) -> str:
    if numbers["acks"] == ALL and len(numbers["isr"]) < numbers["min.insync.replicas"]:
        return ""
    return f"a marker of producer {event.producer_id} is refused with an ISR of {numbers['isr']}"


def _not_marked(_ghost: Ghost, entry: Entry, event: ev.MarkerRefused, numbers: Mapping[str, Any]) -> str:
    assert entry.decision is not None
    causes = {
        ErrorCode.NONE: numbers["producer_epoch"] == numbers["known_epoch"],
        ErrorCode.INVALID_PRODUCER_EPOCH: numbers["producer_epoch"] < numbers["known_epoch"],
        ErrorCode.TRANSACTION_COORDINATOR_FENCED: numbers["coordinator_epoch"] < numbers["known_coordinator_epoch"],
    }
    is_answer = entry.decision.granted is (event.error == ErrorCode.NONE)
    if is_answer and causes.get(ErrorCode(event.error)):
        return ""
    return f"a marker of producer {event.producer_id} is not written: error {event.error}"


JUDGES: dict[tuple[type, str], Callable[..., str]] = {
    (ev.HighWatermarkAdvanced, "advance_high_watermark"): _by_isr,
    (ev.HighWatermarkAdvanced, "commit_by_majority"): _by_majority,
    (ev.HighWatermarkAdvanced, "follower_high_watermark"): _follows,
    (ev.IsrProposed, "shrink_isr"): _lags,
    (ev.ReplicaLagging, "shrink_isr"): _lags,
    (ev.IsrProposed, "shrink_isr_by_messages"): _lags_by_messages,
    (ev.ReplicaLagging, "shrink_isr_by_messages"): _lags_by_messages,
    (ev.IsrProposed, "expand_isr"): _joins,
    (ev.ProduceRefused, "may_append"): _refused,
    (ev.ProduceRefused, "check_sequence"): _out_of_sequence,
    (ev.ProduceRefused, "may_write_outside"): _beside,
    (ev.ProduceAnswered, "acknowledge_records"): _answered,
    (ev.ProduceDuplicated, "check_sequence"): _duplicate,
    (ev.FetchRefused, "check_leader_epoch"): _fenced,
    (ev.EpochAdopted, "adopt_epoch"): _adopts,
    (ev.ReplicaDiverged, "diverging_epoch"): _diverged,
    (ev.ReplicaTruncated, "truncation_point"): _cut,
    (ev.ReplicaTruncated, "truncation_point_kip101"): _cut_kip101,
    (ev.ReplicaTruncated, "truncation_point_high_watermark"): _cut_to_watermark,
    (ev.SegmentsExpired, "expire_by_time"): _expired_by_time,
    (ev.SegmentsExpired, "expire_by_size"): _expired_by_size,
    (ev.CleaningBegan, "may_clean"): _cleans,
    (ev.ReadReplicaChosen, "select_read_replica"): _elsewhere,
    (ev.MarkerRefused, "may_append"): _marker_refused,
    (ev.MarkerWritten, "may_write_marker"): _marked,
    (ev.MarkerRefused, "may_write_marker"): _not_marked,
}
"""By class of event and name of the rule."""
NO = {
    (ev.ProduceRefused, "may_append"), (ev.ProduceRefused, "check_sequence"), (ev.ProduceDuplicated, "check_sequence"),
    (ev.FetchRefused, "check_leader_epoch"), (ev.MarkerRefused, "may_append"),
    (ev.ProduceRefused, "may_write_outside"),
}  # fmt: skip
"""What is told when a rule has said no; all others tell of a yes."""
EITHER = {
    (ev.ReplicaLagging, "shrink_isr"), (ev.ReplicaLagging, "shrink_isr_by_messages"),
    (ev.MarkerRefused, "may_write_marker"), (ev.ProduceAnswered, "acknowledge_records"),
}  # fmt: skip
"""What may be told either way."""
