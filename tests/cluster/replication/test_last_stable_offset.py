"""What is decided of the transactions of a log, and what was aborted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.model.record_batch import Record, batches, encode_batch, read_header, with_offset_and_epoch
from cluster.model.transaction_marker import Marker, encode_marker, read_marker
from cluster.replication import producer_state
from cluster.replication.last_stable_offset import LogTransactions
from cluster.replication.producer_state import ProducerState
from tests.support.worlds.node_world import MemoryLog


def test_a_reader_stops_before_what_is_undecided_and_leaves_out_what_was_aborted() -> None:
    log = LogTransactions()
    log.begin(1, 4)
    log.begin(2, 5)
    log.begin(1, 6)
    assert (log.open_from(1), log.open_from(2), log.open_from(3)) == (4, 5, -1)
    log.end(1, 7, committed=False)
    assert log.last_stable_offset(7, 0) == 4, "its marker is not committed"
    assert log.last_stable_offset(9, 0) == 5 and log.aborted(0, 9) == ((1, 4),)
    log.end(2, 9, committed=True)
    assert log.last_stable_offset(10, 0) == 10 and log.last_stable_offset(10, 12) == 12
    assert log.aborted(5, 6) == ((1, 4),) and log.aborted(8, 9) == ()


Ended = tuple[int, int, int, bool]
"""Producer, first offset, offset of the marker, whether it was committed."""


def read_by_hand(log: MemoryLog) -> tuple[dict[int, int], list[Ended]]:
    """First offsets of what is open, and all that has ended, in the order of the markers."""
    begun: dict[int, int] = {}
    ended: list[Ended] = []
    data = log.read(0, 1 << 20) if log.log_end_offset else b""
    for header, batch in batches(data):
        if not header.control:
            begun.setdefault(header.producer_id, header.base_offset)
            continue
        marker = read_marker(batch)
        assert marker is not None
        if header.producer_id in begun:
            ended.append((header.producer_id, begun.pop(header.producer_id), header.base_offset, marker.committed))
    return begun, ended


transactions = st.lists(
    st.tuples(st.sampled_from(["write", "write", "write", "commit", "abort", "abort", "cut"]), st.integers(0, 3)),
    min_size=4,
    max_size=20,
)


@settings(deadline=None)
@given(transactions)
def test_what_is_open_and_what_was_aborted_is_the_same_as_read_from_the_log(
    script: list[tuple[str, int]],
) -> None:
    """Also when more producers write than are remembered, and when a cut takes markers away."""
    log, state = MemoryLog(), ProducerState()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(producer_state, "PRODUCERS_MAX", 2)
        for what, number in script:
            base = log.log_end_offset
            if what == "cut":
                log.truncate(max(0, base - number))
                state.truncate(log.log_end_offset)
                state.catch_up(log)
                continue
            data = (
                encode_batch([Record(None, b"v")] * 2, transactional=True, sequenced=(number, 0, 0))
                if what == "write"
                else encode_marker(number, 0, Marker(what == "commit", 0))
            )
            placed = with_offset_and_epoch(data, base, 0)
            log.append(placed)
            state.wrote(read_header(placed), base, placed)
    begun, ended = read_by_hand(log)
    assert {each: state.transactions.open_from(each) for each in range(4)} == {
        each: begun.get(each, -1) for each in range(4)
    }
    aborted = [(who, first, last) for who, first, last, committed in ended if not committed]
    ranges = [(start, end) for end in range(log.log_end_offset + 1) for start in range(end + 1)]
    for start, end in ranges:
        among = tuple((who, first) for who, first, last in aborted if last >= start and first < end)
        assert state.transactions.aborted(start, end) == among, (start, end)
    for high_watermark in range(log.log_end_offset + 1):
        undecided = [*begun.values(), *(first for _, first, last, _ in ended if last >= high_watermark)]
        assert state.transactions.last_stable_offset(high_watermark, 0) == min([high_watermark, *undecided])


def test_what_lies_before_the_log_start_is_named_no_more() -> None:
    state = ProducerState()
    for base in (0, 2, 4):
        data = encode_batch([Record(None, b"v")], transactional=True, sequenced=(7, 0, 0))
        state.wrote(read_header(data), base, data)
        marker = encode_marker(7, 0, Marker(committed=False, coordinator_epoch=0))
        state.wrote(read_header(marker), base + 1, marker)
    state.transactions.forget_aborted(3)
    assert state.transactions.aborted(0, 6) == ((7, 2), (7, 4)), "the marker at 3 is still there"
    state.transactions.forget_aborted(4)
    assert state.transactions.aborted(0, 6) == ((7, 4),)
