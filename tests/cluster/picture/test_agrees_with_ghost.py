"""The picture and the checker's ghost are folded apart on purpose. Over every scenario and lesson they agree."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.parts import PartitionGhost
from cluster.invariants.watcher import dispatch, names_partition
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.trace.reader import read_all
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

ROOT = Path(__file__).parents[3]
SCRIPTS = [*sorted((ROOT / "tests/scenarios").glob("*.txt")), *sorted((ROOT / "lessons").glob("*/scenario.txt"))]
EVERY = 20
"""Entries between two comparisons."""


def nodes_differ(picture: ClusterState, ghost: Ghost) -> list[str]:
    found = []
    for node, told in ghost.nodes.items():
        seen = picture.node(node)
        pairs: dict[str, tuple[object, object]] = {
            "lives": (seen.process != "down", told.is_running),
            "epoch": (seen.quorum_epoch, told.epoch),
            "leader": (seen.quorum_leader, told.leader_id),
            "vote": (seen.voted_for, told.voted_for),
        }
        if seen.quorum_role:  # the ghost has a role from the boot on, the picture from the first one that is told
            pairs["role"] = seen.quorum_role, told.role
        found += [f"node {node} {what}: {one} and {other}" for what, (one, other) in pairs.items() if one != other]
    return found


def log_differs(picture: ClusterState, node: NodeId, tp: TopicPartition, ghost: PartitionGhost) -> list[str]:
    seen, told = picture.log(node, tp), ghost.logs[node]
    pairs = {"start": (seen.log_start_offset, told.log_start_offset), "end": (seen.log_end_offset, told.end_offset)}
    if told.high_watermark >= 0:
        pairs["high watermark"] = seen.high_watermark, told.high_watermark
    if told.log_start_offset < told.end_offset:  # of deleted records the ghost knows more
        pairs["last epoch"] = seen.epoch_at(seen.log_end_offset - 1), told.last_epoch
    return [f"{tp} on {node} {what}: {one} and {other}" for what, (one, other) in pairs.items() if one != other]


def differences(picture: ClusterState, ghost: Ghost, unsure: set[NodeId]) -> list[str]:
    """In words. unsure: nodes that lost power and have not said yet what their disk kept, of which the ghost waits."""
    found = nodes_differ(picture, ghost)
    if picture.voters != ghost.voting.voters:
        found.append(f"voters: {picture.voters} and {ghost.voting.voters}")
    for tp, told in ghost.partitions.items():
        if tp != METADATA and tp not in picture.partitions:
            continue
        for node in [node for node, at in picture.logs if at == tp and node in told.logs and node not in unsure]:
            found += log_differs(picture, node, tp, told)
        facts = picture.facts(tp)
        if facts is not None and facts.partition_epoch == told.partition_epoch:
            one, other = (facts.isr, facts.min_insync_replicas), (told.isr, told.min_insync)
            found += [f"{tp}: {one} and {other}"] if one != other else []
    return found


def leader_differs(picture: ClusterState, ghost: Ghost, elected: dict[int, set[NodeId]]) -> list[str]:
    if picture.quorum_leader < 0 or len(elected[picture.quorum_epoch]) > 1:
        return []  # of two leaders in one epoch, which a lying disk can make, one fold names the first, one the last
    stamp = ghost.quorum.leaders[picture.quorum_epoch]
    newest = max(ghost.quorum.leaders)
    same = (picture.quorum_leader, picture.quorum_epoch) == (stamp.node, newest)
    return [] if same else [f"leader: {picture.quorum_leader} of {picture.quorum_epoch} and {stamp.node} of {newest}"]


def compare(entries: list[Entry]) -> tuple[int, list[str]]:
    """How often they were compared, and all differences."""
    picture, ghost = ClusterState(), Ghost()
    folds, unsure = dispatch((ghost,)), set[NodeId]()
    count, found, elected = 0, list[str](), defaultdict[int, set[NodeId]](set)
    for entry in entries:
        event: Any = entry.event
        picture.apply(entry)
        if names_partition(type(event)):
            ghost.here = ghost.of(event)
        for handler in folds.get(type(event), ()):
            handler(entry, event)
        if isinstance(event, ev.PowerLost):
            unsure.add(event.node_id)
        elif isinstance(event, ev.ProcessReady):
            unsure.discard(event.node_id)
        elif isinstance(event, ev.LeaderElected):
            elected[event.epoch].add(entry.node)
        if picture.entries % EVERY == 0 or entry is entries[-1]:
            count += 1
            differing = [*differences(picture, ghost, unsure), *leader_differs(picture, ghost, elected)]
            found += [f"after {entry.id}: {words}" for words in differing]
    return count, found


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem.replace("scenario", script.parent.name))
def test_two_folds_of_one_run_are_one_cluster(script: Path, tmp_path: Path) -> None:
    assert run_script(script, as_json=False, home=tmp_path, world=WorldChoice(simulated=True)) == 0
    traces = sorted(tmp_path.glob("runs/*/trace"))
    assert traces
    for trace in traces:
        count, found = compare(list(read_all(trace)))
        assert count >= 3
        assert not found, "\n".join(found[:10])


def test_a_fold_that_strays_is_noticed() -> None:
    picture, ghost = ClusterState(), Ghost()
    at: dict[str, Any] = {"topic": "orders", "partition": 0}
    event = ev.ReplicaAppended(
        **at, base_offset=0, count=2, end_offset=2, leader_epoch=0, batches=((0, 2, 0, "aa"),), role="leader",
        size_bytes=1,
    )  # fmt: skip
    entry = Entry("r", 1, 0, 0, 1, 0, 0, None, "", None, event)
    applied = ev.PartitionApplied(
        **at, leader=1, leader_epoch=0, partition_epoch=0, isr=(1,), elr=(), replicas=(1,), min_insync_replicas=1
    )
    for told in (entry, Entry("r", 1, 0, 1, 2, 0, 0, None, "", None, applied)):
        picture.apply(told)
        ghost.here = ghost.of(event)
        for handler in dispatch((ghost,))[type(told.event)]:
            handler(told, told.event)
    assert differences(picture, ghost, set()) == []
    picture.log(1, TopicPartition("orders", 0)).log_end_offset = 1
    assert differences(picture, ghost, set()) == ["orders-0 on 1 end: 1 and 2"]
