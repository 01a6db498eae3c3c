"""Markers go to each leader until it has written one; then the transaction is complete."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import MarkersSent
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.inputs import Disconnected
from cluster.transactions.state import Transaction, TransactionState
from tests.support.worlds.coordinated import Coordinated

A, B = TopicPartition("a", 0), TopicPartition("b", 0)
DECIDED = Transaction(
    transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=100, partitions=frozenset((A, B)),
    state=TransactionState.PREPARE_COMMIT, started_ms=1, bumps_epoch=True,
)  # fmt: skip


def marker_number(world: Coordinated) -> int:
    kept = world.coordinator.kept("t")
    assert kept is not None
    return kept.number


def state_of(world: Coordinated) -> str:
    kept = world.coordinator.kept("t")
    assert kept is not None and kept.now is not None
    return str(kept.now.state)


def led() -> Coordinated:
    class Led(Coordinated):
        def leader_of(self, where: TopicPartition) -> int | None:
            return self.leaders.get(where, 2 if where == A else 3)

    return Led(DECIDED)


def test_a_new_coordinator_sends_the_markers_of_what_was_decided() -> None:
    world = led()
    assert [(target, marker.topic, marker.committed) for target, _, marker in world.markers] == [
        (2, "a", True), (3, "b", True)
    ]  # fmt: skip
    assert world.markers[0][2].coordinator_epoch == 4
    assert [type(event) for event in world.events].count(MarkersSent) == 1
    world.mark()
    assert state_of(world) == "PrepareCommit"
    world.mark()
    assert state_of(world) == "CompleteCommit"


@pytest.mark.parametrize("error", [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_ENOUGH_REPLICAS])
def test_a_leader_that_cannot_is_asked_again(error: ErrorCode) -> None:
    world = led()
    world.mark(error)
    world.mark()
    assert state_of(world) == "PrepareCommit"
    world.fire(f"transactions.markers.{marker_number(world)}")
    world.mark()
    assert state_of(world) == "CompleteCommit"


def test_only_who_could_not_is_asked_again_while_the_other_may_still_answer() -> None:
    world = led()
    world.mark(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    ((other, _, marker),) = world.markers
    assert (other, marker.topic) == (3, "b")
    world.fire(f"transactions.markers.{marker_number(world)}")
    assert [(target, marker.topic) for target, _, marker in world.markers] == [(3, "b"), (2, "a")]


def test_nobody_is_asked_while_a_change_of_the_id_is_on_its_way() -> None:
    world = led()
    kept = world.coordinator.kept("t")
    assert kept is not None
    kept.wants_id = True
    world.fire(f"transactions.markers.{marker_number(world)}")
    assert len(world.markers) == 2
    kept.wants_id = False
    world.fire(f"transactions.markers.{marker_number(world)}")
    assert len(world.markers) == 4, "both are silent"


def test_a_leader_whose_connection_broke_is_asked_again_and_its_late_answer_counts_for_nothing() -> None:
    world = led()
    late = world.markers[0]
    world.give(Disconnected(peer=2))
    world.fire(f"transactions.markers.{marker_number(world)}")
    again = [marker for target, _, marker in world.markers if target == 2]
    assert len(again) == 2
    world.markers = [late, *[each for each in world.markers if each is not late]]
    world.mark()
    assert state_of(world) == "PrepareCommit"


def test_a_deleted_topic_needs_no_marker() -> None:
    world = Coordinated(DECIDED)
    assert state_of(world) == "CompleteCommit"


def test_a_partition_without_a_leader_is_waited_for() -> None:
    world = led()
    world.leaders = {A: NO_NODE}
    world.mark(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    world.mark()
    world.fire(f"transactions.markers.{marker_number(world)}")
    assert not world.markers
    assert state_of(world) == "PrepareCommit"


@pytest.mark.parametrize("error", [ErrorCode.TRANSACTION_COORDINATOR_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH])
def test_a_coordinator_that_is_not_the_newest_says_no_more(error: ErrorCode) -> None:
    world = led()
    world.mark(error)
    world.fire(f"transactions.markers.{marker_number(world)}")
    assert len(world.markers) == 1, "the other one, which it had asked already"
