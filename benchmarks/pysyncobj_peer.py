"""The peer: PySyncObj, three processes on loopback, one replicated call at a time or many in flight.

Run as `python -m benchmarks.pysyncobj_peer INDEX PORTS IN_FLIGHT,... SECONDS JOURNALS`; the one that leads drives the
load in its own process, without a hop from a client, and prints one JSON line. Then it serves a client over TCP, which
is how the brokers are asked: two messages more for each commit.
Batching of append entries is off: its default waits for a tick and would make any ratio look huge.
"""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pysyncobj import SyncObj, SyncObjConf, replicated
from pysyncobj.journal import FileJournal
from pysyncobj.poller import POLL_EVENT_TYPE

from benchmarks.report import percentile
from cluster.runtime.run.ports import blocks

TICK_WAIT_S = 0.01
WARM_S = 0.3
DRAIN_S = 0.1
ROUND_LIMIT_S = 30.0
ASK_LIMIT_S = 3.0
REQUEST_BYTES = 108
"""Of a write that a client asks for: its number and 100 bytes."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One round with the peer."""

    ready_s: float
    """From the start of its processes to a leader."""
    committed_s: float
    """From the start of its processes to the first commit."""
    figures: dict[int, dict[str, float]]
    """per_second, p50_ms and p99_ms for each number in flight, asked within the process that leads."""
    asked: dict[int, dict[str, float]]
    """The same, asked by a client over TCP."""


class Register(SyncObj):  # type: ignore[misc]  # it has no types
    """A replicated register: the smallest state machine that takes a payload."""

    def __init__(self, ports: list[int], index: int, journals: str) -> None:
        addresses = [f"127.0.0.1:{port}" for port in ports]
        others = [address for place, address in enumerate(addresses) if place != index]
        journal = f"{journals}/{index}.journal" if journals else None
        settings = SyncObjConf(autoTick=False, appendEntriesUseBatch=False, journalFile=journal)
        super().__init__(addresses[index], others, settings)
        self.value = b""

    @replicated  # type: ignore[untyped-decorator]  # as above
    def write(self, value: bytes) -> None:
        """Take a new value."""
        self.value = value


def sync_each_entry() -> None:
    """PySyncObj leaves its journal to the page cache; for a fair comparison each entry is synced (msync) when added."""
    plain_add = FileJournal.add

    def add(journal: Any, command: Any, index: int, term: int) -> None:
        plain_add(journal, command, index, term)
        journal.flush()

    FileJournal.add = add


class Driver:
    """Keeps a number of writes in flight and notes how long each took."""

    def __init__(self, register: Register, payload: bytes) -> None:
        self._register = register
        self._payload = payload
        self.latencies_ms: list[float] = []
        self.running = True

    def submit(self) -> None:
        """Begin one write; its end begins the next."""
        began = time.perf_counter()

        def done(_result: object, error: int) -> None:
            if error == 0:
                self.latencies_ms.append((time.perf_counter() - began) * 1000)
            if self.running:
                self.submit()

        self._register.write(self._payload, callback=done)


def drive(register: Register, in_flight: int, seconds: float) -> dict[str, float]:
    """Measure on the leader."""
    driver = Driver(register, b"x" * 100)
    for _ in range(in_flight):
        driver.submit()
    _tick(register, WARM_S)
    driver.latencies_ms.clear()
    began = time.perf_counter()
    _tick(register, seconds)
    took = time.perf_counter() - began
    driver.running = False
    done = sorted(driver.latencies_ms)
    _tick(register, DRAIN_S)
    return {
        "per_second": len(done) / took,
        "p50_ms": percentile(done, 0.5),
        "p99_ms": percentile(done, 0.99),
    }


class Service:
    """Lets clients ask the leader over TCP: REQUEST_BYTES a write, whose first eight come back once committed."""

    def __init__(self, register: Register, poller: Any) -> None:
        self._register, self._poller = register, poller
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        poller.subscribe(self._listener.fileno(), self._accept, POLL_EVENT_TYPE.READ)

    def _accept(self, _descriptor: int, _events: int) -> None:
        client, _ = self._listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        left = bytearray()

        def read(descriptor: int, _events: int) -> None:
            data = client.recv(1 << 16)
            if not data:
                self._poller.unsubscribe(descriptor)
                client.close()
                return
            left.extend(data)
            whole = len(left) // REQUEST_BYTES * REQUEST_BYTES
            for start in range(0, whole, REQUEST_BYTES):
                self._write(client, bytes(left[start : start + REQUEST_BYTES]))
            del left[:whole]

        self._poller.subscribe(client.fileno(), read, POLL_EVENT_TYPE.READ)

    def _write(self, client: socket.socket, request: bytes) -> None:
        def done(_result: object, _error: int) -> None:
            with suppress(OSError):  # a client that has gone
                client.sendall(request[:8])

        self._register.write(request[8:], callback=done)


