"""An idempotent producer's batch is in the log once, wherever its answers were lost and whoever leads."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import ProduceDuplicated, ProduceRefused, ReplicaAppended
from cluster.model.messages import ProduceRequest
from cluster.model.record_batch import Record, encode_batch
from tests.support.worlds.replica_world import ReplicaWorld

PRODUCER = 40


def request(
    sequence: int, *values: str, epoch: int = 0, acks: int = -1, producer_id: int = PRODUCER, timeout_ms: int = 800
) -> ProduceRequest:
    records = [Record(None, value.encode()) for value in values]
    data = encode_batch(records, sequenced=(producer_id, epoch, sequence))
    return ProduceRequest(client_id="p", topic="orders", partition=0, acks=acks, timeout_ms=timeout_ms, records=data)


def send(world: ReplicaWorld, node: int, sequence: int, *values: str, **changes: Any) -> tuple[int, int]:
    """(error, base offset) of the answer."""
    answer = world.answer_of(world.send_as_client(node, request(sequence, *values, **changes)))
    return answer.error, answer.base_offset


def test_a_batch_that_comes_again_is_answered_with_its_first_offset_and_not_written() -> None:
    world = ReplicaWorld()
    assert send(world, 1, 0, "a", "b") == (0, 0)
    assert send(world, 1, 2, "c") == (0, 2)
    assert send(world, 1, 0, "a", "b") == (0, 0)
    assert world.values(1) == ["a", "b", "c"]
    (told,) = world.named(ProduceDuplicated)
    assert (told.producer_id, told.base_sequence, told.base_offset, told.count) == (PRODUCER, 0, 0, 2)


@pytest.mark.parametrize(
    ("sequence", "epoch", "error"),
    [
        (5, 1, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (2, 0, ErrorCode.INVALID_PRODUCER_EPOCH),
        (1, 2, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
    ],
)
def test_a_gap_and_an_older_epoch_are_refused_and_the_log_stays(sequence: int, epoch: int, error: ErrorCode) -> None:
    world = ReplicaWorld()
    assert send(world, 1, 0, "a", "b", epoch=1) == (0, 0)
    assert send(world, 1, sequence, "x", epoch=epoch) == (error, -1)
    assert world.end(1) == 2
    assert [refused.error for refused in world.named(ProduceRefused)] == [error]
    assert send(world, 1, 2, "c", epoch=1) == (0, 2), "a refused batch leaves no trace in the sequence"


def test_the_event_of_an_append_tells_the_sequence_at_the_leader_and_at_the_followers() -> None:
    world = ReplicaWorld()
    world.produce(1, "plain")
    send(world, 1, 7, "a", "b")
    world.until(world.settled(1, 2, 3))
    for node in (1, 2, 3):
        told = [item for event in world.named(ReplicaAppended, node) for item in event.sequences]
        assert told == [(1, PRODUCER, 0, 7)]


@pytest.mark.parametrize("warm", [True, False], ids=["had written before", "is new to it"])
def test_the_next_leader_knows_what_it_copied(warm: bool) -> None:
    """The answer is lost with the leader; the retry finds its batch at the next one."""
    world = ReplicaWorld()
    if warm:
        send(world, 1, 0, "a")
        send(world, 1, 1, "b")
    at = world.end(1)
    send(world, 1, at, "c")
    world.until(world.settled(1, 2, 3))
    world.kill(1)
    world.until(lambda: world.state().leader == 2)
    assert send(world, 2, at, "c") == (0, at)
    assert send(world, 2, at + 2, "e") == (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
    assert send(world, 2, at + 1, "d") == (0, at + 1)


def test_a_restarted_broker_reads_the_sequences_from_its_log() -> None:
    world = ReplicaWorld()
    for number in range(4):
        send(world, 1, number, f"v{number}")
    world.until(world.settled(1, 2, 3))
    world.kill(1)
    world.start(1)
    world.until(lambda: world.state().isr == (1, 2, 3) and world.state().leader == 2)
    send(world, 2, 4, "v4")
    world.kill(2)
    world.kill(3)
    world.until(lambda: world.state().leader == 1)
    world.cuts.clear()
    answer = world.answer_of(world.send_as_client(1, request(3, "v3", acks=1)))
    assert (answer.error, answer.base_offset) == (0, 3)
    answer = world.answer_of(world.send_as_client(1, request(6, "v6", acks=1)))
    assert answer.error == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_batch_that_was_cut_may_be_written_again() -> None:
    """A leader alone appends, dies, comes back as a follower: its batch is cut, its sequence with it."""
    world = ReplicaWorld()
    send(world, 1, 0, "a")
    world.until(world.settled(1, 2, 3))
    world.cuts |= {(1, 2), (1, 3)}
    send(world, 1, 1, "lost", acks=1)
    world.kill(1)
    world.cuts.clear()
    world.until(lambda: world.state().leader == 2)
    assert send(world, 2, 1, "kept") == (0, 1)
    world.start(1)
    world.until(lambda: world.state().isr == (1, 2, 3))
    world.until(world.settled(1, 2, 3))
    world.kill(2)
    world.kill(3)
    world.until(lambda: world.state().leader == 1)
    answer = world.answer_of(world.send_as_client(1, request(1, "kept", acks=1)))
    assert (answer.error, answer.base_offset) == (0, 1)
    assert world.values(1) == ["a", "kept"]


def test_a_replica_that_is_cut_while_it_runs_forgets_the_sequence_of_what_is_gone() -> None:
    """Node 3 alone has copied a batch when its leader dies; the next leader cuts it off, and dies before it has it."""
    world = ReplicaWorld()
    send(world, 1, 0, "a")
    world.until(world.settled(1, 2, 3))
    world.cuts |= {(1, 2)}
    send(world, 1, 1, "kept", acks=1)
    world.until(lambda: world.end(3) == 2)
    world.kill(1)
    world.until(lambda: world.state().leader == 2 and world.end(3) == 1)
    world.kill(2)
    world.until(lambda: world.state().leader == 3)
    answer = world.answer_of(world.send_as_client(3, request(1, "kept", acks=1)))
    assert (answer.error, answer.base_offset) == (0, 1)
    assert world.values(3) == ["a", "kept"]


def test_a_duplicate_is_acknowledged_with_acks_all_only_once_it_is_committed() -> None:
    world = ReplicaWorld(replica_lag_time_max_ms=600_000)
    send(world, 1, 0, "a")
    world.until(world.settled(1, 2, 3))
    world.cuts |= {(2, 1), (3, 1)}
    first, later, again = (
        world.send_as_client(1, request(at, value, timeout_ms=60_000)) for at, value in ((1, "b"), (2, "c"), (1, "b"))
    )
    early = world.send_as_client(1, request(0, "a"))
    at_once = world.send_as_client(1, request(2, "c", acks=1))
    assert {early, at_once} <= set(world.answered), "what is committed, or only asked for here, is answered at once"
    assert not {first, later, again} & set(world.answered)
    world.cuts.clear()
    answers = [world.answer_of(correlation) for correlation in (first, again, later)]
    assert [(answer.error, answer.base_offset) for answer in answers] == [(0, 1), (0, 1), (0, 2)]


def test_a_duplicate_that_is_not_committed_in_time_says_so() -> None:
    world = ReplicaWorld(replica_lag_time_max_ms=600_000)
    world.cuts |= {(2, 1), (3, 1)}
    world.send_as_client(1, request(0, "a"))
    assert send(world, 1, 0, "a") == (ErrorCode.REQUEST_TIMED_OUT, 0)
    assert world.end(1) == 1


def test_producers_and_partitions_do_not_mix() -> None:
    world = ReplicaWorld()
    assert send(world, 1, 0, "a", producer_id=1) == (0, 0)
    assert send(world, 1, 0, "b", producer_id=2) == (0, 1)
    world.produce(1, "plain")
    assert send(world, 1, 1, "c", producer_id=1) == (0, 3)
    assert send(world, 1, 0, "b", producer_id=2) == (0, 1)


def test_acks_0_says_nothing_of_a_duplicate() -> None:
    world = ReplicaWorld()
    asked = [world.send_as_client(1, request(sequence, "a", acks=0)) for sequence in (0, 0, 5)]
    assert world.values(1) == ["a"]
    assert not set(asked) & set(world.answered)


def test_a_follower_that_was_cut_forgets_the_sequences_that_it_had_copied() -> None:
    """It never restarts: what it copied from the old leader went, and another record came in its place."""
    world = ReplicaWorld(replica_lag_time_max_ms=600_000)
    send(world, 1, 0, "a")
    world.until(world.settled(1, 2, 3))
    world.cuts |= {(1, 3), (3, 1)}
    asked = world.send_as_client(1, request(1, "b"))
    world.until(lambda: world.end(2) == 2)
    world.cuts |= {(2, other) for other in (1, 3, 101, 102, 103)} | {(other, 2) for other in (1, 3, 101, 102, 103)}
    world.kill(1)
    world.until(lambda: world.state().leader == 3)
    assert asked not in world.answered, "nobody was told that it is there"
    world.send_as_client(3, request(0, "x", producer_id=7, acks=1))
    world.cuts.clear()
    world.until(lambda: world.state().isr == (2, 3))
    assert world.values(2) == ["a", "x"]
    world.kill(3)
    world.start(1)
    world.until(lambda: world.state().leader == 2 and world.state().isr == (1, 2))
    assert send(world, 2, 1, "b") == (0, 2)
    assert world.values(2) == ["a", "x", "b"]
