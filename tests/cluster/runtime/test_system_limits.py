"""A broker lives within the descriptors it is granted: the fewest that a run is started with are enough for it."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster.kafka.apis.groups import FIND_COORDINATOR, FindCoordinatorRequest
from cluster.model.identifiers import OFFSETS_TOPIC
from cluster.runtime import system_limits
from cluster.runtime.kafka.listener import CONNECTIONS_MAX
from tests.support.clients.kafka_broker import Broker
from tests.support.clients.raw_client import RawClient, knock

GRANTED = 256
"""What macOS grants a shell."""
LIMIT_S = 30.0


@contextmanager
def granted() -> Iterator[None]:
    """For this process, and those it starts meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (GRANTED, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_what_is_wanted_is_enough_for_every_client_and_what_is_needed_is_what_every_system_grants() -> None:
    assert system_limits.NODE_MAX + CONNECTIONS_MAX <= system_limits.WANTED <= system_limits.MACOS_MAX
    assert system_limits.NEEDED <= GRANTED


def test_as_many_are_obtained_as_are_wanted() -> None:
    with granted():
        assert system_limits.left_for_clients() == GRANTED - system_limits.NODE_MAX
        assert system_limits.obtain()
        assert system_limits.limits()[0] == min(system_limits.WANTED, system_limits.limits()[1])


@pytest.mark.processes
def test_a_broker_of_few_descriptors_serves_a_group_and_sends_clients_away_that_it_cannot_afford(
    tmp_path: Path,
) -> None:
    with granted():
        broker = Broker(tmp_path)
    try:
        with RawClient(broker.port) as client:
            assert client.create("orders") == 0
            deadline = time.monotonic() + LIMIT_S
            asked = FindCoordinatorRequest(key_type=0, coordinator_keys=["g1"])
            while client.ask(FIND_COORDINATOR, 4, asked).coordinators[0].error_code:
                assert time.monotonic() < deadline, "no coordinator"
            assert len(list((tmp_path / "data" / "1").glob(f"{OFFSETS_TOPIC}-*"))) == 50
            others = [knock(broker.port) for _ in range(CONNECTIONS_MAX)]
            (refused, *_) = broker.told("client.refused", kind="full")
            assert refused.why == f"{GRANTED - system_limits.NODE_MAX} clients are connected already"
            assert client.produce("orders", b"y").error_code == 0
            for other in others:
                other.close()
        assert broker.process.poll() is None
        if Path("/proc").is_dir():
            assert len(os.listdir(f"/proc/{broker.process.pid}/fd")) < GRANTED
        broker.process.kill()
        assert broker.process.stderr is not None
        assert b"out of system resource" not in broker.process.stderr.read(), "a crowd leaves some for the files"
    finally:
        broker.end()
