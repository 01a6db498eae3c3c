"""A workload in a simulated cluster: what it counts agrees with what the cluster tells."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.entry import Entry
from cluster.model.events import LoadCounted, LoadEnded, LoadStarted, OperationSucceeded
from cluster.model.identifiers import TopicPartition
from cluster.simulation.lab.lab import SimulatedLab

ORDERS = TopicPartition("orders", 0)
TOPIC = "topic orders assign=1,2,3 min-isr=2"


def play(folder: Path, *script: str | float) -> tuple[SimulatedLab, list[Entry]]:
    """Commands, and seconds that pass; the lab afterwards, and all it told."""

    async def run() -> tuple[SimulatedLab, list[Entry]]:
        lab = SimulatedLab(ClusterSpec(seed=7), folder)
        for item in script:
            if isinstance(item, str):
                answer = await lab.send(item)
                assert answer.ok, answer.text
            else:
                lab.advance(item)
        entries = lab.poll()
        await lab.close()
        return lab, entries + lab.poll()

    return asyncio.run(run())


def counts(entries: list[Entry]) -> list[LoadCounted]:
    return [entry.event for entry in entries if isinstance(entry.event, LoadCounted)]


def test_it_writes_and_reads_at_its_rate_and_tells_once_a_second(tmp_path: Path) -> None:
    lab, entries = play(tmp_path, TOPIC, "load 2", 10.0)
    told = counts(entries)
    assert [count.acked_count for count in told] == [3, 5, 7, 9, 11, 13, 15, 17, 19]
    assert all(count.waiting_count == count.lost_count == count.failed_count == 0 for count in told)
    assert told[-1].position == 19, "the consumer has read all that is acknowledged"
    load = lab.cluster.cluster().load
    assert load is not None
    assert (load.rate_per_s, load.acks, load.topic_partition, load.counted) == (2, -1, ORDERS, told[-1])


def test_records_that_one_replica_alone_took_are_lost_and_counted(tmp_path: Path) -> None:
    lab, entries = play(
        tmp_path, TOPIC, "load 10", 1.0, "load 10 acks=1", 0.5, "partition 1|2,3", 0.4, "kill 1", 4.0, "heal",
        "start 1", 3.0,
    )  # fmt: skip
    lost = lab.cluster.cluster().lost(ORDERS)
    assert lost
    assert counts(entries)[-1].lost_count == sum(item.record_count for item in lost)
    checker = Checker()
    checker.feed_all(entries)
    found = {line.info.id: line.verdict for line in checker.finish()}
    assert found["C1"] is Verdict.EXPECTED, "acks=1 promises no more"
    assert Verdict.VIOLATED not in found.values()


def test_its_end_leaves_nothing_open(tmp_path: Path) -> None:
    lab, entries = play(tmp_path, TOPIC, "load 20", 2.0, "load off", 2.0)
    assert lab.cluster.cluster().open_operations() == 0
    ended = [place for place, entry in enumerate(entries) if isinstance(entry.event, LoadEnded)]
    assert len(ended) == 1
    assert not any(isinstance(entry.event, OperationSucceeded) for entry in entries[ended[0] :])
    load = lab.cluster.cluster().load
    assert load is not None
    assert load.is_over


def test_another_topic_ends_the_first_load_and_begins_a_new_one(tmp_path: Path) -> None:
    _, entries = play(tmp_path, TOPIC, "topic users", "load 2", 1.0, "load 2 topic=users", 2.0)
    started = [entry.event for entry in entries if isinstance(entry.event, LoadStarted)]
    assert [event.topic for event in started] == ["orders", "users"]
    assert started[0].producer_id != started[1].producer_id
    assert [entry.event.topic for entry in entries if isinstance(entry.event, LoadEnded)] == ["orders"]


def test_the_same_seed_tells_the_same(tmp_path: Path) -> None:
    script: tuple[str | float, ...] = (TOPIC, "load 200 acks=1", 2.0, "kill 1", 3.0)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert play(tmp_path / "a", *script)[1] == play(tmp_path / "b", *script)[1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("load 2", "no topic orders; create it: topic orders"),
        ("load 0", "load: rate: not a rate: '0'; allowed: off, or 1 to 1000 records a second"),
        ("load many", "load: rate: not a rate: 'many'; allowed: off, or 1 to 1000 records a second"),
        ("load", "load: something is missing; the form is: load off|RATE [acks=all|0|1] [topic=orders-0]"),
    ],
)
def test_what_it_refuses_it_says(tmp_path: Path, text: str, why: str) -> None:
    async def run() -> str:
        lab = SimulatedLab(ClusterSpec(seed=1, controllers=1, brokers=1), tmp_path)
        answer = await lab.send(text)
        assert not answer.ok
        await lab.close()
        return answer.text

    assert asyncio.run(run()) == why
