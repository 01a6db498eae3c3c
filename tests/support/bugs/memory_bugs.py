"""Bugs of what is remembered: of producers, of eligible replicas, of epochs, of what is committed."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.controller import partition_changes, producer_ids
from cluster.controller.rules import proposed_isr
from cluster.model.effects import Truncate
from cluster.model.errors import ErrorCode
from cluster.replication import following, isr, producer_state
from cluster.replication.state import ReplicaState
from tests.support.bugs.planted import PlantedBug


def _keeps_its_high_watermark(truncate: Any) -> Any:
    """A follower cuts its log and goes on calling committed what it cut."""

    def cut(state: ReplicaState, *given: Any) -> Any:
        before = state.high_watermark
        effects = truncate(state, *given)
        if not effects:
            return []
        state.high_watermark = before
        told = replace(effects[0].event, high_watermark_after=before)
        return [replace(effects[0], event=told), *(each for each in effects[1:] if isinstance(each, Truncate))]

    return cut


def _keeps_the_eligible(changed: Any) -> Any:
    """An unclean election leaves in the ELR whom it passed over."""

    def change(candidates: Any, *given: Any, **named: Any) -> Any:
        after, unclean, decision = changed(candidates, *given, **named)
        if unclean and after is not None:
            left = tuple(node for node in candidates.target_elr or candidates.state.replicas if node not in after.isr)
            after = replace(after, elr=left)
        return after, unclean, decision

    return change


def _names_the_epoch_before(request: Any) -> Any:
    return lambda **told: request(**told | {"partition_epoch": told["partition_epoch"] - 1})


def _takes_old_proposals(_judge_epochs: Any) -> Any:
    return lambda _state, _request: (ErrorCode.NONE, "")


def _forgets_half_a_block(record: Any) -> Any:
    return lambda **told: record(**told | {"next_producer_id": told["next_producer_id"] - 500})


def _keeps_one(_batches_kept: Any) -> Any:
    return 1


MEMORY_BUGS = (
    PlantedBug("keeps-the-eligible", "replication", "an unclean election does not empty the ELR",
               frozenset({"P26"}), ((partition_changes, "changed", _keeps_the_eligible),)),
    PlantedBug("takes-old-proposals", "replication", "a leader names an older epoch, and the controller takes it",
               frozenset({"P27"}), ((proposed_isr, "_judge_epochs", _takes_old_proposals),
                                    (isr, "AlterPartitionRequest", _names_the_epoch_before))),
    PlantedBug("forgets-half-a-block", "replication", "a controller gives half of each block of producer ids twice",
               frozenset({"P28"}), ((producer_ids, "ProducerIdsRecord", _forgets_half_a_block),), seeds=(7,)),
    PlantedBug("keeps-one-batch", "replication", "a leader keeps the last batch of each producer only",
               frozenset({"P29"}), ((producer_state, "BATCHES_KEPT", _keeps_one),), seeds=(6,)),
    PlantedBug("keeps-its-high-watermark", "replication", "a follower's high watermark does not fall with its log",
               frozenset({"P25"}), ((following, "truncate", _keeps_its_high_watermark),), seeds=(14,)),
)  # fmt: skip
