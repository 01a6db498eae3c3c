"""Real node processes: a quorum elects, survives a kill, and takes the old leader back."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.identifiers import METADATA
from cluster.runtime.lab.client import launch_lab
from tests.support.processes.watching import Watcher, nothing_left, until_async

pytestmark = pytest.mark.processes


@pytest.mark.first
async def test_a_killed_leader_is_replaced_in_a_higher_epoch_and_follows_when_it_returns(tmp_path: Path) -> None:
    lab = await launch_lab(tmp_path, ClusterSpec(brokers=2))
    try:
        seen = Watcher(lab.run_folder)
        await until_async(
            lambda: all(node in seen.now.nodes and seen.now.nodes[node].fenced is False for node in (1, 2))
        )
        epoch, old = seen.now.quorum_epoch, seen.now.quorum_leader
        assert (await lab.send(f"kill {old}")).ok
        await until_async(lambda: seen.now.quorum_epoch > epoch and seen.now.quorum_leader not in (-1, old))
        assert (await lab.send(f"start {old}")).ok
        await until_async(lambda: seen.now.nodes[old].quorum_role == "follower")
        await until_async(lambda: seen.now.log(old, METADATA).high_watermark > 0)
        won = [item.epoch for item in seen.now.elections if item.topic_partition == METADATA]
        assert len(set(won)) == len(won), "one leader in an epoch"
    finally:
        await lab.close()
    nothing_left(lab.run_folder)
