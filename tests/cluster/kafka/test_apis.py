"""The table of requests."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cluster.kafka.apis import APIS, ApiKey, advertised


def test_names_are_those_of_the_protocol_guide() -> None:
    assert APIS[ApiKey.OFFSET_FOR_LEADER_EPOCH].name == "OffsetForLeaderEpoch"
    assert APIS[ApiKey.API_VERSIONS].request.__name__ == "ApiVersionsRequest"


def test_every_key_has_its_row_and_its_two_classes() -> None:
    assert set(APIS) == set(ApiKey)
    for api in APIS.values():
        assert api.request.__doc__
        assert api.response.__doc__
        assert 0 <= api.first <= api.last


def test_produce_is_advertised_from_version_0_and_read_from_version_3() -> None:
    assert advertised((ApiKey.FETCH, ApiKey.PRODUCE)) == [(0, 0, 13), (1, 4, 18)]
    assert APIS[ApiKey.PRODUCE].first == 3


def test_an_unknown_key_cannot_be_advertised() -> None:
    with pytest.raises(KeyError):
        advertised((4,))


def test_no_schema_is_imported_before_it_is_needed() -> None:
    code = "import sys, cluster.kafka.frames; print([m for m in sys.modules if m.startswith('cluster.kafka.schema.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
