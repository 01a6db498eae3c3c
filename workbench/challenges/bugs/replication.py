"""Bugs of data partitions, and of the controller that looks after them, that a hunt seals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from cluster.controller import partition_changes, registrations
from cluster.controller.rules import leader_election, proposed_isr
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import EpochEnd
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.messages import ProduceRequest
from cluster.model.ruling import Ruling
from cluster.replication import (
    epoch_ends,
    following,
    idempotence,
    isr,
    replica_manager,
    serving,
    waiting_produces,
    watermark,
)
from cluster.replication.state import ReplicaState
from workbench.challenges.bugs.planted_bug import PlantedBug, answering


def _nobody_else(is_valid: Any) -> Any:
    return lambda self, broker_id: is_valid(self, broker_id) and broker_id == self.state.leader


def _lets_nobody_in(expand_isr: Any) -> Any:
    return answering(expand_isr, value=False, granted=False)


def _leader_alone(count_for_high_watermark: Any) -> Any:
    def alone(*facts: Any) -> Any:
        ruling = count_for_high_watermark(*facts)
        ruling.value = []
        return ruling

    return alone


def _highest(advance_high_watermark: Any) -> Any:
    def advance(high_watermark: int, ends: Sequence[tuple[int, int]], *given: Any, **named: Any) -> Any:
        own = max(offset for _, offset in ends)
        return advance_high_watermark(high_watermark, [(node, own) for node, _ in ends], *given, **named)

    return advance


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
            effects += waiting_produces.answer(state, [state.waiting.popleft()], ErrorCode.NONE)
        return effects

    return {**requests, ProduceRequest: (produce, unknown)}


def _cuts_to_nothing_more(truncation_point: Any) -> Any:
    def point(epochs: Any, end: int, diverging: Any) -> Any:
        ruling = truncation_point(epochs, end, diverging)
        ruling.value = ruling.value._replace(end_offset=max(0, ruling.value.end_offset - 2))
        return ruling

    return point


def _agrees(diverging_epoch: Any) -> Any:
    return answering(diverging_epoch, value=None, granted=False)


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
        end = end_offset_for(self, epoch, log_end_offset)
        return end if end.end_offset in (-1, log_end_offset) else EpochEnd(end.epoch, end.end_offset + 1)

    return late


def _always_clean(_is_clean_restart: Any) -> Any:
    return lambda _known, _request: True


def _takes_every_sequence(check_sequence: Any) -> Any:
    return lambda _entry, *given: check_sequence(None, *given)


REPLICATION = (
    PlantedBug("elects-nobody-else", "replication", "only who leads may lead",
        frozenset({"L2"}), ((leader_election.Candidates, "is_valid", _nobody_else),)),
    PlantedBug("lets-nobody-in", "replication", "nobody comes back into the ISR",
        frozenset({"L3"}), ((isr, "expand_isr", _lets_nobody_in),)),
    PlantedBug("commits-without-followers", "replication", "a leader counts its own log only",
        frozenset({"P1", "P2", "P3", "P4", "P6", "P8"}),
        ((watermark, "count_for_high_watermark", _leader_alone),)),
    PlantedBug("counts-the-furthest", "replication", "the high watermark is the furthest log end of the ISR",
        frozenset({"P1", "P2", "P3", "P4", "P6"}), ((watermark, "advance_high_watermark", _highest),)),
    PlantedBug("joins-early", "replication", "a follower that is behind joins the ISR",
        frozenset({"P1", "P2", "P3", "P12"}), ((isr, "expand_isr", _joins_early),)),
    PlantedBug("answers-at-once", "replication", "acks=all is answered at the append",
        frozenset({"P1", "P18"}), ((replica_manager, "REQUESTS", _answers_at_once),)),
    PlantedBug("cuts-too-much", "replication", "a follower cuts two records more than the logs differ in",
        frozenset({"P15"}), ((following, "truncation_point", _cuts_to_nothing_more),
        (epoch_ends, "truncation_point", _cuts_to_nothing_more)), seeds=(11,)),
    PlantedBug("never-diverges", "replication", "a leader does not compare epochs",
        frozenset({"P4", "P5", "P13", "P14", "P16", "T5"}), ((serving, "diverging_epoch", _agrees),)),
    PlantedBug("elects-anybody", "replication", "any running replica may lead",
        frozenset({"P1", "P2", "P10"}), ((leader_election.Candidates, "is_valid", _anybody),), seeds=(8,)),
    PlantedBug("keeps-the-restarted", "replication", "a broker that restarts without order stays in the ISR",
        frozenset({"P1", "P2", "P3", "P12", "P23"}),
        ((registrations, "_clean_up_old_incarnation", _keeps_the_restarted),), seeds=(62,)),
    PlantedBug("shrinks-at-once", "replication", "a leader uses a smaller ISR before it is committed",
        frozenset({"P6", "P8", "P11", "P18"}), ((isr, "propose", _shrinks_at_once),)),
    PlantedBug("follower-runs-ahead", "replication", "a follower's high watermark passes the leader's",
        frozenset({"P4", "P5", "P17", "T5"}), ((following, "follower_high_watermark", _believes_the_leader),)),
    PlantedBug("same-leader-epoch", "replication", "a new leader leads in the old leader epoch",
        frozenset({"P11", "P13"}), ((partition_changes, "changed", _same_epoch),)),
    PlantedBug("fenced-joins", "replication", "a broker that is not in service joins the ISR",
        frozenset({"P10", "P12"}),
        ((proposed_isr, "ineligible_reason", _nothing_against), (isr, "expand_isr", _joins_fenced))),
    PlantedBug("keeps-the-fenced", "replication", "a fenced broker stays in the ISR",
        frozenset({"P10"}), ((partition_changes, "_change", _keeps_the_fenced),)),
    PlantedBug("skips-partition-epochs", "replication", "a change raises the partition epoch by two",
        frozenset({"P11"}), ((partition_changes, "changed", _skips_one),)),
    PlantedBug("ends-epochs-late", "replication", "a leader says that an epoch ends one record later than it does",
        frozenset({"P14", "R8", "R13", "R17"}), ((LeaderEpochs, "end_offset_for", _ends_late),)),
    PlantedBug("trusts-the-crashed", "replication", "the controller takes every restart for a clean one",
        frozenset({"P23", "P1", "P2"}), ((registrations, "is_clean_restart", _always_clean),),
        seeds=(62,)),
    PlantedBug("takes-every-sequence", "replication", "a leader does not look at sequence numbers",
        frozenset({"P22"}), ((idempotence, "check_sequence", _takes_every_sequence),), seeds=(7,)),
)  # fmt: skip
