"""How fast the simulated world is: simulated seconds and events for each second of one core.

Measured in processor time, with the collector of cyclic garbage held back as the swarm does it. The cluster's state is
folded from every event (`ClusterState`), which is what scripts and verdicts stand on. Some lines are measured as the
swarm records a seed: every rule looks at every event, and the trace is written.

The load is 100 writes a second, in two ways. Each write by a client of its own is the dearer one, since a client that
begins asks for the metadata first. Three clients that stay, with a network so slow that each gets an answer about every
32 ms, is what producers of Kafka are like.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from benchmarks.report import Aim, line
from cluster.cluster_spec import ClusterSpec, Options
from cluster.commands.carry_out import carry_out
from cluster.commands.clients import Job
from cluster.invariants.checker import Checker
from cluster.language.topics import Produce
from cluster.model.identifiers import TopicPartition
from cluster.model.settings import Settings, classroom_timing, kafka_timing
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import NS_PER_MS
from cluster.simulation.world.recording import Reader, TraceFiles

IDLE_AIM = Aim(None, 1_000)
SPEED_AIM = Aim(60, 180)
EVENTS_AIM = Aim(50_000, 145_000)
WRITE_EVERY_MS, WAITING_MAX = 10, 20
USUAL, SLOW = Options(), Options(latency_us=(7_000, 8_500))
FAULTS = ("kill leader(orders-0)", "isolate controller", "pause follower(orders-0)", "power-loss follower(orders-1)")
QUIET_S, FAULT_S = 4.0, 3.0


def run() -> None:
    """Measure and print."""
    gc.collect()
    gc.disable()
    try:
        _idle("idle, Kafka's timers", kafka_timing(), 300, IDLE_AIM)
        _idle("idle, classroom timers", classroom_timing(), 60, None)
        for load, begin in (
            ("a client for each of 100 writes/s", _many_clients),
            ("3 clients, 100 writes/s", three_clients),
        ):
            _faulty(f"{load}, faults", begin, [])
            with TemporaryDirectory() as folder:
                files = TraceFiles(Path(folder))
                _faulty("the same, all rules, trace files", begin, [Checker().feed_all, files])
                files.close()
        _busy()
    finally:
        gc.enable()


def _cluster(settings: Settings, readers: Sequence[Reader] = (), options: Options = USUAL) -> SimulatedCluster:
    cluster = SimulatedCluster(ClusterSpec(seed=1, settings=settings, options=options))
    cluster.recording.readers += readers
    cluster.begin()
    _send(cluster, "topic orders partitions=3 min-isr=2")
    return cluster


def _send(cluster: SimulatedCluster, text: str) -> None:
    carrying = carry_out(cluster.desk, text, cluster.ready)
    try:
        carrying.send(None)
    except StopIteration as stopped:
        assert stopped.value.ok, f"{text}: {stopped.value.text}"


def _measure(cluster: SimulatedCluster, work: Callable[[], None]) -> tuple[float, float, float]:
    """Simulated seconds for each second of processor time, events for each of either."""
    gc.collect()
    before, began_s, began = cluster.recording.count, cluster.now_s(), process_time()
    work()
    cluster.cluster()
    took, passed_s, events = process_time() - began, cluster.now_s() - began_s, cluster.recording.count - before
    return passed_s / took, events / took, events / passed_s


def _tell(name: str, figures: tuple[float, float, float], speed: Aim | None, events: Aim | None) -> None:
    per_cpu_s, events_per_cpu_s, density = figures
    line(name, per_cpu_s, "sim s/s", speed, f"{density:,.0f} events a simulated second")
    line("", events_per_cpu_s, "events/s", events)


def _idle(name: str, settings: Settings, seconds: int, aim: Aim | None) -> None:
    cluster = _cluster(settings)

    def work() -> None:
        for _ in range(seconds):
            cluster.advance(1)
            cluster.cluster()

    _tell(name, _measure(cluster, work), aim, None)


def _faulty(name: str, begin: Callable[[Sequence[Reader]], SimulatedCluster], readers: Sequence[Reader]) -> None:
    """A load, and a fault every few seconds."""
    cluster = begin(readers)

    def work() -> None:
        for fault in FAULTS * 2:
            cluster.advance(QUIET_S)
            _send(cluster, fault)
            cluster.advance(FAULT_S)
            _send(cluster, "heal")
            for node in cluster.nodes:
                if not cluster.is_up(node):
                    _send(cluster, f"start {node}")

    _tell(name, _measure(cluster, work), SPEED_AIM, EVENTS_AIM)


def _many_clients(readers: Sequence[Reader]) -> SimulatedCluster:
    """A write by a new client every 10 ms, while not too many wait."""
    cluster = _cluster(classroom_timing(), readers)
    kernel, begun = cluster.kernel, [0]
    finished: list[list[Job]] = []

    def write(_nothing: None) -> None:
        finished[:] = [jobs for jobs in finished if not jobs]
        if len(finished) < WAITING_MAX:
            begun[0] += 1
            partition = TopicPartition("orders", begun[0] % 3)
            finished.append(cluster.begin_client(Produce(partition, 1, wait=False))[1])
        kernel.after(WRITE_EVERY_MS * NS_PER_MS, write, None)

    write(None)
    return cluster


def three_clients(readers: Sequence[Reader]) -> SimulatedCluster:
    """A producer for each partition, with the next record as soon as the last is acknowledged: four ways later."""
    cluster = _cluster(classroom_timing(), readers, SLOW)
    for partition in range(3):
        _send(cluster, f"produce orders-{partition} 1000000 wait=no")
    return cluster


def _busy() -> None:
    """Four producers, each with the next record as soon as the last is acknowledged."""
    cluster = _cluster(classroom_timing())
    for partition in (0, 1, 2, 0):
        _send(cluster, f"produce orders-{partition} 1000000 wait=no")

    def work() -> None:
        for _ in range(50):
            cluster.advance(0.1)
            cluster.cluster()

    _tell("4 busy clients", _measure(cluster, work), None, EVENTS_AIM)
