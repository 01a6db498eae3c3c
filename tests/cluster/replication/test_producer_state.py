"""What is known of producers equals what the log says, however it came to be known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.model.record_batch import Record, batches, encode_batch, read_header
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
