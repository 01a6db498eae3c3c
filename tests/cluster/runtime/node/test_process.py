"""Real node processes without a lab."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.model.entry import Entry
from cluster.model.events import MessageSeen, TimerSet, TrafficSeen
from tests.support.processes.node_processes import LIMIT_S, Cluster

pytestmark = pytest.mark.processes


def names(entries: list[Entry], node: int | None = None, incarnation: int | None = None) -> list[str]:
    return [
        entry.event.name for entry in entries if node in (None, entry.node) and incarnation in (None, entry.incarnation)
    ]


@pytest.fixture
def clusters(tmp_path: Path) -> Iterator[Callable[[dict[int, list[str]]], Cluster]]:
    made: list[Cluster] = []

    def make(roles: dict[int, list[str]]) -> Cluster:
        made.append(Cluster(tmp_path, roles))
        return made[-1]

    yield make
    for cluster in made:
        cluster.end()


Clusters = Callable[[dict[int, list[str]]], Cluster]
THREE = {101: ["controller"], 102: ["controller"], 103: ["controller"]}


def test_one_combined_node_is_unfenced_and_stops_in_order(clusters: Clusters) -> None:
    cluster = clusters({1: ["controller", "broker"]})
    process = cluster.start(1)
    cluster.until(lambda entries: "ctl.broker_unfenced" in names(entries))
    process.terminate()
    assert process.wait(LIMIT_S) == 0
    assert (cluster.folder / "data" / "1" / ".kafka_cleanshutdown").exists()
    cluster.start(1)
    cluster.until(lambda entries: "ctl.broker_unfenced" in names(entries, 1, 1))


@pytest.mark.first
def test_three_controllers_elect_one_and_replace_it_when_killed(clusters: Clusters) -> None:
    cluster = clusters(THREE)
    for node in THREE:
        cluster.start(node)
    entries = cluster.until(lambda entries: "ctl.activated" in names(entries))
    old = next(entry.node for entry in entries if entry.event.name == "ctl.activated")
    cluster.processes[old].kill()
    cluster.processes[old].wait()
    cluster.until(lambda entries: names(entries).count("ctl.activated") == 2)
    cluster.start(old)
    cluster.until(lambda entries: "raft.high_watermark_advanced" in names(entries, old, 1))


def test_every_event_has_a_cause_or_a_trigger_and_the_clock_only_grows(clusters: Clusters) -> None:
    cluster = clusters(THREE)
    for node in THREE:
        cluster.start(node)
    entries = cluster.until(lambda entries: "ctl.activated" in names(entries))
    known = {entry.id for entry in entries}
    for entry in entries:
        assert entry.cause is not None or entry.trigger
        assert entry.cause is None or entry.cause in known or entry.cause.node != entry.node
    for node in THREE:
        clock = 0
        for entry in (entry for entry in entries if entry.node == node):
            if isinstance(entry.event, MessageSeen | TrafficSeen | TimerSet):
                assert entry.lamport >= clock  # two that arrive at once are both seen before the first is handled
            else:
                assert entry.lamport > clock
                clock = entry.lamport


def test_a_taken_port_ends_the_node_with_its_own_code(clusters: Clusters) -> None:
    cluster = clusters(THREE)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = cluster.start(101, ports={101: taken.getsockname()[1], 102: 1, 103: 1})
        assert process.wait(LIMIT_S) == 98


@pytest.mark.parametrize("changes", [{"settings": {"no_such": 1}}, {"roles": None}, {"incarnation": "first"}])
def test_a_config_that_cannot_be_used_gets_one_line(clusters: Clusters, changes: dict[str, Any]) -> None:
    process = clusters(THREE).start(101, **changes)
    _, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 64
    assert len(said.splitlines()) == 1


def test_a_spoilt_quorum_state_is_a_storage_failure_and_not_a_new_vote(clusters: Clusters) -> None:
    cluster = clusters(THREE)
    place = cluster.folder / "data" / "101" / "__cluster_metadata-0"
    place.mkdir(parents=True)
    (place / "quorum-state").write_text("spoilt")
    assert cluster.start(101).wait(LIMIT_S) == 74
    assert names(cluster.until(bool))[-1] == "st.failed"


def test_a_full_disk_ordered_by_the_lab_halts_the_node_and_the_lab_s_end_does_too(clusters: Clusters) -> None:
    cluster = clusters({1: ["controller", "broker"], 2: ["broker"]})
    lab, first = cluster.start_controlled(1)
    with lab, lab.makefile("r") as lines:
        assert json.loads(lines.readline()) == {"ready": True, "port": cluster.ports[1]}
        lab.sendall(b'{"do":"disk","lying":false,"slow_ms":0,"budget_bytes":10,"id":5}\n')
        assert json.loads(lines.readline()) == {"done": 5}
        assert first.wait(LIMIT_S) == 74
    assert names(cluster.until(bool), 1)[-1] == "st.failed"
    lab, second = cluster.start_controlled(2)
    lab.close()
    assert second.wait(LIMIT_S) == 76


def test_an_order_that_means_nothing_is_answered_with_its_error(clusters: Clusters) -> None:
    lab, _ = clusters({1: ["controller", "broker"]}).start_controlled(1)
    with lab, lab.makefile("r") as lines:
        lines.readline()
        lab.sendall(b'{"do":"dance","id":6}\n')
        assert json.loads(lines.readline()) == {"done": 6, "error": "ValueError: unknown order dance"}