def ask(port: int, in_flight: int, seconds: float) -> dict[str, float]:
    """Measure as a client: a new write for each that is answered."""
    request = b"x" * 100
    began: dict[bytes, float] = {}
    latencies_ms: list[float] = []
    number, left = 0, b""
    with socket.create_connection(("127.0.0.1", port)) as leader:
        leader.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        leader.settimeout(ASK_LIMIT_S)
        wanted, now = in_flight, time.perf_counter()
        start, end = now + WARM_S, now + WARM_S + seconds
        while now < end:
            out = []
            for _ in range(wanted):
                number += 1
                name = number.to_bytes(8, "big")
                began[name] = now
                out.append(name + request)
            leader.sendall(b"".join(out))
            data = left + leader.recv(1 << 16)
            now = time.perf_counter()
            wanted = len(data) // 8
            for place in range(0, wanted * 8, 8):
                took_s = now - began.pop(data[place : place + 8])
                if now >= start:
                    latencies_ms.append(took_s * 1000)
            left = data[wanted * 8 :]
    done = sorted(latencies_ms)
    return {"per_second": len(done) / (now - start), "p50_ms": percentile(done, 0.5), "p99_ms": percentile(done, 0.99)}


def _asked(port: int, in_flight: int, seconds: float) -> dict[str, float]:
    """Nothing when the peer loses its client: under another's load it may lose its leader, and with it requests."""
    try:
        return ask(port, in_flight, seconds)
    except OSError:
        return {"per_second": 0.0, "p50_ms": 0.0, "p99_ms": 0.0}


def first_commit(register: Register) -> float:
    """Monotonic time at which the first write was committed."""
    done_at: list[float] = []
    register.write(b"first", callback=lambda _result, _error: done_at.append(time.monotonic()))
    while not done_at:
        register.doTick(TICK_WAIT_S)
    return done_at[0]


def _tick(register: Register, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        register.doTick(TICK_WAIT_S)


def main() -> None:
    """Be one of the three processes; whichever leads measures, the others follow until killed."""
    index, ports_text, in_flight, seconds, journals = sys.argv[1:6]
    if journals:
        sync_each_entry()
    register = Register([int(port) for port in ports_text.split(",")], int(index), journals)
    while str(register.getStatus()["leader"]) != str(register.selfNode) or not register.isReady():
        register.doTick(TICK_WAIT_S)
    ready_at = time.monotonic()
    committed_at = first_commit(register)
    figures = {number: drive(register, int(number), float(seconds)) for number in in_flight.split(",") if number}
    service = Service(register, register._poller)  # its own poller: the fastest way to hear a client
    told = {"ready_at": ready_at, "committed_at": committed_at, "figures": figures, "port": service.port}
    print(json.dumps(told), flush=True)
    while True:
        register.doTick(TICK_WAIT_S)


def measure(in_flight: Sequence[int], seconds: float, journals: str = "") -> Peer:
    """Start three processes, let the one that leads measure, end them all. TimeoutError when none ever does.

    With a folder for journals each entry is synced to disk (msync) before it counts.
    """
    # The last free block: a lab beside the measurement takes the first, and the peer tries a taken port for ever.
    *_, block = blocks(3, None)
    ports = ",".join(map(str, block))
    arguments = [ports, ",".join(map(str, in_flight)), str(seconds), journals]
    command = [sys.executable, "-m", "benchmarks.pysyncobj_peer"]
    began = time.monotonic()
    processes = [
        subprocess.Popen([*command, str(index), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for index in range(3)
    ]
    outputs = [process.stdout for process in processes if process.stdout is not None]
    try:
        ready, _, _ = select.select(outputs, [], [], ROUND_LIMIT_S)
        if not ready:
            raise TimeoutError(f"PySyncObj told nothing within {ROUND_LIMIT_S:g} s")
        told = json.loads(ready[0].readline())
        asked = {number: _asked(told["port"], number, seconds) for number in in_flight}
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    figures = {int(number): figure for number, figure in told["figures"].items()}
    return Peer(told["ready_at"] - began, told["committed_at"] - began, figures, asked)


if __name__ == "__main__":
    main()
