"""What a record says is known from the request that brought it, and from nothing else."""

from __future__ import annotations

import pytest

from cluster.model.events import OperationSucceeded, ReplicaAppended
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.picture.logs import Cell
from cluster.picture.written import SHOWN_WHOLE, Written
from tests.support.traces.played import ready

ORDERS = TopicPartition("orders", 0)


def values(state: ClusterState, node: int) -> list[str]:
    log = state.logs[node, ORDERS]
    cells = [(offset, log.cell_at(offset)) for offset in range(log.log_end_offset)]
    return ["" if cell is None else state.written.value(ORDERS, cell, offset) for offset, cell in cells]


def test_each_record_of_a_batch_is_known_on_each_replica() -> None:
    world = ready(seed=0)
    world.do("produce orders 2 acks=all value=hat batch=2")
    world.run_until(lambda: False, 1.0)
    for node in (1, 2, 3):
        assert values(world.cluster(), node) == ["value-1", "value-2", "value-3", "hat-1", "hat-2"]


def test_a_request_that_is_sent_again_is_the_same_request() -> None:
    world = ready(seed=0)
    world.do("produce orders 3 acks=all value=ann in-flight=3 spoil=2")
    world.run_until(lambda: False, 1.0)
    assert values(world.cluster(), 1)[3:] == ["ann-1", "ann-3", "ann-2"]


def test_a_request_without_an_answer_does_not_hide_those_after_it() -> None:
    world = ready(seed=0)
    world.do("pause 1", "produce orders 1 acks=1 value=late retries=no", "resume 1")
    world.run_until(lambda: False, 5.0)
    world.do("produce orders 1 acks=all value=hat")
    world.run_until(lambda: False, 1.0)
    picture = world.cluster()
    assert values(picture, picture.partitions[ORDERS].leader)[-1] == "hat-1"
    assert not picture.written.asked


def test_it_is_known_as_soon_as_it_is_written_whether_or_not_it_is_ever_answered() -> None:
    state = ClusterState()
    for entry in ready(seed=0).entries:
        assert not (isinstance(entry.event, OperationSucceeded) and entry.event.function == "produce")
        state.apply(entry)
        if isinstance(entry.event, ReplicaAppended) and entry.event.role == "leader":
            break
    assert values(state, 1) == ["value-1"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("a-1, a-3", 2), ("a-1 to a-3", 2), ("a-1 to b-2", 2), ("x" * SHOWN_WHOLE, 1), ("a-1 to a-2", 3), ("", 1)],
)
def test_what_the_events_do_not_tell_for_certain_is_not_known(text: str, count: int) -> None:
    written = Written(batches={("orders", 0, "ff"): text})
    assert written.value(ORDERS, Cell(0, count, 0, "ff"), 0) == ""
    assert written.value(ORDERS, Cell(0, count, 0, "fe"), 0) == ""
