"""Who leaves the ISR and who joins it, at each bound."""

from __future__ import annotations

import pytest

from cluster.replication.rules.in_sync_replicas import (
    expand_isr,
    shrink_isr,
    shrink_isr_by_messages,
)


@pytest.mark.parametrize(
    ("end", "silence_ms", "leaves"), [(9, 999, False), (8, 100, False), (8, 101, True), (10, 101, True)]
)
def test_who_leaves_the_isr(end: int, silence_ms: int, leaves: bool) -> None:  # noqa: FBT001
    ruling = shrink_isr(2, end, 9, silence_ms, 100)
    assert (ruling.value, ruling.granted) == (leaves, leaves)
    assert ruling.numbers == {
        "replica_id": 2,
        "log_end_offset": end,
        "leader_log_end_offset": 9,
        "not_caught_up_ms": silence_ms,
        "replica.lag.time.max.ms": 100,
    }


@pytest.mark.parametrize(
    ("end", "silence_ms", "leaves"),
    [(9, 999, False), (8, 100, False), (8, 101, True), (6, 0, False), (5, 0, True), (4, 0, True)],
)
def test_who_left_the_isr_before_0_9(end: int, silence_ms: int, leaves: bool) -> None:  # noqa: FBT001
    ruling = shrink_isr_by_messages(2, end, 9, silence_ms, 100, 3)
    assert (ruling.value, ruling.granted, ruling.numbers["behind"]) == (leaves, leaves, 9 - end)


@pytest.mark.parametrize(
    ("end", "high_watermark", "start", "epoch", "registered", "joins"),
    [
        (5, 5, 5, 7, 7, True),
        (4, 5, 4, 7, 7, False),
        (4, 4, 5, 7, 7, False),
        (9, 5, 5, -1, 7, True),
        (9, 5, 5, -2, 7, False),
        (9, 5, 5, 6, 7, False),
        (9, 5, 5, 7, None, False),
    ],
)
def test_who_joins_the_isr(
    end: int,
    high_watermark: int,
    start: int,
    epoch: int,
    registered: int | None,
    joins: bool,  # noqa: FBT001
) -> None:
    ruling = expand_isr(2, end, high_watermark, start, epoch, registered)
    assert (ruling.value, ruling.granted) == (joins, joins)
    assert ruling.numbers.get("registered_broker_epoch") == registered
    assert (
        ruling.reason == "its broker is fenced or leaving"
        if registered is None
        else "broker is fenced" not in (ruling.reason)
    )
