from __future__ import annotations

from cluster.model.events import FaultApplied, FaultReverted
from workbench.challenges.challenge import WholeRun
from workbench.challenges.losses import LoseWithOneFault


def test_a_fault_counts_also_after_it_was_healed() -> None:
    attempt = WholeRun()
    for number in (1, 2):
        attempt.apply(FaultApplied(fault_id=number, kind="Pause", arguments="2"))
        attempt.apply(FaultReverted(fault_id=number, kind="Pause", arguments="2"))
    assert attempt.count == 2


def test_a_seed_draws_the_field() -> None:
    assert LoseWithOneFault.field_of(4) == LoseWithOneFault.fields[0] != LoseWithOneFault.field_of(5)
