"""A change of a transactional id counts once it is committed, and one is on its way at a time."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import on_response
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionRefused, TransactionStateChanged
from cluster.model.identifiers import TRANSACTIONS_TOPIC, TopicPartition
from cluster.model.messages import EndTxnResponse, InitProducerIdRequest, InitProducerIdResponse, ProduceResponse
from cluster.model.settings import kafka_timing
from cluster.transactions.changing import change, on_id, refuse, want_id
from cluster.transactions.state import Kept, Shard, Shared, Transaction, TransactionState
from tests.support.kinds import those
from tests.support.worlds.coordinated import BROKER, Log

IDLE = Transaction(transactional_id="t", producer_id=7, producer_epoch=3, timeout_ms=9)
ORDERS = frozenset(TopicPartition("orders", partition) for partition in range(9))
OPEN = replace(IDLE, state=TransactionState.ONGOING, partitions=ORDERS, started_ms=400)


class Home:
    """The partition of one transactional id, and the broker beside it."""

    def __init__(self, now: Transaction | None) -> None:
        self.shared = Shared(
            broker_id=BROKER, settings=kafka_timing(), topic=TRANSACTIONS_TOPIC, prefix="transactions",
            client_id="c", patience_ms=5_000,
        )  # fmt: skip
        self.kept = Kept(number=1, now=now)
        self.shard = Shard(
            partition=0, leader_epoch=4, replica=Log(), next_offset=0, load_timer="load", is_loaded=True,
            kept={"t": self.kept},
        )  # fmt: skip
        self.calls: list[tuple[str, int]] = []

    def change(self, to: Transaction) -> None:
        change(self.shared, self.shard, self.kept, to, "why", answer=self.answer, then=self.then)

    def answer(self, error: ErrorCode, _now_ms: int) -> list[Effect]:
        self.calls.append(("answer", error))
        return []

    def then(self, now_ms: int) -> list[Effect]:
        self.calls.append(("then", now_ms))
        return []

    def replicated(self, error: ErrorCode = ErrorCode.NONE) -> list[TransactionStateChanged]:
        """What is told once the replicas of what was written have answered."""
        (correlation,) = self.shared.writes
        done = ProduceResponse(topic=TRANSACTIONS_TOPIC, partition=0, base_offset=12, error=error)
        effects = on_response(self.shared, correlation, done, 2_000)
        return those(TransactionStateChanged, [emitted.event for emitted in those(Emit, effects)])


def test_a_change_counts_and_is_told_once_it_is_committed() -> None:
    home = Home(IDLE)
    home.change(OPEN)
    assert (home.kept.now, home.kept.next, home.kept.is_changing, home.calls) == (IDLE, OPEN, True, [])
    (event,) = home.replicated()
    assert (home.kept.now, home.kept.is_changing) == (OPEN, False)
    assert home.calls == [("answer", ErrorCode.NONE), ("then", 2_000)]
    assert (event.before, event.state, event.offset, event.started_ms) == ("Empty", "Ongoing", 12, 400)
    assert event.partitions == tuple(("orders", partition) for partition in range(9)), "in order"


def test_a_refused_change_leaves_what_was_and_a_refused_first_one_leaves_nobody() -> None:
    for before, left in ((IDLE, ["t"]), (None, [])):
        home = Home(before)
        home.change(IDLE if before is None else OPEN)
        assert home.replicated(ErrorCode.NOT_ENOUGH_REPLICAS) == []
        assert (home.kept.now, home.kept.next, list(home.shard.kept)) == (before, None, left)
        assert home.calls == [("answer", ErrorCode.COORDINATOR_NOT_AVAILABLE), ("then", 2_000)]


def test_an_id_that_is_dead_is_forgotten_with_the_commit() -> None:
    home = Home(IDLE)
    home.change(replace(IDLE, state=TransactionState.DEAD))
    assert "t" in home.shard.kept
    home.replicated()
    assert home.shard.kept == {}


def test_no_state_is_left_out_on_the_way_to_the_end() -> None:
    with pytest.raises(AssertionError, match="Ongoing may not become CompleteCommit"):
        Home(OPEN).change(replace(OPEN, state=TransactionState.COMPLETE_COMMIT))


@pytest.mark.parametrize(("loaded", "error"), [(True, ErrorCode.NONE), (False, ErrorCode.NOT_COORDINATOR)])
def test_a_new_producer_id_is_for_the_coordinator_that_asked_while_it_is_one(loaded: bool, error: ErrorCode) -> None:
    home, taken = Home(IDLE), list[tuple[int, int, int]]()

    def take(*told: int) -> list[Effect]:
        taken.append((told[0], told[1], told[2]))
        return []

    (sent,) = those(Send, want_id(home.shared, home.shard, home.kept, take))
    assert (sent.target, isinstance(sent.message, InitProducerIdRequest), home.kept.is_changing) == (1, True, True)
    home.shard.is_loaded = loaded
    for _ in range(2):
        on_id(home.shared, sent.correlation, InitProducerIdResponse(producer_id=90, producer_epoch=0), 5)
    assert (taken, home.kept.is_changing) == ([(90, error, 5)], False)


@pytest.mark.parametrize(("kept", "state", "epoch"), [(Kept(number=1, now=OPEN), "Ongoing", 3), (None, "", -1)])
def test_a_refusal_says_what_is_known_of_the_id(kept: Kept | None, state: str, epoch: int) -> None:
    answer = EndTxnResponse(error=ErrorCode.PRODUCER_FENCED)
    emitted, sent = refuse(Asker(1001, 9), "EndTxn", ("t", 7, 2), kept, answer, ErrorCode.PRODUCER_FENCED)
    assert sent == Send(1001, answer, 9)
    assert isinstance(emitted, Emit) and isinstance(emitted.event, TransactionRefused)
    told = emitted.event
    assert (told.state, told.known_epoch, told.producer_epoch, told.error) == (state, epoch, 2, answer.error)
