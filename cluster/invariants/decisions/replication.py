"""What the specifications make of the numbers of a decision about a partition. Source: KIP-101, KIP-279, KIP-497."""

from __future__ import annotations

from cluster.invariants.decisions.audit import Compared, Decisions, either, no, yes
from cluster.invariants.group import invariant
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE

SEQUENCES = 1 << 31
"""Sequence numbers of a producer begin anew at 0 after so many. Source: KIP-98."""
ALL = -1


def _ends(numbers: Compared) -> list[int]:
    return [end for name, end in numbers.items() if name.startswith("log_end_offset of ")]


def _wrong_lag(numbers: Compared, late_ms: int, limit_ms: int) -> str:
    ends = f"{numbers['log_end_offset']} of {numbers['leader_log_end_offset']}"
    return f"judges replica {numbers['replica_id']} wrongly: it has {ends}, {late_ms} ms late, {limit_ms} are allowed"


def _is_next(numbers: Compared) -> bool:
    """Whether a batch goes on where its producer stopped, or begins a newer epoch. Source: KIP-98."""
    known, epoch = numbers["known_epoch"], numbers["producer_epoch"]
    if epoch > known:
        return bool(numbers["base_sequence"] == 0)
    return bool(epoch == known and numbers["base_sequence"] == (numbers["last_sequence"] + 1) % SEQUENCES)


