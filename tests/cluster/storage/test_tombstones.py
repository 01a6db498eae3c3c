"""How long a tombstone stays."""

from __future__ import annotations

import pytest

from cluster.model.record_batch import Record
from cluster.storage.tombstones import NO_HORIZON, is_tombstone, may_go


@pytest.mark.parametrize(("horizon_ms", "goes"), [(NO_HORIZON, False), (0, True), (100, True), (101, False)])
def test_it_goes_when_everybody_had_time_to_see_it(horizon_ms: int, goes: bool) -> None:  # noqa: FBT001
    assert may_go(horizon_ms, 100) is goes


def test_an_empty_value_is_a_value() -> None:
    assert is_tombstone(Record(b"k", None)) and not is_tombstone(Record(b"k", b""))
