"""Faults that the checker knows by name."""

from __future__ import annotations

from cluster.faults.grammar import VERB_OF
from cluster.invariants.liveness.fault_kinds import LOSING, MISTIMING, SPLITTING


def test_every_kind_that_is_named_is_the_kind_of_a_fault() -> None:
    assert {*SPLITTING, *MISTIMING, LOSING} <= set(VERB_OF)
