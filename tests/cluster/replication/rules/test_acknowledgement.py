"""How many in-sync replicas acks=all needs, before and after."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.replication.rules.acknowledgement import acknowledge_records, may_append


@pytest.mark.parametrize(
    ("acks", "isr", "may"),
    [(-1, (1, 2), True), (-1, (1,), False), (1, (1,), True), (0, (1,), True), (-1, (1, 2, 3), True)],
)
def test_how_many_acks_all_needs(acks: int, isr: tuple[int, ...], may: bool) -> None:  # noqa: FBT001
    before, after = may_append(acks, isr, 2), acknowledge_records(acks, isr, 2)
    assert (before.value, before.granted) == (may, may)
    error = ErrorCode.NONE if may else ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    assert (after.value, after.granted) == (error, may)
    if not may:
        assert before.numbers == after.numbers == {"acks": -1, "isr": [1], "min.insync.replicas": 2}
