"""In a fixed range of seeds each kind of fault is in force and each rule is checked so often, or the reason is told."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from workbench.cli.swarm import Trouble, one_seed, reached

SEEDS, TROUBLE_S = range(310_000, 310_100), 10.0
"""Each of the seven parts fourteen times, a third of these with fetch sessions."""
FAULTS_MIN, CHECKS_MIN = 3, 15
NO_FAULT = dict.fromkeys(
    ("ClientCut", "ClientSlow", "ClientDropResponses", "InjectError"),
    "it stands between a broker and Kafka clients, of which a simulation has none",
)
"""Kind to why no seed has it in force."""
SELDOM_FAULT = {
    "FsyncLieDir": "few seeds have it, since it excuses much",
    "Rot": "one of four damages, and only where a dead node did not stop in order and its log has one segment",
}
"""Kind to why it is in force less often than FAULTS_MIN, and yet once."""
SELDOM_CHECK = {
    "P19": "a deposed leader has to acknowledge acks=all, and so must be cut off with its whole ISR",
    "L14": "few moves of a replica are under way when all trouble is over",
    "L6": "a group has to stay as it is for several heartbeats after all trouble is over",
    "L11": "one seed in ten stays calm for a minute",
}
"""Rule to why it is checked less often than CHECKS_MIN, and yet once."""


@cache
def counts() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Checks, faults in force, and those that held a message."""
    return reached([one_seed(seed, Trouble(TROUBLE_S, all_parts=True)) for seed in SEEDS])


def below(least: int, found: Mapping[str, int], seldom: Mapping[str, str]) -> dict[str, int]:
    """What was reached less often than it has to be."""
    return {name: count for name, count in found.items() if count < (1 if name in seldom else least)}


@pytest.mark.slow
def test_each_kind_of_fault_is_in_force() -> None:
    _, in_force, _ = counts()
    assert below(FAULTS_MIN, in_force, SELDOM_FAULT) == dict.fromkeys(NO_FAULT, 0)


@pytest.mark.slow
def test_each_kind_of_fault_that_holds_messages_holds_some() -> None:
    _, in_force, held = counts()
    assert below(FAULTS_MIN, held, {}) == {}
    assert all(count <= in_force[kind] for kind, count in held.items())


@pytest.mark.slow
def test_each_rule_is_checked() -> None:
    checks, _, _ = counts()
    assert below(CHECKS_MIN, checks, SELDOM_CHECK) == {}
