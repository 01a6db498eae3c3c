"""What is known of producers equals what the log says, however it came to be known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.model.record_batch import Record, batches, encode_batch, read_header, with_offset_and_epoch
from cluster.model.transaction_marker import Marker, encode_marker, read_marker
from cluster.replication import producer_state
from cluster.replication.producer_state import ProducerState
from tests.support.worlds.node_world import MemoryLog


def written(log: MemoryLog, producer_id: int, epoch: int, base_sequence: int, count: int) -> bytes:
    """A batch at the log's end; producer -1 is not idempotent."""
    sequenced = (producer_id, epoch, base_sequence) if producer_id >= 0 else (-1, -1, -1)
    data = encode_batch([Record(None, b"v")] * count, log.log_end_offset, 0, 7, sequenced=sequenced)
    log.append(data)
    return data


def shown(state: ProducerState) -> dict[int, tuple[int, list[tuple[int, ...]]]]:
    return {each: (entry.epoch, [tuple(batch) for batch in entry.batches]) for each, entry in state.entries()}


def read_anew(log: MemoryLog) -> ProducerState:
    state = ProducerState()
    state.catch_up(log)
    return state


steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["lead", "copy", "miss"]), st.integers(-1, 2), st.integers(1, 3)),
        st.tuples(st.just("cut"), st.integers(0, 30), st.just(0)),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(steps)
def test_it_is_the_same_as_read_from_the_log(script: list[tuple[str, int, int]]) -> None:
    log, state = MemoryLog(), ProducerState()
    sequences = dict.fromkeys(range(3), 0)
    for step, number, count in script:
        if step == "cut":
            log.truncate(number)
            state.truncate(log.log_end_offset)
            continue
        base = log.log_end_offset
        if step == "lead":
            state.catch_up(log)
        data = written(log, number, 0, sequences.get(number, -1), count)
        sequences[number] = sequences.get(number, 0) + count
        header = read_header(data)
        if step == "lead" and number >= 0:
            state.wrote(header, base, data)
        elif step == "copy":
            state.copied(base, base + count, [(header, memoryview(data))] if number >= 0 else [])
    state.catch_up(log)
    assert shown(state) == shown(read_anew(log))


def test_a_cut_of_others_costs_nothing_and_a_cut_of_a_producer_is_read_anew() -> None:
    log = MemoryLog()
    for at in range(7):
        written(log, 1, 0, at, 1)
    written(log, -1, 0, 0, 5)
    state = read_anew(log)
    log.truncate(8)
    state.truncate(log.log_end_offset)
    assert state.next_offset == 7
    log.truncate(6)
    state.truncate(log.log_end_offset)
    assert state.next_offset == 0
    state.catch_up(log)
    entry = state.entry(1)
    assert entry is not None
    assert [batch.base_sequence for batch in entry.batches] == [1, 2, 3, 4, 5], "the fifth last is back"


def test_a_new_epoch_forgets_the_batches_of_the_old_one() -> None:
    log = MemoryLog()
    written(log, 1, 0, 0, 3)
    written(log, 1, 1, 0, 2)
    assert shown(read_anew(log)) == {1: (1, [(0, 1, 3, 5)])}


def test_a_follower_that_missed_something_reads_it_later() -> None:
    log, state = MemoryLog(), ProducerState()
    written(log, 1, 0, 0, 1)
    data = written(log, 1, 0, 1, 1)
    ((header, view),) = list(batches(data))
    state.copied(1, 2, [(header, view)])
    assert (state.next_offset, state.entry(1)) == (0, None)
    state.catch_up(log)
    assert shown(state) == {1: (0, [(0, 0, 0, 1), (1, 1, 1, 2)])}


def test_who_wrote_longest_ago_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryLog()
    for producer in (5, 6, 5, 7):
        written(log, producer, 0, 0 if producer != 5 else log.log_end_offset, 1)
    monkeypatch.setattr(producer_state, "PRODUCERS_MAX", 2)
    assert set(shown(read_anew(log))) == {5, 7}


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
    assert {each: state.open_from(each) for each in range(4)} == {each: begun.get(each, -1) for each in range(4)}
    aborted = [(who, first, last) for who, first, last, committed in ended if not committed]
    ranges = [(start, end) for end in range(log.log_end_offset + 1) for start in range(end + 1)]
    for start, end in ranges:
        among = tuple((who, first) for who, first, last in aborted if last >= start and first < end)
        assert state.aborted(start, end) == among, (start, end)
    for high_watermark in range(log.log_end_offset + 1):
        undecided = [*begun.values(), *(first for _, first, last, _ in ended if last >= high_watermark)]
        assert state.last_stable_offset(high_watermark, 0) == min([high_watermark, *undecided])


def test_what_lies_before_the_log_start_is_named_no_more() -> None:
    state = ProducerState()
    for base in (0, 2, 4):
        data = encode_batch([Record(None, b"v")], transactional=True, sequenced=(7, 0, 0))
        state.wrote(read_header(data), base, data)
        marker = encode_marker(7, 0, Marker(committed=False, coordinator_epoch=0))
        state.wrote(read_header(marker), base + 1, marker)
    state.forget_aborted(3)
    assert state.aborted(0, 6) == ((7, 2), (7, 4)), "the marker at 3 is still there"
    state.forget_aborted(4)
    assert state.aborted(0, 6) == ((7, 4),)
