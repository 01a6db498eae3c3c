"""The peer: PySyncObj, three processes on loopback, one replicated call at a time or many in flight.

Run as `python -m benchmarks.pysyncobj_peer ROLE PORTS IN_FLIGHT SECONDS`; the driver prints one JSON line.
Batching of append entries is off: its default waits for a tick and would make any ratio look huge.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

from pysyncobj import SyncObj, SyncObjConf, replicated

START_LIMIT_S = 20.0
TICK_WAIT_S = 0.01


class Register(SyncObj):
    """A replicated register: the smallest state machine that takes a payload."""

    def __init__(self, ports: list[int], index: int) -> None:
        addresses = [f"127.0.0.1:{port}" for port in ports]
        others = [address for place, address in enumerate(addresses) if place != index]
        super().__init__(addresses[index], others, SyncObjConf(autoTick=False, appendEntriesUseBatch=False))
        self.value = b""

    @replicated
    def write(self, value: bytes) -> None:
        """Take a new value."""
        self.value = value


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
    """Measure on the leader; wait for one first."""
    driver = Driver(register, b"x" * 100)
    for _ in range(in_flight):
        driver.submit()
    _tick(register, 0.5)
    driver.latencies_ms.clear()
    began = time.perf_counter()
    _tick(register, seconds)
    took = time.perf_counter() - began
    driver.running = False
    done = sorted(driver.latencies_ms)
    return {
        "per_second": len(done) / took,
        "p50_ms": statistics.median(done) if done else float("nan"),
        "p99_ms": done[int(len(done) * 0.99)] if done else float("nan"),
    }


def _tick(register: Register, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        register.doTick(TICK_WAIT_S)


def main() -> None:
    """Be one of the three processes; index 0 measures once it leads, the others follow until killed."""
    index, ports_text, in_flight, seconds = sys.argv[1:5]
    register = Register([int(port) for port in ports_text.split(",")], int(index))
    began = time.perf_counter()
    while not register.isReady() and time.perf_counter() - began < START_LIMIT_S:
        register.doTick(TICK_WAIT_S)
    ready_ms = (time.perf_counter() - began) * 1000
    if index != "0":
        while True:
            register.doTick(TICK_WAIT_S)
    result = drive(register, int(in_flight), float(seconds))
    leader = register.getStatus()["leader"]
    result["ready_ms"] = ready_ms
    result["leads"] = float(str(leader) == str(register.selfNode))
    print(json.dumps(result))


def measure(in_flight: int, seconds: float, base_port: int) -> dict[str, float]:
    """Start three processes, measure in the one that leads, end them all.

    The measuring process starts a little before the others so that it is usually the first to time out;
    a round in which it does not lead is repeated.
    """
    for attempt in range(8):
        ports = ",".join(str(base_port + attempt * 3 + place) for place in range(3))
        arguments = [ports, str(in_flight), str(seconds)]
        command = [sys.executable, "-m", "benchmarks.pysyncobj_peer"]
        followers = [
            subprocess.Popen([*command, str(index), *arguments], stderr=subprocess.DEVNULL) for index in (1, 2)
        ]
        try:
            done = subprocess.run([*command, "0", *arguments], capture_output=True, text=True, timeout=60, check=True)
        finally:
            for follower in followers:
                follower.kill()
                follower.wait()
        result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        if result["leads"]:
            return result
    raise RuntimeError("PySyncObj never let the measuring process lead")


if __name__ == "__main__":
    main()
