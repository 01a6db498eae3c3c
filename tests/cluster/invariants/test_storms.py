"""The checker finds nothing in the code as it is; tests/swarm plants bugs that it must find."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from tests.support.traces.storms import Storm, verdicts, violated

STORM_S = 12.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lies", [False, True])
def test_a_storm_over_the_code_as_it_is_violates_nothing(seed: int, lies: bool) -> None:
    table = verdicts(Storm(seed, lies=lies).blow(STORM_S))
    assert violated(table) == {}
    evaluated = {line.info.id for line in table if line.verdict is not Verdict.NOT_EVALUATED}
    assert {"R1", "R2", "R3", "R4", "R5", "R6", "R8", "R11", "R17", "P1", "P6", "C12", "T1", "T3", "T5"} <= evaluated


MODES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "lying disks": {"lies": True},
    "unkind network": {"unkind": True},
    "no pre-vote": {"pre_vote": False},
    "unclean elections": {"elr": False, "unclean_leader_election": True},
    "old truncation": {"truncation_mode": "hw"},
    "flushed partitions": {"flush_partitions": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_hundred_storms_violate_nothing(mode: str) -> None:
    """With frames that vanish nothing is promised about when, so liveness is left out there."""
    families = "RPCT" if mode == "unkind network" else "RPCLT"
    for seed in range(1_000, 1_100):
        found = violated(verdicts(Storm(seed, **MODES[mode]).blow(20.0)))
        assert {invariant: text for invariant, text in found.items() if invariant[0] in families} == {}, f"seed {seed}"
