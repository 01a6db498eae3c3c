"""The rules on ISRs, epochs and clients find bugs that are planted in the real code of brokers and controllers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from storms import Storm, verdicts, violated

from cluster.clients import client
from cluster.metadata import partition_changes, registrations
from cluster.model.identifiers import EpochEnd, NodeId
from cluster.model.leader_epochs import LeaderEpochs
from cluster.replication import watermark
from cluster.replication.state import ReplicaState

SEEDS = 8
STORM_S = 12.0
Plant = Callable[[pytest.MonkeyPatch], None]


def _commits_below_the_minimum(patch: pytest.MonkeyPatch) -> None:
    honest = watermark.rules.next_high_watermark

    def ungated(*arguments: Any, hw_gate: bool) -> Any:
        del hw_gate
        return honest(*arguments, hw_gate=False)

    patch.setattr(watermark.rules, "next_high_watermark", ungated)


def _counts_a_shrink_before_it_is_committed(patch: pytest.MonkeyPatch) -> None:
    def maximal(state: ReplicaState) -> tuple[NodeId, ...]:
        return state.isr if state.pending is None else state.pending.isr

    patch.setattr(ReplicaState, "maximal_isr", property(maximal))


def _keeps_a_fenced_broker_in_the_isr(patch: pytest.MonkeyPatch) -> None:
    honest = partition_changes._change

    def change(batch: Any, settings: Any, where: Any, _target_isr: Any, *others: Any) -> None:
        honest(batch, settings, where, batch.image.partitions[where].isr, *others)

    patch.setattr(partition_changes, "_change", change)


def _skips_a_partition_epoch(patch: pytest.MonkeyPatch) -> None:
    honest = partition_changes.changed

    def changed(*arguments: Any, **more: Any) -> Any:
        after, unclean, decision = honest(*arguments, **more)
        skipped = None if after is None else replace(after, partition_epoch=after.partition_epoch + 1)
        return skipped, unclean, decision

    patch.setattr(partition_changes, "changed", changed)


def _ends_an_epoch_one_record_late(patch: pytest.MonkeyPatch) -> None:
    honest = LeaderEpochs.end_offset_for

    def late(epochs: LeaderEpochs, epoch: int, log_end_offset: int) -> EpochEnd:
        found = honest(epochs, epoch, log_end_offset)
        return found if found.end_offset in (-1, log_end_offset) else EpochEnd(found.epoch, found.end_offset + 1)

    patch.setattr(LeaderEpochs, "end_offset_for", late)


def _trusts_who_came_back_from_a_crash(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(registrations.rules, "is_clean_restart", lambda _known, _request: True)


def _calls_a_timeout_a_failure(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(client, "may_have_happened", lambda _error, _function, _acks: False)


@dataclass(frozen=True)
class Bug:
    """A bug and the rule that has to say so."""

    plant: Plant
    caught_by: str
    first_seed: int = 0


BUGS = (
    Bug(_counts_a_shrink_before_it_is_committed, "P3"),
    Bug(_commits_below_the_minimum, "P8"),
    Bug(_keeps_a_fenced_broker_in_the_isr, "P10"),
    Bug(_skips_a_partition_epoch, "P11"),
    Bug(_ends_an_epoch_one_record_late, "P14", first_seed=15),
    Bug(_trusts_who_came_back_from_a_crash, "P23", first_seed=3),
    Bug(_calls_a_timeout_a_failure, "C3"),
)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.caught_by)
def test_a_planted_bug_is_caught_by_its_rule(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    seen: dict[int, dict[str, str]] = {}
    for seed in range(bug.first_seed, bug.first_seed + SEEDS):
        seen[seed] = violated(verdicts(Storm(seed).blow(STORM_S)))
        if bug.caught_by in seen[seed]:
            return
    pytest.fail(f"not caught in seeds {min(seen)} to {max(seen)}: {[found for found in seen.values() if found]}")
