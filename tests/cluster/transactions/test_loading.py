"""A broker reads its partition before it coordinates, and forgets all of it when it leads no more."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionCoordinatorLoaded, TransactionCoordinatorResigned
from cluster.model.messages import EndTxnRequest
from cluster.model.record_batch import Record, encode_batch
from cluster.transactions.records import key_of
from cluster.transactions.state import Transaction
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
