"""Who stays eligible to lead after leaving the ISR."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.controller.rules.eligible_leader_replicas import eligible_leader_replicas, in_assignment_order
from cluster.model.partition_state import PartitionState

STATE = PartitionState(
    topic_id=1,
    replicas=(1, 2, 3),
    isr=(1, 2, 3),
    leader=1,
    leader_epoch=0,
    partition_epoch=0,
    min_insync_replicas=2,
)


@pytest.mark.parametrize(
    ("isr", "elr", "target", "lost", "enabled", "expected"),
    [
        ((1, 2), (), (1,), (), True, (2,)),
        ((1, 2), (), (1,), (), False, ()),
        ((1, 2), (3,), (1, 2), (), True, ()),
        ((2,), (3,), (), (), True, (2, 3)),
        ((2,), (3, 1), (), (1,), True, (2, 3)),
        ((2,), (), (), (2,), True, ()),
        ((2,), (3,), (3,), (), True, (2,)),
    ],
)
def test_who_stays_eligible(  # noqa: PLR0913
    isr: tuple[int, ...],
    elr: tuple[int, ...],
    target: tuple[int, ...],
    lost: tuple[int, ...],
    enabled: bool,  # noqa: FBT001
    expected: tuple[int, ...],
) -> None:
    state = replace(STATE, isr=isr, elr=elr)
    ruling = eligible_leader_replicas(state, target, enabled, frozenset(lost))
    assert (ruling.value, ruling.granted) == (expected, bool(expected))


def test_members_in_the_order_of_the_assignment() -> None:
    assert in_assignment_order(STATE, {3, 1, 9}) == (1, 3)
