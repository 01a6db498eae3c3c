"""What is told of transactions to who looks at them."""

from __future__ import annotations

from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import DescribeTransactionsRequest, ListTransactionsRequest
from cluster.transactions.state import Transaction, TransactionState
from tests.support.worlds.coordinated import Coordinated

OPEN = Transaction(
    transactional_id="open", producer_id=7, producer_epoch=3, timeout_ms=9, state=TransactionState.ONGOING,
    started_ms=400, partitions=frozenset((TopicPartition("a", 0),)),
)  # fmt: skip
IDLE = Transaction(transactional_id="idle", producer_id=8, producer_epoch=0, timeout_ms=9)


def test_a_transaction_is_described() -> None:
    told = Coordinated(OPEN, IDLE).ask(DescribeTransactionsRequest(transactional_ids=("open", "idle", "none")))
    assert told.transactions == (
        (0, "open", "Ongoing", 9, 600, 7, 3, (("a", 0),)),
        (0, "idle", "Empty", 9, -1, 8, 0, ()),
        (ErrorCode.TRANSACTIONAL_ID_NOT_FOUND, "none", "", 0, -1, -1, -1, ()),
    )


def test_they_are_listed_by_state_producer_and_duration() -> None:
    world = Coordinated(OPEN, IDLE)

    def names(**filters: Any) -> list[str]:
        return [name for name, _, _ in world.ask(ListTransactionsRequest(**filters)).transactions]

    assert names() == ["idle", "open"]
    assert names(states=("Ongoing",)) == ["open"]
    assert names(producer_ids=(8,)) == ["idle"]
    assert names(duration_ms=599) == ["open"]
    assert names(duration_ms=600) == []
    assert world.ask(ListTransactionsRequest(states=("Ongoing", "Nothing"))).unknown_states == ("Nothing",)
