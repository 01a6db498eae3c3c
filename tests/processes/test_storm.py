"""Random kills, pauses, cuts and power losses of real processes under a producer with acks=all."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from time import monotonic

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import batches
from cluster.picture.cluster_state import ClusterState
from cluster.runtime.lab.client import LabClient, launch_lab
from cluster.storage.disk import Disk
from cluster.storage.log import open_log, topic_directory
from tests.support.processes.watching import Watcher, nothing_left, until_async
from workbench.runs.judgement import judge_all

pytestmark = pytest.mark.processes
ORDERS = TopicPartition("orders", 0)
BROKERS, CONTROLLERS = (1, 2, 3), (101, 102, 103)
CALM_S = 90.0


class Debts:
    """Brokers that ended without order and have not caught up since.

    A broker cannot tell a kill from a power loss, so the controller treats each unordered end as a possible loss of
    data and takes the broker out of the ISR and the ELR (KIP-966). What was acknowledged is safe while fewer replicas
    than min.insync.replicas are in that state; kills alone lose nothing, however many.
    """

    def __init__(self) -> None:
        self._seen_out: dict[int, bool] = {}
        self._lost_power: set[int] = set()

    @property
    def allow_power_loss(self) -> bool:
        """Whether every broker is whole."""
        return not self._seen_out

    @property
    def allow_kill(self) -> bool:
        """Whether no broker is without what it had."""
        return not self._lost_power

    def lose_power(self, broker: int) -> None:
        """Note the fault before it strikes."""
        self._lost_power.add(broker)
        self._seen_out[broker] = False

    def look(self, state: ClusterState) -> None:
        """Take down who ended; strike out who left the ISR for it, runs, and is in sync again."""
        facts = state.facts(ORDERS)
        isr = set(BROKERS) if facts is None else set(facts.isr)
        for broker in BROKERS:
            node = state.nodes.get(broker)
            if node is not None and node.process == "down":
                self._seen_out.setdefault(broker, False)
            if broker not in self._seen_out:
                continue
            if broker not in isr:
                self._seen_out[broker] = True
            elif self._seen_out[broker] and node is not None and node.process == "running":
                del self._seen_out[broker]
                self._lost_power.discard(broker)


class Storm:
    """One seed's faults, as many as may lose nothing: see Debts."""

    def __init__(self, lab: LabClient, seed: int) -> None:
        self.debts = Debts()
        self.lab, self.draw, self.seen = lab, Random(seed), Watcher(lab.run_folder, self.debts.look)
        self.said: list[str] = []

    async def blow(self, seconds: float) -> None:
        end = monotonic() + seconds
        producing = asyncio.get_running_loop().create_task(self._produce(end))
        pause = asyncio.Event()
        while monotonic() < end:
            command = self._next()
            if command:
                answer = await self.lab.send(command)
                self.said.append(f"{command} -> {answer.text}")
            try:
                await asyncio.wait_for(pause.wait(), self.draw.choice((0.05, 0.3, 1.0, 2.0)))
            except TimeoutError:
                continue
        await producing

    def _next(self) -> str:
        state, draw = self.seen.now, self.draw
        node = draw.choice((*BROKERS, *CONTROLLERS))
        process = state.nodes[node].process
        one, other = draw.sample((*BROKERS, *CONTROLLERS), 2)
        choice = draw.random()
        if process == "down":
            return f"start {node}"
        if process == "paused":
            return f"resume {node}"
        if choice < 0.25:
            return f"kill {node}" if node in CONTROLLERS or self.debts.allow_kill else "heal"
        if choice < 0.4:
            return f"pause {node}"
        if choice < 0.5:
            return f"cut {one}>{other}"
        if choice < 0.56:
            return f"isolate {node}"
        if choice < 0.62:
            return f"delay {one}-{other} 50ms 50ms jitter"
        if choice < 0.66:
            return f"reset {one}-{other}"
        if choice < 0.76 and (node in CONTROLLERS or self.debts.allow_power_loss):
            if node in BROKERS:
                self.debts.lose_power(node)
            return f"power-loss {node}"
        return "heal"

    async def _produce(self, end: float) -> None:
        while monotonic() < end:
            await self.lab.send("produce orders 20 acks=all in-flight=5")

    async def calm(self) -> None:
        """Heal all, bring all back, and wait until the replicas agree."""
        await self.lab.send("heal")
        for node in (*CONTROLLERS, *BROKERS):
            if self.seen.now.nodes[node].process == "down":
                await self.lab.send(f"start {node}")
        await until_async(self._whole, CALM_S, "all replicas in sync again: " + "; ".join(self.said[-5:]))

    def _whole(self) -> bool:
        state = self.seen.now
        facts = state.facts(ORDERS)
        return facts is not None and set(facts.isr) == set(BROKERS) and state.identical(ORDERS)


async def weather(home: Path, seed: int, seconds: float) -> None:
    lab = await launch_lab(home, ClusterSpec(title=f"storm {seed}"))
    try:
        assert (await lab.send("topic orders replicas=3 min-isr=2")).ok
        storm = Storm(lab, seed)
        await storm.blow(seconds)
        await storm.calm()
        state = storm.seen.now
        assert state.acked_count(ORDERS) > 0, "a storm in which nothing was acknowledged proves nothing"
        assert state.lost(ORDERS) == [], f"seed {seed}: " + "; ".join(storm.said[-20:])
    finally:
        await lab.close()
    nothing_left(lab.run_folder)
    verdicts = judge_all([lab.run_folder])
    assert verdicts.is_good, f"seed {seed}: {verdicts.line}"
    for broker in BROKERS:
        kept = batches_on_disk(lab.run_folder / "data" / str(broker))
        missing = [item for item in state.acked[ORDERS].newest if kept.get(item.base_offset) != item.digest]
        assert missing == [], f"seed {seed}: broker {broker} lacks {missing[:3]} of {len(missing)}"


def batches_on_disk(root: Path) -> dict[int, str]:
    """Base offset and CRC of every batch in the files of one replica: what the trace said does not count here."""
    disk = Disk(root)
    log, _ = open_log(disk, topic_directory(ORDERS), ORDERS, clean=False, high_watermark=0)
    found: dict[int, str] = {}
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        for header, _ in batches(log.read(offset, 1 << 20)):
            found[header.base_offset] = f"{header.crc:08x}"
            offset = header.end_offset
    disk.close()
    return found


@pytest.mark.parametrize("seed", [1, 2])
async def test_no_acknowledged_record_is_lost_in_fifteen_seconds(tmp_path: Path, seed: int) -> None:
    await weather(tmp_path, seed, 15)


@pytest.mark.slow
async def test_no_acknowledged_record_is_lost_in_ten_minutes(tmp_path: Path) -> None:
    await weather(tmp_path, 7, 600)
