"""Frames that were right once, sent to a whole broker: it stays, it stays small, and it serves the next client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from time import monotonic

import pytest

from tests.support.clients.mutated_clients import frames
from tests.support.clients.raw_client import RawClient
from tests.support.processes.node_processes import Cluster

pytestmark = pytest.mark.processes
ROOT = Path(__file__).parents[4]
GROWTH_KIB_MAX = 64 << 10
NOTICED_S = 20.0


def send_in_process(folder: Path, count: int) -> tuple[int, str]:
    """KiB that the broker grew by, and what it said beside refusals."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.clients.mutated_clients", str(folder), str(count)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    growth_kib, sent, connections = map(int, done.stdout.split())
    assert sent == count
    assert count // 4 < connections < count, "some frames are bad and some are not"
    return growth_kib, "".join(line for line in done.stderr.splitlines() if not line.startswith("client "))


def test_five_thousand_mutated_frames_end_no_broker(tmp_path: Path) -> None:
    growth_kib, said = send_in_process(tmp_path, 5_000)
    assert growth_kib < GROWTH_KIB_MAX
    assert said == ""


@pytest.mark.slow
def test_200_000_mutated_frames_end_no_broker_and_take_less_than_64_mib(tmp_path: Path) -> None:
    growth_kib, said = send_in_process(tmp_path, 200_000)
    assert growth_kib < GROWTH_KIB_MAX
    assert said == ""


def resident_kib(pid: int) -> int:
    """Of a living process. Skips where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("no /proc")
    return int(next(line for line in status.read_text().splitlines() if line.startswith("VmRSS")).split()[1])


def test_two_thousand_mutated_frames_over_sockets_end_no_broker(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, {1: ["controller", "broker"]})
    try:
        process = cluster.start(1)
        cluster.until(lambda entries: any(each.event.name == "ctl.broker_unfenced" for each in entries))
        feed = frames(Random(5))
        for _ in range(100):
            talk(cluster.client_ports[1], next(feed))
        before = resident_kib(process.pid)
        for _ in range(2_000):
            talk(cluster.client_ports[1], next(feed))
        assert resident_kib(process.pid) - before < GROWTH_KIB_MAX
        assert served(cluster.client_ports[1]) == (0, 0)
        assert process.poll() is None
    finally:
        cluster.end()


def served(port: int) -> tuple[int, int]:
    """Error codes of a topic made and a record written, once the broker has noticed that all the others are gone."""
    deadline_s = monotonic() + NOTICED_S
    while True:
        try:
            with RawClient(port) as client:
                return client.create("after"), int(client.produce("after", b"still here").error_code)
        except ConnectionResetError:  # as many clients as may be: it has yet to read their ends
            assert monotonic() < deadline_s, f"no room for a client within {NOTICED_S:g} s"


def talk(port: int, frame: bytes) -> None:
    """Send one frame over a connection of its own, and leave without listening."""
    with RawClient(port) as client:
        try:
            client.socket.sendall(frame)
        except ConnectionError:
            return
