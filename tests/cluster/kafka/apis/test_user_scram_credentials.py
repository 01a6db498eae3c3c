"""Who asks for users of SCRAM is told that there are none, and who adds one that it is not built."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.kafka.api import Api
from cluster.kafka.apis.user_scram_credentials import (
    ALTER_USER_SCRAM_CREDENTIALS,
    DESCRIBE_USER_SCRAM_CREDENTIALS,
    NO_SCRAM,
    AlterUserScramCredentialsRequest,
    DescribeUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
    UserName,
)
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
SHA_256 = 1


def answer(api: Api, message: Any) -> Any:
    request = request_of(api, 0, message)
    return told(request, api.begin(request, VIEW).response())


@pytest.mark.parametrize("names", [None, (), ("ann",), ("ann", "bob", "ann")])
def test_there_are_none_and_each_that_is_named_is_not_found(names: tuple[str, ...] | None) -> None:
    """Kafka 4.1 gives the same."""
    users = None if names is None else [UserName(name) for name in names]
    found = answer(DESCRIBE_USER_SCRAM_CREDENTIALS, DescribeUserScramCredentialsRequest(users))
    assert found.error_code == ErrorCode.NONE
    twice = [name for name in names or () if (names or ()).count(name) > 1]
    assert [(each.user, each.error_code) for each in found.results] == [
        (name, ErrorCode.DUPLICATE_RESOURCE if name in twice else ErrorCode.RESOURCE_NOT_FOUND)
        for name in dict.fromkeys(names or ())
    ]


def test_none_is_added_and_there_is_none_to_remove() -> None:
    adding = [ScramCredentialUpsertion(name, SHA_256, 4096, b"salt", b"secret") for name in ("ann", "bob")]
    asked = AlterUserScramCredentialsRequest([ScramCredentialDeletion("ann", SHA_256)], adding)
    found = {each.user: each for each in answer(ALTER_USER_SCRAM_CREDENTIALS, asked).results}
    assert found["ann"].error_code == ErrorCode.RESOURCE_NOT_FOUND
    assert (found["bob"].error_code, found["bob"].error_message) == (ErrorCode.UNSUPPORTED_SASL_MECHANISM, NO_SCRAM)
    assert answer(ALTER_USER_SCRAM_CREDENTIALS, AlterUserScramCredentialsRequest([], [])).results == []
