"""Kafka's own kafka-metadata-quorum describes a dynamic quorum, and adds and removes a controller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.settings import classroom_timing
from tests.support.clients.driver import Unable
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.quorum_tool import QuorumTool
from tests.support.processes.watching import until

pytestmark = pytest.mark.slow
PROPERTIES = """process.roles=controller
node.id=104
controller.listener.names=CONTROLLER
listeners=CONTROLLER://127.0.0.1:9093
advertised.listeners=CONTROLLER://127.0.0.1:9093
log.dirs={folder}
controller.quorum.bootstrap.servers=127.0.0.1:9093
"""


@pytest.fixture
def dynamic(tmp_path: Path) -> Iterator[LivingLab]:
    """Three voters, and a controller that observes."""
    settings = replace(classroom_timing(), dynamic_quorum=True, spare_controllers=1)
    made = LivingLab(tmp_path, ClusterSpec(title="Voters", controllers=4, settings=settings))
    yield made
    made.close()


def disk_of(lab: LivingLab, node: int) -> str:
    lines = (lab.folder / "data" / str(node) / "meta.properties").read_text("utf-8").splitlines()
    named = {name: value for name, _, value in (line.partition("=") for line in lines)}
    return str(named["directory.id"])


def test_the_tool_describes_adds_and_removes(dynamic: LivingLab, tmp_path: Path) -> None:
    try:
        tool = QuorumTool(dynamic.bootstrap)
    except Unable as reason:
        pytest.skip(str(reason))
    disk, properties = disk_of(dynamic, 104), tmp_path / "controller.properties"
    properties.write_text(PROPERTIES.format(folder=dynamic.folder / "data" / "104"), "utf-8")

    def role_of(node: int) -> str:
        lines = tool.run("describe", "--replication")[1].splitlines()
        return next(words[-1] for words in map(str.split, lines) if words[:2] == [str(node), disk])

    assert role_of(104) == "Observer"
    code, told = tool.run("--command-config", str(properties), "add-controller")
    assert code == 0, told
    until(lambda: role_of(104) == "Follower", what="it votes")
    code, told = tool.run("--command-config", str(properties), "add-controller")
    assert code != 0 and "DuplicateVoterException" in told
    named = ("remove-controller", "--controller-id", "104", "--controller-directory-id", disk)
    assert tool.run(*named)[0] == 0
    until(lambda: role_of(104) == "Observer", what="it votes no more")
    code, told = tool.run(*named)
    assert code != 0 and "VoterNotFoundException" in told