class ReplicationDecisions(Decisions):
    """Asked of each event that carries such a decision."""

    P40 = invariant("commits, cuts and ISRs follow from what was compared", "KIP-101, KIP-279, KIP-497, KIP-966")

    @yes("advance_high_watermark")
    def _by_isr(self, event: ev.HighWatermarkAdvanced, numbers: Compared) -> str:
        due = min(_ends(numbers))
        if not event.high_watermark == due > numbers["high_watermark"]:
            return f"a high watermark rises to {event.high_watermark}; the last of those that count ends at {due}"
        if self.ghost.settings.get("hw_gate", True) and numbers["isr_size"] < numbers["min.insync.replicas"]:
            return f"a high watermark rises with {numbers['isr_size']} of {numbers['min.insync.replicas']} in the ISR"
        return ""

    @yes("commit_by_majority")
    def _by_majority(self, event: ev.HighWatermarkAdvanced, numbers: Compared) -> str:
        majority = numbers["replicas"] // 2 + 1
        due = sorted(_ends(numbers), reverse=True)[majority - 1]
        replicas = len(self.ghost.of(event).isr)
        if numbers["majority"] != majority or (replicas and numbers["replicas"] != replicas):
            return f"takes {numbers['majority']} of {replicas} replicas for a majority"
        if event.high_watermark == due > numbers["high_watermark"]:
            return ""
        return f"a high watermark rises to {event.high_watermark}; a majority has {due}"

    @yes("follower_high_watermark")
    def _follows(self, event: ev.HighWatermarkAdvanced, numbers: Compared) -> str:
        own_end = self.ghost.of(event).logs[numbers.node].end_offset
        due = min(numbers["leader_high_watermark"], own_end)
        if event.high_watermark == due > numbers["high_watermark"]:
            return ""
        return (
            f"a follower's high watermark rises to {event.high_watermark}; its log and its leader's word make it {due}"
        )

    @yes("shrink_isr")
    def _leaves(self, _event: ev.IsrProposed, numbers: Compared) -> str:
        return self._lags(numbers)

    @either("shrink_isr")
    def _looked_at(self, _event: ev.ReplicaLagging, numbers: Compared) -> str:
        return self._lags(numbers)

    def _lags(self, numbers: Compared) -> str:
        limit = self.ghost.settings.get("replica_lag_time_max_ms", numbers["replica.lag.time.max.ms"])
        is_level = numbers["log_end_offset"] == numbers["leader_log_end_offset"]
        is_late = not is_level and numbers["not_caught_up_ms"] > limit
        return "" if is_late is numbers.granted else _wrong_lag(numbers, numbers["not_caught_up_ms"], limit)

    @yes("shrink_isr_by_messages")
    def _leaves_by_messages(self, _event: ev.IsrProposed, numbers: Compared) -> str:
        return self._lags_by_messages(numbers)

    @either("shrink_isr_by_messages")
    def _looked_at_by_messages(self, _event: ev.ReplicaLagging, numbers: Compared) -> str:
        return self._lags_by_messages(numbers)

    def _lags_by_messages(self, numbers: Compared) -> str:
        behind = numbers["leader_log_end_offset"] - numbers["log_end_offset"]
        limit = self.ghost.settings.get("replica_lag_time_max_ms", numbers["replica.lag.time.max.ms"])
        most = self.ghost.settings.get("lag_max_messages", numbers["replica.lag.max.messages"])
        is_late = behind > most or (behind != 0 and numbers["silent_ms"] > limit)
        return "" if is_late is numbers.granted else _wrong_lag(numbers, numbers["silent_ms"], limit)

    @yes("expand_isr")
    def _joins(self, _event: ev.IsrProposed, numbers: Compared) -> str:
        needed = max(numbers["high_watermark"], numbers["epoch_start_offset"])
        if numbers["log_end_offset"] < needed:
            return (
                f"replica {numbers['replica_id']} is to join the ISR at {numbers['log_end_offset']}, {needed} is needed"
            )
        if numbers["broker_epoch"] not in (-1, numbers["registered_broker_epoch"]):
            return f"replica {numbers['replica_id']} is to join the ISR in an earlier life of its broker"
        return ""

    @no("may_append")
    def _refused(self, event: ev.ProduceRefused, numbers: Compared) -> str:
        is_small = event.acks == numbers["acks"] == ALL and len(numbers["isr"]) < numbers["min.insync.replicas"]
        return "" if is_small else "a produce is refused for a small ISR, and it is large enough"

    @either("acknowledge_records")
    def _answered(self, event: ev.ProduceAnswered, numbers: Compared) -> str:
        if event.error != ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND:
            return ""
        is_small = numbers["acks"] == ALL and len(numbers["isr"]) < numbers["min.insync.replicas"]
        return (
            "" if is_small else f"a produce with acks={event.acks} is told of a small ISR, which it does not wait for"
        )

    @no("may_write_outside")
    def _beside(self, _event: ev.ProduceRefused, numbers: Compared) -> str:
        if numbers["open_from"] >= 0:
            return ""
        return f"producer {numbers['producer_id']} is refused for a transaction that it has not open here"

    @no("check_sequence")
    def _out_of_sequence(self, event: ev.ProduceRefused, numbers: Compared) -> str:
        is_fenced = numbers["producer_epoch"] < numbers["known_epoch"]
        if is_fenced is (event.error == ErrorCode.INVALID_PRODUCER_EPOCH) and (is_fenced or not _is_next(numbers)):
            return ""
        return f"a batch of producer {numbers['producer_id']} is refused, which is the next"

    @no("check_sequence")
    def _duplicate(self, event: ev.ProduceDuplicated, numbers: Compared) -> str:
        is_old = (numbers["last_sequence"] - numbers["base_sequence"]) % SEQUENCES < SEQUENCES // 2
        if (
            is_old
            and numbers["producer_epoch"] == numbers["known_epoch"]
            and event.base_offset == numbers["written_at"]
        ):
            return ""
        return f"a batch of producer {numbers['producer_id']} is taken for one that is written, which it is not"

    @no("check_leader_epoch")
    def _fenced(self, event: ev.FetchRefused, numbers: Compared) -> str:
        known = self.ghost.of(event).applied_replicas.get(numbers.node, ())
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

    @yes("adopt_epoch")
    def _adopts(self, event: ev.EpochAdopted, numbers: Compared) -> str:
        has_all = 0 <= numbers["epoch_start_offset"] <= numbers["log_end_offset"]
        if has_all and numbers["adopted_epoch"] < event.leader_epoch:
            return ""
        return f"counts in leader epoch {event.leader_epoch} without all that it began with"

    @yes("diverging_epoch")
    def _diverged(self, event: ev.ReplicaDiverged, numbers: Compared) -> str:
        found = (numbers["leader_has_epoch"], numbers["which_ends_at"])
        end = self.ghost.of(event).logs[numbers.node].end_of_epoch(event.last_fetched_epoch)
        if end not in (-1, found[1]):
            return (
                f"tells replica {event.replica_id} that epoch {event.last_fetched_epoch} ends at {found[1]}, not {end}"
            )
        if found[0] != event.last_fetched_epoch or found[1] < event.fetch_offset:
            return ""
        return f"tells replica {event.replica_id} that its log parts from the leader's, and it does not"

    @yes("truncation_point")
    def _cut(self, event: ev.ReplicaTruncated, numbers: Compared) -> str:
        end, log_end = numbers["which_ends_at"], numbers["own_log_end_offset"]
        own = numbers.get("own_epoch_found")
        if own is None:
            due = min(end, log_end)
        else:
            ends = [numbers["own_epoch_ends_at"], log_end]
            due = min([*ends, end] if own == numbers["leader_epoch_found"] else ends)
        return self._cut_to(event, numbers, due)

    @yes("truncation_point_kip101")
    def _cut_kip101(self, event: ev.ReplicaTruncated, numbers: Compared) -> str:
        answered = numbers["leader_answered"]
        due = min(answered, numbers["own_log_end_offset"]) if answered >= 0 else numbers["own_high_watermark"]
        return self._cut_to(event, numbers, due)

    @yes("truncation_point_high_watermark")
    def _cut_to_watermark(self, event: ev.ReplicaTruncated, numbers: Compared) -> str:
        return self._cut_to(event, numbers, numbers["high_watermark"])

    def _cut_to(self, event: ev.ReplicaTruncated, numbers: Compared, due: int) -> str:
        """A cut takes whole batches, none of which begins before the log start.

        A leader that deleted records may name an offset inside one: its oldest epoch begins where its log does. What
        compaction took before the cut goes with it.
        """
        partition = self.ghost.of(event)
        log = partition.logs[numbers.node]
        batch = log.batch_at(due) if due >= log.log_start_offset else None
        whole = due if batch is None else max(batch.base_offset, log.log_start_offset)
        if event.end_offset in (due, whole) or partition.compacted.may_skip(event.end_offset, whole):
            return ""
        return f"cuts a log to {event.end_offset}, which is to end at {due}"

    @yes("expire_by_time")
    def _expired_by_time(self, event: ev.SegmentsExpired, numbers: Compared) -> str:
        age_ms = numbers["wall_ms"] - numbers["newest_ms"]
        if not all(size_bytes for _, _, size_bytes, _ in event.segments):
            return "a segment without records expires"
        if age_ms > numbers["retention_ms"] == event.limit and numbers["end_offset"] <= numbers["high_watermark"]:
            return ""
        return f"records expire that are {age_ms} ms old and may stay {numbers['retention_ms']} ms"

    @yes("expire_by_size")
    def _expired_by_size(self, event: ev.SegmentsExpired, numbers: Compared) -> str:
        if event.kept_bytes >= event.limit == numbers["retention_bytes"]:
            return ""
        return f"{event.kept_bytes} bytes are left of a log that may keep {event.limit}"

    @yes("select_read_replica")
    def _elsewhere(self, event: ev.ReadReplicaChosen, numbers: Compared) -> str:
        """Source: KIP-392."""
        holds = event.fetch_offset <= numbers.get("its_log_end_offset", -1)
        if event.replica_id != NO_NODE and holds and event.rack == numbers["rack"] != numbers["leader_rack"]:
            return ""
        return f"a consumer in rack {event.rack} is sent to {event.replica_id} for offset {event.fetch_offset}"

    @yes("may_clean")
    def _cleans(self, event: ev.CleaningBegan, numbers: Compared) -> str:
        """Closed segments, all decided, enough of them new. Source: Kafka LogCleanerManager."""
        last_end = min(numbers["last_stable_offset"], event.active_offset)
        is_enough = numbers["dirty_bytes"] > 0 and numbers["dirty_percent"] >= numbers["least_percent"]
        if event.dirty_offset < event.end_offset <= last_end and is_enough:
            return ""
        return f"compacts from {event.dirty_offset} to {event.end_offset} with {numbers['dirty_percent']} % new"

    @yes("may_write_marker")
    def _marked(self, event: ev.MarkerWritten, numbers: Compared) -> str:
        """A marker of an older epoch, or of a coordinator that was replaced, is not written. Source: KIP-98.

        One that brings a new epoch is written once. Source: KIP-890.
        """
        known = numbers.get("known_epoch", -1) + numbers.get("bumps epoch", 0)
        is_newest = numbers["producer_epoch"] >= known
        if is_newest and numbers["coordinator_epoch"] >= numbers.get("known_coordinator_epoch", -1):
            return ""
        return f"a marker of producer {event.producer_id} is written, and a newer one is in the log"

    @no("may_append")
    def _marker_refused(self, event: ev.MarkerRefused, numbers: Compared) -> str:
        if numbers["acks"] == ALL and len(numbers["isr"]) < numbers["min.insync.replicas"]:
            return ""
        return f"a marker of producer {event.producer_id} is refused with an ISR of {numbers['isr']}"

    @either("may_write_marker")
    def _not_marked(self, event: ev.MarkerRefused, numbers: Compared) -> str:
        causes = {
            ErrorCode.NONE: numbers["producer_epoch"] == numbers["known_epoch"],
            ErrorCode.INVALID_PRODUCER_EPOCH: numbers["producer_epoch"] < numbers["known_epoch"],
            ErrorCode.TRANSACTION_COORDINATOR_FENCED: numbers["coordinator_epoch"] < numbers["known_coordinator_epoch"],
        }
        is_answer = numbers.granted is (event.error == ErrorCode.NONE)
        if is_answer and causes.get(ErrorCode(event.error)):
            return ""
        return f"a marker of producer {event.producer_id} is not written: error {event.error}"
