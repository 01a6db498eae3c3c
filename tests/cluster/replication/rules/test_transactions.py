"""The rules of a leader about transactions, each at its bounds."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.replication.producer_state import ProducerEntry
from cluster.replication.rules.transactions import MarkerFate, may_write_marker, may_write_outside, must_verify

KNOWN = ProducerEntry(epoch=3, coordinator_epoch=5)


@pytest.mark.parametrize(("open_from", "error"), [(-1, ErrorCode.NONE), (0, ErrorCode.INVALID_TXN_STATE)])
def test_nothing_is_written_beside_an_open_transaction(open_from: int, error: ErrorCode) -> None:
    assert may_write_outside(open_from, 7).value == error


@pytest.mark.parametrize(
    ("open_from", "adds", "verification", "asks"),
    [(0, True, True, False), (-1, True, False, True), (-1, False, True, True), (-1, False, False, False)],
)
def test_the_coordinator_is_asked_before_the_first_batch(
    open_from: int, adds: bool, verification: bool, asks: bool
) -> None:
    ruling = must_verify(open_from, adds_partition=adds, verification=verification)
    assert ruling.granted is asks
    assert ("off" in ruling.decision.reason) is (open_from < 0 and not adds and not verification)


@pytest.mark.parametrize(
    ("entry", "epoch", "coordinator_epoch", "bumps", "fate"),
    [
        (None, 0, 0, True, MarkerFate.WRITE),
        (KNOWN, 3, 5, False, MarkerFate.WRITE),
        (KNOWN, 3, 5, True, MarkerFate.WRITTEN),
        (KNOWN, 4, 5, True, MarkerFate.WRITE),
        (KNOWN, 2, 5, False, ErrorCode.INVALID_PRODUCER_EPOCH),
        (KNOWN, 4, 4, True, ErrorCode.TRANSACTION_COORDINATOR_FENCED),
        (KNOWN, 2, 4, False, ErrorCode.INVALID_PRODUCER_EPOCH),
    ],
)
def test_a_marker_is_written_once_and_by_the_newest(
    entry: ProducerEntry | None, epoch: int, coordinator_epoch: int, bumps: bool, fate: MarkerFate | ErrorCode
) -> None:
    ruling = may_write_marker(entry, epoch, coordinator_epoch, bumps_epoch=bumps)
    assert (ruling.value, ruling.granted) == (fate, isinstance(fate, MarkerFate))
    told = {} if entry is None else {
        "known_epoch": 3, "known_coordinator_epoch": 5, "bumps epoch": int(bumps),
    }  # fmt: skip
    assert ruling.numbers == {"producer_epoch": epoch, "coordinator_epoch": coordinator_epoch, **told}
