"""A second cluster that lives beside one: the same commands, the same clock, another rule."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.model.identifiers import TopicPartition
from cluster.model.settings import classroom_timing
from cluster.trace.reader import read_all
from workbench.runs.launch import launch_simulation
from workbench.session.beside import BesideWorld
from workbench.session.branch import begin_run
from workbench.session.changes import changes_of
from workbench.session.pace import Pace
from workbench.session.paced_lab import PacedLab

ORDERS = TopicPartition("orders", 0)
CONFIG = ClusterSpec(seed=5, controllers=1, brokers=3, settings=classroom_timing(), title="both")


def both(home: Path, changes: str) -> PacedLab:
    told = changes_of(changes)
    lab = begin_run(home, CONFIG, Pace())
    lab.beside = BesideWorld(launch_simulation(home, told.cluster(CONFIG)), told)
    return lab


async def passed(lab: PacedLab, seconds: float) -> None:
    """Time goes by as the driver of a screen has it go by."""
    until_s = lab.now_s() + seconds
    while lab.now_s() < until_s:
        lab.live(3_000_000, lambda _fresh: True)
        await asyncio.sleep(0)


async def sent(lab: PacedLab, command: str) -> None:
    sending = asyncio.ensure_future(lab.send(command))
    while not sending.done():
        await asyncio.sleep(0)
        lab.live(3_000_000, lambda _fresh: True)
    assert sending.result().ok, command


def test_both_get_each_command_at_the_same_time_and_only_the_change_differs(tmp_path: Path) -> None:
    async def played() -> None:
        lab = both(tmp_path, "commit_rule=majority")
        twin = lab.beside
        assert twin is not None
        await sent(lab, "topic orders assign=1,2,3 min-isr=1")
        await sent(lab, "delay 1-3 200ms")
        await sent(lab, "produce orders 1 acks=all")
        await passed(lab, 1.0)
        assert twin.recording.live.acked_count(ORDERS) == 1
        assert twin.recording.live.commit_rules.commit_ns(ORDERS) < 100_000_000
        assert twin.recording.live.partitions[ORDERS].by_majority
        await sent(lab, "heal 1")
        await passed(lab, 0.2)
        assert not twin.recording.live.faults
        await lab.close()

    asyncio.run(played())


def test_without_a_difference_both_are_the_same_run(tmp_path: Path) -> None:
    async def played() -> list[Path]:
        lab = both(tmp_path, "elr=on")
        twin = lab.beside
        assert twin is not None
        await passed(lab, 1.0)
        await sent(lab, "topic orders assign=1,2,3")
        await sent(lab, "produce orders 3 acks=all")
        await passed(lab, 1.0)
        await lab.close()
        return [lab.run_folder, twin.run_folder]

    one, other = ([(e.t_ns, e.node, e.event.name) for e in read_all(f / "trace")] for f in asyncio.run(played()))
    assert one == other
    assert len(one) > 200


def test_the_second_is_a_run_of_its_own_with_its_settings(tmp_path: Path) -> None:
    lab = both(tmp_path, "acks=1 commit_rule=majority")
    twin = lab.beside
    assert twin is not None
    assert twin.run_folder != lab.run_folder
    assert twin.changes.cluster(CONFIG).settings == replace(CONFIG.settings, commit_rule="majority")
    assert " acks=1 " in twin.changes.edit("produce orders 1 acks=all")
    asyncio.run(lab.close())
