"""What clients are told of how transactions stand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.kafka.apis.described_transactions import (
    DESCRIBE_TRANSACTIONS,
    LIST_TRANSACTIONS,
    DescribeTransactionsRequest,
    ListTransactionsRequest,
    TopicData,
)
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import VIEW, request_of, told

AT_NOON = replace(VIEW, wall_ms=lambda: 1_000_000)


def described(*transactions: Any) -> Any:
    request = request_of(DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequest(["t", "none"]))
    exchange = DESCRIBE_TRANSACTIONS.begin(request, AT_NOON)
    (asked,) = exchange.requests
    assert asked == core.DescribeTransactionsRequest(transactional_ids=("t", "none"))
    exchange.answer(asked, core.DescribeTransactionsResponse(transactions=transactions))
    return told(request, exchange.response()).transaction_states


def test_a_transaction_began_so_long_before_the_wall_clock_and_its_partitions_stand_by_topic() -> None:
    partitions = (("a", 0), ("b", 1), ("a", 2))
    (state,) = described((0, "t", "Ongoing", 60_000, 250, 7, 3, partitions))
    assert (state.transactional_id, state.transaction_state, state.producer_id, state.producer_epoch) == (
        "t", "Ongoing", 7, 3,
    )  # fmt: skip
    assert (state.transaction_timeout_ms, state.transaction_start_time_ms) == (60_000, 999_750)
    assert state.topics == [TopicData("a", [0, 2]), TopicData("b", [1])]


def test_a_transaction_that_began_just_now_began_at_the_wall_clock_s_time() -> None:
    (state,) = described((0, "t", "Ongoing", 60_000, 0, 7, 3, ()))
    assert state.transaction_start_time_ms == 1_000_000


def test_one_that_is_not_there_has_an_error_of_its_own_and_no_beginning() -> None:
    missing = (int(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND), "none", "", 0, -1, -1, -1, ())
    first, second = described((0, "t", "Empty", 60_000, -1, 7, 3, ()), missing)
    assert (first.error_code, second.error_code) == (ErrorCode.NONE, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
    assert (first.transaction_start_time_ms, second.transaction_start_time_ms) == (-1, -1)


@pytest.mark.parametrize(("version", "duration_ms"), [(0, -1), (1, 500)])
def test_version_0_cannot_ask_by_duration(version: int, duration_ms: int) -> None:
    request = request_of(LIST_TRANSACTIONS, version, ListTransactionsRequest(["Ongoing"], [7], duration_filter=500))
    (asked,) = LIST_TRANSACTIONS.begin(request, VIEW).requests
    assert asked == core.ListTransactionsRequest(states=("Ongoing",), producer_ids=(7,), duration_ms=duration_ms)


def test_listed_transactions_and_states_that_are_none_are_told() -> None:
    request = request_of(LIST_TRANSACTIONS, 1, ListTransactionsRequest(["Nothing"]))
    exchange = LIST_TRANSACTIONS.begin(request, VIEW)
    (asked,) = exchange.requests
    answer = core.ListTransactionsResponse(unknown_states=("Nothing",), transactions=(("t", 7, "Empty"),))
    exchange.answer(asked, answer)
    response = told(request, exchange.response())
    assert (response.error_code, response.unknown_state_filters) == (ErrorCode.NONE, ["Nothing"])
    (listed,) = response.transaction_states
    assert (listed.transactional_id, listed.producer_id, listed.transaction_state) == ("t", 7, "Empty")
