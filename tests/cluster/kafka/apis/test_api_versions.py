"""The first request of every connection."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from cluster.kafka.apis import APIS
from cluster.kafka.apis.api_versions import API_VERSIONS, ApiVersionsRequest, answer, unsupported
from cluster.kafka.apis.produce import PRODUCE
from cluster.kafka.frames import decode_response, encode_response
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import VIEW, request_of, told


@pytest.mark.parametrize("version", API_VERSIONS.versions)
def test_ranges_are_told_in_every_version_and_always_our_own(version: int) -> None:
    request = request_of(API_VERSIONS, version, ApiVersionsRequest("librdkafka", "2.16.1-x"))
    response = told(request, answer(request, VIEW))
    found = [(each.api_key, each.min_version, each.max_version) for each in response.api_keys]
    assert response.error_code == 0
    assert found[:2] == [(0, 0, 13), (1, 4, 18)], "Produce is advertised from version 0 and read from version 3"
    assert found[2:] == [(key, api.first, api.last) for key, api in sorted(APIS.items()) if key > 1]
    assert (PRODUCE.first, API_VERSIONS.key in APIS) == (3, True)


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("elr", [False, True])
def test_features_are_told_as_they_are_here(version: int, elr: bool) -> None:
    """Level 0 cannot be told before version 4: a client of that time would not read the answer."""
    request = request_of(API_VERSIONS, version, ApiVersionsRequest("tests", "1"))
    view = replace(VIEW, settings=dataclasses.replace(VIEW.settings, elr=elr), metadata_offset=42)
    found = told(request, answer(request, view))
    supported = {each.name: (each.min_version, each.max_version) for each in found.supported_features}
    with_0 = {"kraft.version": (0, 1), "transaction.version": (0, 2), "eligible.leader.replicas.version": (0, 1)}
    assert supported == {"metadata.version": (26, 26), "group.version": (1, 1)} | (with_0 if version >= 4 else {})
    levels = {each.name: (each.min_version_level, each.max_version_level) for each in found.finalized_features}
    on = {"eligible.leader.replicas.version": (1, 1)} if elr else {}
    assert levels == {"metadata.version": (26, 26), "group.version": (1, 1), "transaction.version": (2, 2)} | on
    assert found.finalized_features_epoch == 42


@pytest.mark.parametrize("name", ["", "-x", "x-", "a b", "\x1b[31m"])
def test_software_without_a_proper_name_is_refused(name: str) -> None:
    request = request_of(API_VERSIONS, 3, ApiVersionsRequest(name, "1"))
    response = told(request, answer(request, VIEW))
    assert (response.error_code, response.api_keys) == (ErrorCode.INVALID_REQUEST, [])


def test_who_asks_in_a_version_that_we_lack_is_told_ours_in_version_0() -> None:
    frame = encode_response(API_VERSIONS, 0, 5, unsupported())
    correlation_id, response = decode_response(API_VERSIONS, 0, frame[4:])
    assert (correlation_id, response.error_code) == (5, ErrorCode.UNSUPPORTED_VERSION)
    assert [each.api_key for each in response.api_keys] == sorted(APIS)
