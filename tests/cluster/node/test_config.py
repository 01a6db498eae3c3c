"""What a node is told of itself."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.model.effects import Send
from cluster.model.election_state import ElectionState
from cluster.model.inputs import NodeStarted
from cluster.model.settings import Settings
from cluster.node.config import BROKER_ROLE, NodeConfig
from cluster.node.node import Node
from cluster.replication.replica_manager import ReplicaManager
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.node_store import NodeStore

BROKER = NodeConfig(
    node_id=1,
    roles=(BROKER_ROLE,),
    controllers=(101,),
    brokers=(1,),
    settings=Settings(),
    incarnation_id="a",
)


def asked_at_start(config: NodeConfig) -> set[int]:
    """The numbers of all requests that a broker sends when it starts."""
    store = NodeStore(MemoryFiles(), host_fsync=False, emit=lambda *_given: None)
    replicas = ReplicaManager(config.node_id, config.settings, config.first_correlation)
    node = Node(config, store, ElectionState(epoch=1, leader_id=101), -1, replicas)
    found = {effect.correlation for effect in node.handle(NodeStarted(), 0) if isinstance(effect, Send)}
    assert found
    return found


def test_no_two_starts_of_a_node_number_a_request_alike() -> None:
    first, second = asked_at_start(BROKER), asked_at_start(replace(BROKER, incarnation=1))
    assert not first & second
    assert {number % 4 for number in first} == {number % 4 for number in second}
