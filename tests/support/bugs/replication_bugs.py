"""Bugs of data partitions, of the controller that looks after them, and of the disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from cluster.clients import client
from cluster.controller import partition_changes, registrations
from cluster.controller.rules import in_sync_replicas, leader_election
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NO_NODE, EpochEnd
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.messages import ProduceRequest
from cluster.model.ruling import Ruling, rule, yes_or_no
from cluster.replication import (
    epoch_ends,
    following,
    idempotence,
    isr,
    leading,
    parked,
    replica_manager,
    serving,
    watermark,
)
from cluster.replication.producer_state import ProducerState
from cluster.replication.state import ReplicaState, WaitingProduce
from cluster.storage.disk import Disk
from cluster.storage.log import Log
from tests.support.bugs.planted import PlantedBug


def _highest(advance_high_watermark: Any) -> Any:
    def advance(high_watermark: int, ends: Sequence[tuple[int, int]], *given: Any, **named: Any) -> Any:
        own = max(offset for _, offset in ends)
        return advance_high_watermark(high_watermark, [(node, own) for node, _ in ends], *given, **named)

    return advance


def _leader_alone(_count_for_high_watermark: Any) -> Any:
    return lambda *_facts: Ruling([], True, "planted")


def _never_refuses(_may_append: Any) -> Any:
    return lambda *_facts: yes_or_no(True, "planted")


def _joins_early(expand_isr: Any) -> Any:
    def join(replica: int, end: int, high_watermark: int, start: int, *given: Any) -> Ruling[bool]:
        ahead = max(end, high_watermark, start)
        return expand_isr(replica, ahead, high_watermark, start, *given)  # type: ignore[no-any-return]

    return join


def _answers_at_once(requests: Any) -> Any:
    """acks=all is treated as acks=1."""
    on_produce, unknown = requests[ProduceRequest]

    def produce(state: ReplicaState, sender: int, correlation: int, request: Any, now_ms: int) -> Any:
        effects = on_produce(state, sender, correlation, request, now_ms)
        while state.waiting:
            effects += watermark.answer(state, [state.waiting.popleft()], ErrorCode.NONE)
        return effects

    return {**requests, ProduceRequest: (produce, unknown)}


def _cuts_to_nothing_more(truncation_point: Any) -> Any:
    def point(epochs: Any, end: int, diverging: Any) -> Any:
        ruling = truncation_point(epochs, end, diverging)
        ruling.value = ruling.value._replace(end_offset=max(0, ruling.value.end_offset - 2))
        return ruling

    return point


def _agrees(_diverging_epoch: Any) -> Any:
    return lambda *_facts: Ruling(None, False, "planted")


def _anybody(is_valid: Any) -> Any:
    def valid(self: leader_election.Candidates, broker_id: int) -> bool:
        return broker_id in self.eligible or is_valid(self, broker_id)

    return valid


def _keeps_the_restarted(_clean_up: Any) -> Any:
    return lambda *_given: None


def _shrinks_at_once(propose: Any) -> Any:
    """The proposed ISR counts before the controller has said so."""

    def proposed(state: ReplicaState, pending: Any, why: str, decision: Any) -> Any:
        effects = propose(state, pending, why, decision)
        if not pending.grows:
            state.isr = pending.isr
        return effects

    return proposed


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


def _believes_the_leader(follower_high_watermark: Any) -> Any:
    """A follower takes one record more for committed than the leader says and it holds."""
    return lambda known, leaders, own_end: follower_high_watermark(known, min(leaders, own_end) + 1, own_end + 1)


def _same_epoch(changed: Any) -> Any:
    """A new leader does not get a new leader epoch."""

    def change(candidates: Any, *given: Any, **named: Any) -> Any:
        after, unclean, decision = changed(candidates, *given, **named)
        if after is not None and candidates.state.leader_epoch > 0:
            after = replace(after, leader_epoch=candidates.state.leader_epoch)
        return after, unclean, decision

    return change


def _nothing_against(_ineligible_reason: Any) -> Any:
    return lambda *_given: ""


def _joins_fenced(expand_isr: Any) -> Any:
    """The leader asks for whoever fetches, in service or not."""

    def join(replica: int, end: int, high_watermark: int, start: int, broker_epoch: int, _registered: Any) -> Any:
        return expand_isr(replica, end, high_watermark, start, broker_epoch, broker_epoch)

    return join


def _takes_every_epoch(check_leader_epoch: Any) -> Any:
    def error(_their: int, our: int, **named: Any) -> Any:
        return check_leader_epoch(our, our, **named)

    return error


def _acknowledges_the_lost(stop_leading: Any) -> Any:
    """A leader that is deposed answers waiting producers with success."""

    def stop(state: ReplicaState) -> Any:
        waiting: list[WaitingProduce] = list(state.waiting)
        state.waiting.clear()
        answered = [effect for item in waiting for effect in watermark.answer(state, [item], ErrorCode.NONE)]
        return [*answered, *stop_leading(state)]

    return stop


def _keeps_in_memory(init: Any) -> Any:
    """Appends are kept back, and nobody writes them out before frames leave."""

    def buffered(self: Disk, files: Any, *, host_fsync: bool = False, is_buffered: bool = False) -> None:
        init(self, files, host_fsync=host_fsync, is_buffered=True)

    return buffered


def _durable_on_paper(fsync: Any) -> Any:
    """fsync says durable one write too early: what was appended since is not there."""

    def early(self: Disk, name: str) -> Any:
        books = self._books[name]
        before = books.durable
        found = fsync(self, name)
        books.durable = before
        self._save(name)
        return found

    return early


def _without_directory(_fsync_dir: Any) -> Any:
    return lambda _self, _folder: None


def _starts_late(assign: Any) -> Any:
    """An epoch is noted one record after its first."""
    return lambda self, epoch, start_offset: assign(self, epoch, start_offset + (1 if start_offset else 0))


def _without_gate(advance_high_watermark: Any) -> Any:
    return lambda *given, hw_gate: advance_high_watermark(*given, hw_gate=False)


def _keeps_the_fenced(change: Any) -> Any:
    def changed(batch: Any, settings: Any, where: Any, _target_isr: Any, *others: Any) -> None:
        change(batch, settings, where, batch.image.partitions[where].isr, *others)

    return changed


def _skips_one(changed: Any) -> Any:
    def change(*given: Any, **named: Any) -> Any:
        after, unclean, decision = changed(*given, **named)
        return None if after is None else replace(after, partition_epoch=after.partition_epoch + 1), unclean, decision

    return change


def _ends_late(end_offset_for: Any) -> Any:
    def late(self: LeaderEpochs, epoch: int, log_end_offset: int) -> EpochEnd:
        found = end_offset_for(self, epoch, log_end_offset)
        return found if found.end_offset in (-1, log_end_offset) else EpochEnd(found.epoch, found.end_offset + 1)

    return late


def _always_clean(_is_clean_restart: Any) -> Any:
    return lambda _known, _request: True


def _never_in_doubt(_may_have_happened: Any) -> Any:
    @rule(source="planted")
    def may_have_happened(*_facts: object, **_named: object) -> Ruling[bool]:
        return yes_or_no(False, "planted")

    return may_have_happened


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


def _takes_every_sequence(check_sequence: Any) -> Any:
    return lambda _entry, *given: check_sequence(None, *given)


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


REPLICATION_BUGS = (
    PlantedBug("commits-without-followers", "replication", "a leader counts its own log only",
               frozenset({"P1", "P2", "P3", "P4", "P6", "P8"}),
               ((watermark, "count_for_high_watermark", _leader_alone),)),
    PlantedBug("counts-the-furthest", "replication", "the high watermark is the furthest log end of the ISR",
               frozenset({"P1", "P2", "P3", "P4", "P6"}), ((watermark, "advance_high_watermark", _highest),)),
    PlantedBug("no-min-insync", "replication", "acks=all is taken whatever the size of the ISR",
               frozenset({"P18"}), ((leading, "may_append", _never_refuses),), seeds=(15,)),
    PlantedBug("joins-early", "replication", "a follower that is behind joins the ISR",
               frozenset({"P1", "P2", "P3", "P12"}), ((isr, "expand_isr", _joins_early),)),
    PlantedBug("answers-at-once", "replication", "acks=all is answered at the append",
               frozenset({"P1", "P18"}), ((replica_manager, "_REQUESTS", _answers_at_once),)),
    PlantedBug("cuts-too-much", "replication", "a follower cuts two records more than the logs differ in",
               frozenset({"P15"}), ((following, "truncation_point", _cuts_to_nothing_more),
                                  (epoch_ends, "truncation_point", _cuts_to_nothing_more))),
    PlantedBug("never-diverges", "replication", "a leader does not compare epochs",
               frozenset({"P4", "P5", "P13", "P14", "P16", "T5"}), ((serving, "diverging_epoch", _agrees),)),
    PlantedBug("elects-anybody", "replication", "any running replica may lead",
               frozenset({"P1", "P2", "P10"}), ((leader_election.Candidates, "is_valid", _anybody),)),
    PlantedBug("keeps-the-restarted", "replication", "a broker that restarts without order stays in the ISR",
               frozenset({"P1", "P2", "P3", "P12", "P23"}),
               ((registrations, "_clean_up_old_incarnation", _keeps_the_restarted),), seeds=(22,)),
    PlantedBug("shrinks-at-once", "replication", "a leader uses a smaller ISR before it is committed",
               frozenset({"P6", "P8", "P11", "P18"}), ((isr, "propose", _shrinks_at_once),)),
    PlantedBug("reads-uncommitted", "replication", "a consumer reads past the high watermark",
               frozenset({"C12"}),
               ((parked, "records_for", _past_the_high_watermark), (parked, "has_records", _has_more))),
    PlantedBug("follower-runs-ahead", "replication", "a follower's high watermark passes the leader's",
               frozenset({"P4", "P5", "P17", "T5"}), ((following, "follower_high_watermark", _believes_the_leader),)),
    PlantedBug("same-leader-epoch", "replication", "a new leader leads in the old leader epoch",
               frozenset({"P11", "P13"}), ((partition_changes, "changed", _same_epoch),)),
    PlantedBug("fenced-joins", "replication", "a broker that is not in service joins the ISR",
               frozenset({"P10", "P12"}),
               ((in_sync_replicas, "ineligible_reason", _nothing_against), (isr, "expand_isr", _joins_fenced))),
    PlantedBug("no-fencing", "replication", "a fetch of another leader epoch is answered and counted",
               frozenset({"P6", "P7", "P12"}), ((serving, "check_leader_epoch", _takes_every_epoch),), (55,)),
    PlantedBug("commits-below-the-minimum", "replication", "the high watermark moves while the ISR is too small",
               frozenset({"P8", "P18"}), ((watermark, "advance_high_watermark", _without_gate),)),
    PlantedBug("keeps-the-fenced", "replication", "a fenced broker stays in the ISR",
               frozenset({"P10"}), ((partition_changes, "_change", _keeps_the_fenced),)),
    PlantedBug("skips-partition-epochs", "replication", "a change raises the partition epoch by two",
               frozenset({"P11"}), ((partition_changes, "changed", _skips_one),)),
    PlantedBug("ends-epochs-late", "replication", "a leader says that an epoch ends one record later than it does",
               frozenset({"P14", "R8", "R13", "R17"}), ((LeaderEpochs, "end_offset_for", _ends_late),)),
    PlantedBug("trusts-the-crashed", "replication", "the controller takes every restart for a clean one",
               frozenset({"P23", "P1", "P2"}), ((registrations, "is_clean_restart", _always_clean),),
               seeds=(22,)),
    PlantedBug("calls-doubt-failure", "replication", "a client calls a failure what may have been written",
               frozenset({"C3"}), ((client, "may_have_happened", _never_in_doubt),), seeds=(15,)),
    PlantedBug("acknowledges-the-lost", "replication", "a deposed leader tells waiting producers that all is well",
               frozenset({"P1", "P18", "P19"}), ((leading, "stop_leading", _acknowledges_the_lost),)),
    PlantedBug("forgets-sequences", "replication", "a new leader knows no sequence numbers of what it copied",
               frozenset({"P22"}),
               ((ProducerState, "copied", _forgets_the_copied), (ProducerState, "catch_up", _forgets_the_past)),
               seeds=(38,)),
    PlantedBug("takes-every-sequence", "replication", "a leader does not look at sequence numbers",
               frozenset({"P22"}), ((idempotence, "check_sequence", _takes_every_sequence),), seeds=(7,)),
    PlantedBug("leaves-gaps", "replication", "a leader leaves an offset out before each batch",
               frozenset({"P17"}), ((replica_manager, "_REQUESTS", _leaves_gaps),)),
    PlantedBug("counts-what-is-sent", "replication", "a follower counts for a record before it has fetched behind it",
               frozenset({"P7"}), ((watermark, "count_for_high_watermark", _counts_what_is_sent),)),
    PlantedBug("stamps-the-epoch-before", "replication", "a leader stamps its batches with the epoch before",
               frozenset({"P13"}), ((leading, "with_offset_and_epoch", _stamps_the_epoch_before),), seeds=(6,)),
)  # fmt: skip

STORAGE_BUGS = (
    PlantedBug("takes-rotten-bytes", "storage", "a follower writes bytes that fail their CRC",
               frozenset({"P20"}), ((following, "is_intact", _takes_rotten), (Log, "read", _reads_rotten))),
    PlantedBug("fsync-one-late", "storage", "what fsync was asked for last is not on the disk",
               frozenset({"P21", "R2", "R5"}), ((Disk, "fsync", _durable_on_paper),), seeds=(15,)),
    PlantedBug("no-directory-sync", "storage", "a renamed quorum-state is not made durable",
               frozenset({"P21", "R2", "R5"}), ((Disk, "fsync_dir", _without_directory),), seeds=(15,)),
    PlantedBug("kill-loses-appends", "storage", "appends reach the file with the next flush only",
               frozenset({"P1", "P2", "P21", "P23", "T5"}), ((Disk, "__init__", _keeps_in_memory),), (1431,)),
    PlantedBug("epochs-start-late", "storage", "the epoch cache notes an epoch one record after its first",
               frozenset({"P14", "P15", "R8", "R12", "R13", "R17", "T5"}),
               ((LeaderEpochs, "assign", _starts_late),), seeds=(5,)),
)  # fmt: skip
