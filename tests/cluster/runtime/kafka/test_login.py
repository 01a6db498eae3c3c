"""A broker that serves only who has the password."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cluster.kafka.apis.api_versions import API_VERSIONS, ApiVersionsRequest
from cluster.kafka.apis.metadata import METADATA, MetadataRequest
from cluster.kafka.apis.sasl import SASL_AUTHENTICATE, SASL_HANDSHAKE, SaslAuthenticateRequest, SaslHandshakeRequest
from cluster.model import exit_codes
from cluster.model.errors import ErrorCode
from cluster.model.settings import classroom_timing
from cluster.runtime.kafka.listener import CONNECTIONS_MAX, FAILED_LOGIN_SECONDS
from cluster.runtime.run.client_login import make_login, read_login
from tests.support.clients.kafka_broker import Broker
from tests.support.clients.raw_client import RawClient, knock
from tests.support.processes.node_processes import LIMIT_S, Cluster

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    folder = tmp_path_factory.mktemp("login")
    make_login(folder)
    made = Broker(folder, client_auth=True)
    yield made
    made.end()


def log_in(client: RawClient, password: str) -> Any:
    assert client.ask(SASL_HANDSHAKE, 1, SaslHandshakeRequest("PLAIN")).error_code == 0
    token = f"\0workbench\0{password}".encode()
    return client.ask(SASL_AUTHENTICATE, 2, SaslAuthenticateRequest(token))


def test_who_has_the_password_is_served(broker: Broker) -> None:
    with RawClient(broker.port, "knows") as client:
        assert client.ask(API_VERSIONS, 3, ApiVersionsRequest("tests", "1.0")).error_code == 0
        assert log_in(client, read_login(broker.cluster.folder).password).error_code == 0
        assert client.create("orders") == 0
        assert client.produce("orders", b"a").error_code == 0
    assert broker.told("client.connected", client_id="knows")[0].software == "tests"


def test_a_wrong_password_is_told_late_and_ends_the_connection(broker: Broker) -> None:
    with RawClient(broker.port) as client:
        began_s = time.monotonic()
        told = log_in(client, "wrong")
        assert time.monotonic() - began_s >= FAILED_LOGIN_SECONDS
        assert told.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
        assert client.is_closed()
    assert broker.told("client.refused", kind="login")


@pytest.mark.first
def test_a_stranger_gets_nothing(broker: Broker) -> None:
    with RawClient(broker.port) as client:
        client.send(METADATA, 9, MetadataRequest(None))
        assert client.is_closed()
    with RawClient(broker.port) as client:
        client.send(API_VERSIONS, 0, ApiVersionsRequest())
        client.send(METADATA, 9, MetadataRequest(None))
        client.frame()
        assert client.is_closed()


def test_a_long_frame_of_a_stranger_is_not_read(broker: Broker) -> None:
    with RawClient(broker.port) as client:
        client.socket.sendall(struct.pack(">ihhih", 1 << 20, SASL_HANDSHAKE.key, 1, 7, -1))
        assert client.is_closed()


def test_strangers_cannot_take_the_places_of_who_has_the_password(broker: Broker) -> None:
    password = read_login(broker.cluster.folder).password
    with RawClient(broker.port) as known:
        assert log_in(known, password).error_code == 0
        strangers = [knock(broker.port) for _ in range(CONNECTIONS_MAX + 40)]
        try:
            with RawClient(broker.port) as late:
                assert log_in(late, password).error_code == 0
                assert late.ask(METADATA, 9, MetadataRequest(None)).brokers
            assert known.ask(METADATA, 9, MetadataRequest(None)).brokers
        finally:
            for stranger in strangers:
                stranger.close()


def test_a_node_that_cannot_know_the_password_does_not_start(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, {1: ["controller", "broker"]}, replace(classroom_timing(), client_auth=True))
    try:
        process = cluster.start(1)
        _, said = process.communicate(timeout=LIMIT_S)
        assert process.returncode == exit_codes.BAD_CONFIG
        assert b"client.conf" in said
    finally:
        cluster.end()
