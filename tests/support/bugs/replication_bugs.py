"""Bugs of data partitions, of the controller that looks after them, and of the disk."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NO_NODE
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.messages import ProduceRequest
from cluster.model.ruling import yes_or_no
from cluster.replication import (
    appending,
    copying,
    leading,
    replica_manager,
    serving,
    waiting_fetches,
    waiting_produces,
    watermark,
)
from cluster.replication.producer_state import ProducerState
from cluster.replication.state import ReplicaState, WaitingProduce
from cluster.storage.log import Log
from tests.support.bugs.planted import PlantedBug


def _never_refuses(_may_append: Any) -> Any:
    return lambda *_facts: yes_or_no(True, "planted")


def _past_the_high_watermark(records_for: Any) -> Any:
    def records(state: ReplicaState, request: Any, high_watermark: int) -> Any:
        if request.replica_id == NO_NODE:
            request = replace(request, replica_id=state.shared.broker_id)
        return records_for(state, request, high_watermark)

    return records


def _has_more(has_records: Any) -> Any:
    def has(state: ReplicaState, request: Any) -> bool:
        return has_records(state, replace(request, replica_id=state.shared.broker_id))  # type: ignore[no-any-return]

    return has


def _takes_every_epoch(check_leader_epoch: Any) -> Any:
    def error(_their: int, our: int, **named: Any) -> Any:
        return check_leader_epoch(our, our, **named)

    return error


def _acknowledges_the_lost(stop_leading: Any) -> Any:
    """A leader that is deposed answers waiting producers with success."""

    def stop(state: ReplicaState) -> Any:
        waiting: list[WaitingProduce] = list(state.waiting)
        state.waiting.clear()
        answered = [effect for item in waiting for effect in waiting_produces.answer(state, [item], ErrorCode.NONE)]
        return [*answered, *stop_leading(state)]

    return stop


def _starts_late(assign: Any) -> Any:
    """An epoch is noted one record after its first."""
    return lambda self, epoch, start_offset: assign(self, epoch, start_offset + (1 if start_offset else 0))


def _without_gate(advance_high_watermark: Any) -> Any:
    return lambda *given, hw_gate: advance_high_watermark(*given, hw_gate=False)


def _forgets_the_copied(_copied: Any) -> Any:
    """A follower does not look at the sequence numbers of what it copies."""

    def copied(self: ProducerState, _base_offset: int, end_offset: int, _sequenced: Any) -> None:
        self.next_offset = end_offset

    return copied


def _forgets_the_past(_catch_up: Any) -> Any:
    """A leader knows the sequence numbers of what it wrote itself only."""

    def caught_up(self: ProducerState, log: Any) -> None:
        self.next_offset = log.log_end_offset

    return caught_up


def _leaves_gaps(requests: Any) -> Any:
    """Before each batch a leader leaves an offset out."""
    on_produce, unknown = requests[ProduceRequest]

    def produce(state: ReplicaState, *given: Any) -> Any:
        state.end_offset += 1
        return on_produce(state, *given)

    return {**requests, ProduceRequest: (produce, unknown)}


def _counts_what_is_sent(count_for_high_watermark: Any) -> Any:
    """A follower counts as holding the next record already, before it has fetched behind it."""

    def ahead(isr: Any, followers: Any, leader_end: int, *given: Any) -> Any:
        ruling = count_for_high_watermark(isr, followers, leader_end, *given)
        ruling.value = [(node, min(leader_end, offset + 1)) for node, offset in ruling.value]
        return ruling

    return ahead


def _stamps_the_epoch_before(stamp: Any) -> Any:
    return lambda records, base_offset, epoch: stamp(records, base_offset, max(0, epoch - 1))


def _takes_rotten(_is_intact: Any) -> Any:
    return lambda _stored, _crc: True


def _reads_rotten(read: Any) -> Any:
    """Not a bug of ours but what one is needed for: now and then a disk gives back another bit than it was given."""

    def rotten(self: Log, start_offset: int, *given: Any, **named: Any) -> bytes:
        data: bytes = read(self, start_offset, *given, **named)
        is_hit = bool(data) and start_offset % 7 == 3 and self._tp != METADATA
        return data[:-1] + bytes([data[-1] ^ 1]) if is_hit else data

    return rotten


def _keeps_followers(stop_leading: Any) -> Any:
    """Who leads no more goes on knowing where its followers were."""

    def stop(state: ReplicaState) -> Any:
        followers = state.followers
        effects = stop_leading(state)
        state.followers = followers
        return effects

    return stop


def _goes_by_old_followers(reset_followers: Any) -> Any:
    """Who leads again takes followers to be where they were when it led before."""

    def reset(state: ReplicaState, now_ms: int) -> None:
        followers = state.followers
        reset_followers(state, now_ms)
        state.followers.update({node: known for node, known in followers.items() if node in state.followers})

    return reset


def _by_the_committed_isr(advance: Any) -> Any:
    """Who was proposed to join does not count for the high watermark yet."""

    def advanced(state: ReplicaState, now_ms: int) -> Any:
        pending, state.pending = state.pending, None
        effects = advance(state, now_ms)
        state.pending = pending if state.pending is None else state.pending
        return effects

    return advanced


REPLICATION_BUGS = (
    PlantedBug("no-min-insync", "replication", "acks=all is taken whatever the size of the ISR",
               frozenset({"P18"}), ((leading, "may_append", _never_refuses),), seeds=(8,)),
    PlantedBug("reads-uncommitted", "replication", "a consumer reads past the high watermark",
               frozenset({"C12"}),
               ((waiting_fetches, "records_for", _past_the_high_watermark),
                (waiting_fetches, "has_records", _has_more)), seeds=(6,)),
    PlantedBug("no-fencing", "replication", "a fetch of another leader epoch is answered and counted",
               frozenset({"P6", "P7", "P12"}), ((serving, "check_leader_epoch", _takes_every_epoch),), seeds=(33,)),
    PlantedBug("commits-below-the-minimum", "replication", "the high watermark moves while the ISR is too small",
               frozenset({"P8", "P18"}), ((watermark, "advance_high_watermark", _without_gate),)),
    PlantedBug("acknowledges-the-lost", "replication", "a deposed leader tells waiting producers that all is well",
               frozenset({"P1", "P18", "P19"}), ((leading, "stop_leading", _acknowledges_the_lost),)),
    PlantedBug("forgets-sequences", "replication", "a new leader knows no sequence numbers of what it copied",
               frozenset({"P22"}),
               ((ProducerState, "copied", _forgets_the_copied), (ProducerState, "catch_up", _forgets_the_past)),
               seeds=(8,)),
    PlantedBug("leaves-gaps", "replication", "a leader leaves an offset out before each batch",
               frozenset({"P17"}), ((replica_manager, "REQUESTS", _leaves_gaps),)),
    PlantedBug("counts-what-is-sent", "replication", "a follower counts for a record before it has fetched behind it",
               frozenset({"P7"}), ((watermark, "count_for_high_watermark", _counts_what_is_sent),)),
    PlantedBug("stamps-the-epoch-before", "replication", "a leader stamps its batches with the epoch before",
               frozenset({"P13"}), ((appending, "with_offset_and_epoch", _stamps_the_epoch_before),), seeds=(6,)),
    PlantedBug("goes-by-old-followers", "replication",
               "who leads again takes followers to be where they were when it led before",
               frozenset({"P1", "P3", "P6", "P7", "P12"}),
               ((leading, "stop_leading", _keeps_followers), (leading, "reset_followers", _goes_by_old_followers)),
               seeds=(288,)),
    PlantedBug("commits-by-the-committed-isr", "replication",
               "who was proposed to join the ISR does not count for the high watermark yet",
               frozenset({"P6"}), ((watermark, "advance", _by_the_committed_isr),), seeds=(258,)),
)  # fmt: skip

STORAGE_BUGS = (
    PlantedBug("takes-rotten-bytes", "storage", "a follower writes bytes that fail their CRC",
               frozenset({"P20"}), ((copying, "is_intact", _takes_rotten), (Log, "read", _reads_rotten)), seeds=(3,)),
    PlantedBug("epochs-start-late", "storage", "the epoch cache notes an epoch one record after its first",
               frozenset({"P14", "P15", "R8", "R12", "R13", "R17", "T5"}),
               ((LeaderEpochs, "assign", _starts_late),), seeds=(5,)),
)  # fmt: skip
