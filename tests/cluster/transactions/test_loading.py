"""A broker reads its partition before it coordinates, and forgets all of it when it leads no more."""

from __future__ import annotations

import pytest
from msgspec import structs

from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionCoordinatorLoaded, TransactionCoordinatorResigned
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import EndTxnRequest, InitProducerIdRequest, WriteTxnMarkersResponse
from cluster.model.record_batch import Record, encode_batch
from cluster.transactions.records import key_of
from cluster.transactions.state import Transaction, TransactionState
from tests.support.worlds.coordinated import Coordinated

ONE = Transaction(transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=100)
ENDS = EndTxnRequest(transactional_id="t", producer_id=7, producer_epoch=3, committed=True)


def test_the_newest_record_counts_and_a_tombstone_forgets() -> None:
    world = Coordinated(ONE)
    world.replica.append(encode_batch([Record(key_of("t"), None), Record(key_of("u"), b"\x00")]))
    world.do(world.coordinator.lead(0, 5, world.replica, 2_000))
    assert world.ask(ENDS).error == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    while world.coordinator.is_loading:
        world.fire("transactions.load.0")
    assert world.ask(ENDS).error == ErrorCode.INVALID_PRODUCER_ID_MAPPING
    loaded = [event for event in world.events if isinstance(event, TransactionCoordinatorLoaded)]
    assert [event.transactions for event in loaded] == [(("t", "Empty", 7, 3),), ()]


def test_who_leads_no_more_coordinates_nothing() -> None:
    world = Coordinated(ONE)
    world.do(world.coordinator.resign(0, 2_000))
    assert world.ask(ENDS).error == ErrorCode.NOT_COORDINATOR
    assert isinstance(world.events[-1], TransactionCoordinatorResigned)


def lead_again(world: Coordinated) -> None:
    world.do(world.coordinator.resign(0, 2_000))
    world.do(world.coordinator.lead(0, 5, world.replica, 2_000))
    while world.coordinator.is_loading:
        world.fire("transactions.load.0")


def asked_by_the_one_before(world: Coordinated) -> list[int]:
    """Errors for the producer with epoch 3, when it ends its transaction and when it wants a newer epoch."""
    ends = EndTxnRequest(transactional_id="t", producer_id=7, producer_epoch=3, committed=False, bumps_epoch=True)
    begins = InitProducerIdRequest(client_id="p", transactional_id="t", producer_id=7, producer_epoch=3)
    return [world.ask(ends).error, world.ask(begins).error]


@pytest.mark.parametrize("state", [TransactionState.COMPLETE_COMMIT, TransactionState.ONGOING])
def test_who_was_fenced_stays_fenced_with_the_next_coordinator(state: TransactionState) -> None:
    """A record does not tell whether the producer of its epoch is the one of the epoch before; it may be another."""
    is_open = state is TransactionState.ONGOING
    where = TopicPartition("orders", 0)
    known = Transaction(
        transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=100, state=state, bumps_epoch=True,
        partitions=frozenset((where,)) if is_open else frozenset(),
    )  # fmt: skip
    world = Coordinated(known)
    world.leaders[where] = 2
    world.ask(InitProducerIdRequest(client_id="q", transactional_id="t"))
    if is_open:
        world.mark()
    for _ in range(2):
        assert asked_by_the_one_before(world) == [ErrorCode.PRODUCER_FENCED, ErrorCode.PRODUCER_FENCED]
        lead_again(world)


def test_who_did_not_hear_of_its_end_is_told_by_the_next_coordinator() -> None:
    """With version 2 its own end brought the newer epoch, and the record says so."""
    known = Transaction(transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=100, bumps_epoch=True)
    world = Coordinated(known)
    ends = EndTxnRequest(transactional_id="t", producer_id=7, producer_epoch=3, committed=False, bumps_epoch=True)
    assert world.ask(ends).producer_epoch == 4
    lead_again(world)
    assert (world.ask(ends).error, world.answers[-1].producer_epoch) == (ErrorCode.NONE, 4)


def test_an_answer_that_was_asked_for_in_an_earlier_term_completes_nothing_in_a_later_one() -> None:
    where = TopicPartition("orders", 0)
    known = structs.replace(ONE, state=TransactionState.ONGOING, partitions=frozenset((where,)))
    world = Coordinated(known)
    world.leaders[where] = 2
    assert world.ask(ENDS).error == ErrorCode.NONE
    ((_, earlier, _),) = world.markers
    lead_again(world)
    assert len(world.markers) == 2, "it is decided, so the marker is asked for again"
    end_offset = world.replica.high_watermark
    answer = WriteTxnMarkersResponse(topic="orders", partition=0)
    world.give(Received(sender=2, correlation=earlier, message=answer))
    assert world.replica.high_watermark == end_offset
    del world.markers[0]
    world.mark()
    assert world.replica.high_watermark == end_offset + 1
