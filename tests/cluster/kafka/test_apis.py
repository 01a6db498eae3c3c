"""The APIs that are served."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import iter_modules

import pytest

from cluster.kafka import apis
from cluster.kafka.api import Api
from cluster.kafka.apis import APIS
from cluster.kafka.apis.api_versions import API_VERSIONS
from cluster.kafka.apis.fetch import FETCH
from cluster.kafka.apis.offset_for_leader_epoch import OFFSET_FOR_LEADER_EPOCH


def test_names_are_those_of_the_protocol_guide() -> None:
    assert OFFSET_FOR_LEADER_EPOCH.name == "OffsetForLeaderEpoch"
    assert API_VERSIONS.request.__name__ == "ApiVersionsRequest"


def test_every_api_has_its_two_classes() -> None:
    for key, api in APIS.items():
        assert key == api.key and api.request.__doc__ and api.response.__doc__
        assert (api.request.__name__, api.response.__name__) == (f"{api.name}Request", f"{api.name}Response")
        assert 0 <= api.first <= api.last


def test_every_file_of_the_folder_makes_an_api() -> None:
    files = {f"cluster.kafka.apis.{found.name}" for found in iter_modules(apis.__path__)}
    assert {api.request.__module__ for api in APIS.values()} == files


def test_no_key_has_two_apis() -> None:
    with pytest.raises(AssertionError, match="two APIs with key 1"):
        Api(FETCH.key, FETCH.request, FETCH.response, FETCH.begin, versions="0", flexible=None)


def test_a_node_that_serves_no_client_yet_has_read_no_layout() -> None:
    code = "import sys, cluster.runtime.node.process; print([m for m in sys.modules if 'kafka.apis' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
