"""DescribeTransactions and ListTransactions: how transactions stand. Source: KIP-664, KIP-994."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, int16, int32, int64, string
from cluster.kafka.exchange import OneAnswer
from cluster.model import messages as core


@dataclass(slots=True)
class DescribeTransactionsRequest:
    """How are these?"""

    transactional_ids: list[str] = array("string")


@dataclass(slots=True)
class TopicData:
    """Partitions of one topic."""

    topic: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class TransactionState:
    """How one of them stands."""

    error_code: int = int16()
    transactional_id: str = string()
    transaction_state: str = string()
    transaction_timeout_ms: int = int32()
    transaction_start_time_ms: int = int64()
    producer_id: int = int64()
    producer_epoch: int = int16()
    topics: list[TopicData] = array(TopicData)


@dataclass(slots=True)
class DescribeTransactionsResponse:
    """What their coordinator knows."""

    throttle_time_ms: int = int32()
    transaction_states: list[TransactionState] = array(TransactionState)


class DescribeTransactionsExchange(OneAnswer):
    """What becomes of one DescribeTransactions request."""

    __slots__ = ("_view",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._view = view
        super().__init__(request, view)

    def _asked(self) -> core.DescribeTransactionsRequest:
        return core.DescribeTransactionsRequest(transactional_ids=tuple(self._request.message.transactional_ids))

    def response(self) -> DescribeTransactionsResponse:
        """One entry for each that was asked for; when it began is told on the wall clock."""
        answer: core.DescribeTransactionsResponse = self._answer
        states = []
        for error, name, state, timeout_ms, open_ms, producer_id, epoch, partitions in answer.transactions:
            began_ms = -1 if open_ms < 0 else self._view.wall_ms() - open_ms
            topics: dict[str, TopicData] = {}
            for topic, partition in partitions:
                topics.setdefault(topic, TopicData(topic, [])).partitions.append(partition)
            code = self._request.error(error)
            states.append(
                TransactionState(code, name, state, timeout_ms, began_ms, producer_id, epoch, list(topics.values()))
            )
        return DescribeTransactionsResponse(transaction_states=states)


DESCRIBE_TRANSACTIONS: Final = Api(
    65,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    DescribeTransactionsExchange,
    versions="0",
    flexible="0+",
)


@dataclass(slots=True)
class ListTransactionsRequest:
    """Which are there?"""

    state_filters: list[str] = array("string")
    producer_id_filters: list[int] = array("int64")
    duration_filter: int = int64("1+", default=-1)


@dataclass(slots=True)
class ListedTransactionState:
    """One of the answering broker's."""

    transactional_id: str = string()
    producer_id: int = int64()
    transaction_state: str = string()


@dataclass(slots=True)
class ListTransactionsResponse:
    """Those that fit."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    unknown_state_filters: list[str] = array("string")
    transaction_states: list[ListedTransactionState] = array(ListedTransactionState)


class ListTransactionsExchange(OneAnswer):
    """What becomes of one ListTransactions request: the transactions of the answering broker."""

    __slots__ = ()

    def _asked(self) -> core.ListTransactionsRequest:
        message = self._request.message
        return core.ListTransactionsRequest(
            states=tuple(message.state_filters),
            producer_ids=tuple(message.producer_id_filters),
            duration_ms=message.duration_filter,
        )

    def response(self) -> ListTransactionsResponse:
        """Names, producers, states."""
        answer: core.ListTransactionsResponse = self._answer
        return ListTransactionsResponse(
            error_code=self._request.error(answer.error),
            unknown_state_filters=list(answer.unknown_states),
            transaction_states=[ListedTransactionState(*each) for each in answer.transactions],
        )


LIST_TRANSACTIONS: Final = Api(
    66, ListTransactionsRequest, ListTransactionsResponse, ListTransactionsExchange, versions="0-1", flexible="0+"
)
