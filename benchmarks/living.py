"""A cluster for a measurement: a lab of its own in a folder that is removed afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic_ns

from benchmarks.caller import Caller
from cluster.cluster_spec import ClusterSpec
from cluster.model.entry import Entry
from cluster.model.events import BrokerFenced, BrokerUnfenced, Event, PartitionDecided, ProcessStarted
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.record_batch import Record, encode_batch, with_offset_and_epoch
from cluster.model.settings import Settings, classroom_timing
from cluster.runtime.lab.client import LabClient, launch_lab
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import SECRET, read_facts
from cluster.storage.node_store import NodeStore
from cluster.trace.reader import TraceFolder

TOPIC = TopicPartition("bench", 0)
BATCH, VALUE = 100, b"v" * 60
"""Records of a batch that is written to a disk by hand, and what each holds."""
START_S = 20.0
POLL_S = 0.001


class Living:
    """One cluster that is up, and what is known of it."""

    def __init__(self, lab: LabClient, facts: RunFacts, caller: Caller, launched_ns: int) -> None:
        self.lab = lab
        """For commands."""
        self.facts = facts
        """With the ports."""
        self.caller = caller
        """For single requests."""
        self.launched_ns = launched_ns
        """Monotonic time just before the launch."""
        self.entries: list[Entry] = []
        """All events read so far."""
        self._trace = TraceFolder(lab.run_folder / "trace")

    @property
    def secret(self) -> bytes:
        """Of the run."""
        return secret_of(self.lab.run_folder)

    def poll(self) -> list[Entry]:
        """Events since the last poll."""
        fresh = self._trace.poll()
        self.entries += fresh
        return fresh

    def pids(self) -> dict[NodeId, int]:
        """Process of each node, as of its newest start."""
        self.poll()
        started = [entry.event for entry in self.entries if isinstance(entry.event, ProcessStarted)]
        return {event.node_id: event.pid for event in started}

    def kill(self, node: NodeId) -> int:
        """SIGKILL one of the lab's node processes; the monotonic time at which."""
        pid = self.pids()[node]
        at_ns = monotonic_ns()
        os.kill(pid, signal.SIGKILL)
        return at_ns

    async def topic(self) -> NodeId:
        """Create the bench topic, three replicas, min ISR 2; its leader once all are in sync."""
        brokers, controllers = self.facts.brokers, self.facts.controllers
        replicas = min(3, len(brokers))
        await self.caller.metadata(brokers, len(brokers))
        await self.caller.create_topic(controllers, TOPIC.topic, replicas, min(2, replicas))
        return await self.caller.leader(brokers, TOPIC, replicas)

    async def whole(self) -> NodeId:
        """The leader of the bench topic, once all brokers serve it."""
        while True:
            self.poll()
            leader = leader_of_all((entry.event for entry in self.entries), len(self.facts.brokers))
            if leader != NO_NODE:
                return leader
            await asyncio.sleep(0.005)


def leader_of_all(events: Iterable[Event], broker_count: int) -> NodeId:
    """Who leads the bench topic once every broker is in service in its newest life, and in the ISR; -1 before.

    The leader's own word is not enough: it may not have heard yet that another came back from an unclean stop, and left
    the ISR with that. Nobody may lead then if it dies.
    """
    in_service: set[NodeId] = set()
    leader, isr_size = NO_NODE, 0
    for event in events:
        match event:
            case BrokerUnfenced(broker_id=broker):
                in_service.add(broker)
            case BrokerFenced(broker_id=broker) | ProcessStarted(node_id=broker):
                in_service.discard(broker)
            case PartitionDecided(topic=TOPIC.topic):
                leader, isr_size = event.leader, len(event.isr)
            case _:
                pass
    return leader if len(in_service) == isr_size == broker_count else NO_NODE


def fill(folder: Path, records: int) -> None:
    """Give the bench topic so many records on the disk of a broker that is down, as a kill leaves them."""
    store = NodeStore(folder, host_fsync=False, emit=lambda _event: None)
    store.open(TOPIC)
    batch = encode_batch([Record(None, VALUE)] * BATCH)
    for base_offset in range(0, records, BATCH):
        store.append(TOPIC, with_offset_and_epoch(batch, base_offset, 0))
    store.checkpoint()
    store.disk.close()


def secret_of(folder: Path) -> bytes:
    """The secret of a run of ours."""
    return bytes.fromhex((folder / SECRET).read_text("ascii"))


async def ports_of(folder: Path) -> RunFacts:
    """The run's facts, as soon as they name its ports."""
    while True:
        facts = read_facts(folder)
        if facts.ports is not None:
            return facts
        await asyncio.sleep(POLL_S)


@asynccontextmanager
async def living(
    settings: Settings | None = None, *, trace: bool = True, controllers: int = 3, brokers: int = 3
) -> AsyncIterator[Living]:
    """A cluster with these settings; ends with the block."""
    settings = replace(settings or classroom_timing(), trace=trace)
    with tempfile.TemporaryDirectory(prefix="kwb-bench-", ignore_cleanup_errors=True) as home:
        launched_ns = monotonic_ns()
        spec = ClusterSpec(settings=settings, controllers=controllers, brokers=brokers, title="Benchmark")
        lab = await launch_lab(Path(home), spec)
        try:
            facts = await asyncio.wait_for(ports_of(lab.run_folder), START_S)
            assert facts.ports is not None
            caller = Caller(facts.ports, secret_of(lab.run_folder))
            yield Living(lab, facts, caller, launched_ns)
            caller.close()
        finally:
            await lab.close()
