"""Partitions of a transaction are known once that is committed."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionRefused, TransactionStateChanged
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import AddOffsetsToTxnRequest, AddPartitionsToTxnRequest, InitProducerIdRequest
from cluster.transactions.state import Transaction, TransactionState
from tests.support.worlds.coordinated import Coordinated

NEW = Transaction(transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=100)


A, B = TopicPartition("a", 0), TopicPartition("b", 1)


def knowing(*partitions: TopicPartition) -> Coordinated:
    """A coordinator whose metadata has these partitions."""
    world = Coordinated(NEW)
    world.leaders = dict.fromkeys(partitions, 2)
    return world


def partitions_of(world: Coordinated) -> list[TopicPartition]:
    kept = world.coordinator.kept("t")
    assert kept is not None and kept.now is not None
    return sorted(kept.now.partitions)


def add(*partitions: tuple[str, int], verify: bool = False, epoch: int = 3) -> AddPartitionsToTxnRequest:
    return AddPartitionsToTxnRequest(
        transactional_id="t", producer_id=7, producer_epoch=epoch, partitions=partitions, verify_only=verify
    )


def test_partitions_are_added_and_a_question_adds_none() -> None:
    world = knowing(A, B)
    assert world.ask(add(("a", 0), verify=True)).partitions == (("a", 0, ErrorCode.TRANSACTION_ABORTABLE),)
    assert world.ask(add(("a", 0))).partitions == (("a", 0, 0),)
    end = world.replica.high_watermark
    assert world.ask(add(("a", 0))).partitions == (("a", 0, 0),)
    assert world.replica.high_watermark == end, "it is part of it already"
    assert world.ask(add(("b", 1))).partitions == (("b", 1, 0),)
    assert partitions_of(world) == [("a", 0), ("b", 1)]
    count = len(world.events)
    assert world.ask(add(("b", 1), verify=True)).partitions == (("b", 1, 0),)
    assert len(world.events) == count, "a yes to a question is no news"
    assert world.ask(add(("b", 1), epoch=2)).partitions == (("b", 1, ErrorCode.PRODUCER_FENCED),)


def test_a_question_about_what_an_open_transaction_lacks_is_refused_and_so_is_one_about_nobody() -> None:
    world = knowing(A, B)
    world.ask(add(("a", 0)))
    told = world.ask(add(("a", 0), ("b", 1), verify=True)).partitions
    assert {error for *_, error in told} == {ErrorCode.TRANSACTION_ABORTABLE}, "all of it is in, or the answer is no"
    assert isinstance(world.events[-1], TransactionRefused)
    unknown = add(("a", 0), verify=True)
    unknown.transactional_id = "u"
    begins = InitProducerIdRequest(client_id="p", transactional_id="u", transaction_timeout_ms=100)
    for _ in range(2):
        assert world.ask(unknown).partitions == (("a", 0, ErrorCode.INVALID_PRODUCER_ID_MAPPING),)
        world.give(Received(sender=1001, correlation=9, message=begins))  # it waits for its producer id now


def test_a_transaction_begins_with_its_first_partition_and_goes_on_with_the_next() -> None:
    world = knowing(A, B)
    for now_ms, partition in ((2_000, ("a", 0)), (3_000, ("b", 1))):
        world.now_ms = now_ms
        world.ask(add(partition))
    kept = world.coordinator.kept("t")
    assert kept is not None and kept.now is not None
    assert (kept.now.state, kept.now.started_ms, kept.now.updated_ms) == (TransactionState.ONGOING, 2_000, 3_000)
    told = [event.why for event in world.events if isinstance(event, TransactionStateChanged)]
    assert told == ["its first partition is written", "it has more partitions"]


def test_what_the_metadata_does_not_know_yet_is_not_added_and_nothing_beside_it() -> None:
    world = knowing(A)
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert world.ask(add(("a", 0), ("b", 1))).partitions == (
        ("a", 0, ErrorCode.OPERATION_NOT_ATTEMPTED), ("b", 1, unknown),
    )  # fmt: skip
    assert world.events[-1].error == unknown
    assert partitions_of(world) == [], "it would get no marker, as a deleted one gets none"
    world.leaders[B] = NO_NODE
    assert world.ask(add(("a", 0), ("b", 1))).partitions == (("a", 0, 0), ("b", 1, 0))
    assert partitions_of(world) == [A, B], "it is there, though nobody leads it now"


def test_a_question_about_what_is_deleted_is_answered_as_kafka_does() -> None:
    world = knowing(A)
    world.ask(add(("a", 0)))
    del world.leaders[A]
    told = world.ask(add(("a", 0), verify=True)).partitions
    assert told == (("a", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),)


def test_the_partition_of_a_group_s_offsets_is_added() -> None:
    world = Coordinated(NEW)
    asks = AddOffsetsToTxnRequest(transactional_id="t", producer_id=7, producer_epoch=3, group="g")
    assert world.ask(asks).error == ErrorCode.NONE
    assert partitions_of(world) == [("__consumer_offsets", 1)]
