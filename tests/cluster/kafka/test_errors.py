"""Which code a client is told."""

from __future__ import annotations

import pytest

from cluster.kafka.api import Api
from cluster.kafka.apis.fetch import FETCH
from cluster.kafka.apis.list_offsets import LIST_OFFSETS
from cluster.kafka.apis.metadata import METADATA
from cluster.kafka.apis.produce import PRODUCE
from cluster.kafka.errors import BETWEEN_NODES
from cluster.model.errors import ErrorCode


@pytest.mark.parametrize("code", ErrorCode)
def test_each_of_our_codes_has_an_answer(code: ErrorCode) -> None:
    told = METADATA.error(code, 12)
    assert told == (ErrorCode.UNKNOWN_SERVER_ERROR if code in BETWEEN_NODES else code)
    if code not in BETWEEN_NODES:
        assert told.name == code.name


def test_what_nodes_tell_each_other_stays_between_them() -> None:
    assert ErrorCode.STALE_BROKER_EPOCH in BETWEEN_NODES
    assert ErrorCode.INELIGIBLE_REPLICA in BETWEEN_NODES
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER not in BETWEEN_NODES


def test_a_number_that_is_nobodys_is_unknown() -> None:
    assert FETCH.error(9_999, 12) == ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize(
    ("api", "first", "code", "older"),
    [
        (LIST_OFFSETS, 5, ErrorCode.OFFSET_NOT_AVAILABLE, ErrorCode.LEADER_NOT_AVAILABLE),
        (FETCH, 6, ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (PRODUCE, 4, ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_a_code_is_told_only_to_versions_that_know_it(api: Api, first: int, code: ErrorCode, older: ErrorCode) -> None:
    for version in api.versions:
        assert api.error(code, version) == (code if version >= first else older)
