"""Which node a process is follows from its config."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cluster.model.effects import Send
from cluster.model.errors import ErrorCode
from cluster.model.inputs import Received, StopRequested
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse, DescribeQuorumRequest
from cluster.model.settings import classroom_timing
from cluster.node.config import BROKER_ROLE, COORDINATOR_ROLE, NodeConfig
from cluster.node.coordinator_node import CoordinatorNode
from cluster.node.make_node import AnyNode, make_node
from cluster.node.node import Node
from cluster.node.zookeeper_broker import ZooKeeperBroker
from cluster.replication.replica_manager import ReplicaManager
from cluster.storage.node_store import NodeStore


def made(folder: Path, role: str, control: str = "zookeeper") -> AnyNode:
    settings = replace(classroom_timing(), control=control)
    config = NodeConfig(
        node_id=101 if role == COORDINATOR_ROLE else 1, roles=(role,), controllers=(101,), brokers=(1,),
        settings=settings, incarnation_id="a",
    )  # fmt: skip
    store = NodeStore(folder, host_fsync=False, emit=lambda _event: None)
    replicas = ReplicaManager(1, settings) if role == BROKER_ROLE else None
    return make_node(config, store, None, -1, replicas)


@pytest.mark.parametrize(
    ("role", "control", "kind"),
    [
        (BROKER_ROLE, "kraft", Node),
        (BROKER_ROLE, "zookeeper", ZooKeeperBroker),
        (COORDINATOR_ROLE, "zookeeper", CoordinatorNode),
    ],
)
def test_it_is_what_its_role_and_its_mode_say(tmp_path: Path, role: str, control: str, kind: type) -> None:
    assert type(made(tmp_path, role, control)) is kind


@pytest.mark.parametrize("role", [BROKER_ROLE, COORDINATOR_ROLE])
def test_what_it_is_not_it_refuses(tmp_path: Path, role: str) -> None:
    node = made(tmp_path, role)
    asked = CreateTopicRequest(topic="a", partitions=1, replication_factor=1)
    (answer,) = [e for e in node.handle(Received(sender=7, correlation=1, message=asked), 0) if isinstance(e, Send)]
    assert isinstance(answer.message, CreateTopicResponse) and answer.message.error == ErrorCode.NOT_CONTROLLER
    quorum = Received(sender=7, correlation=2, message=DescribeQuorumRequest())
    assert any(isinstance(effect, Send) for effect in node.handle(quorum, 0)), "nobody waits in vain"


def test_a_coordinator_stops_when_it_is_asked(tmp_path: Path) -> None:
    assert made(tmp_path, COORDINATOR_ROLE).handle(StopRequested(), 0)
