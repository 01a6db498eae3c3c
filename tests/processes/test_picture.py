"""The picture that events make of living nodes is what the nodes themselves answer to a Kafka client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from cluster.kafka.apis.describe_quorum import (
    DESCRIBE_QUORUM,
    DescribeQuorumRequest,
    RequestedPartition,
    RequestedTopic,
)
from cluster.kafka.apis.describe_topic_partitions import (
    DESCRIBE_TOPIC_PARTITIONS,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.raw_client import RawClient
from tests.support.processes.watching import Watcher, nothing_left, until

pytestmark = pytest.mark.processes
ORDERS = TopicPartition("orders", 0)
Seen: TypeAlias = tuple[Any, ...]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[LivingLab]:
    made = LivingLab(tmp_path)
    try:
        made.do("topic orders assign=1,2,3 min-isr=2")
        made.do("produce orders 5 acks=all")
        yield made
    finally:
        made.close()
    nothing_left(made.folder)


def quorum_answered(port: int) -> Seen:
    """Leader, epoch and voters, as the leader of the quorum tells."""
    asked = DescribeQuorumRequest([RequestedTopic(METADATA.topic, [RequestedPartition(0)])])
    with RawClient(port) as client:
        found = client.ask(DESCRIBE_QUORUM, 1, asked).topics[0].partitions[0]
    assert found.error_code == 0
    return found.leader_id, found.leader_epoch, tuple(sorted(voter.replica_id for voter in found.current_voters))


def quorum_seen(picture: ClusterState) -> Seen:
    return picture.quorum_leader, picture.quorum_epoch, tuple(sorted(picture.voters))


def orders_answered(port: int) -> Seen:
    """Leader, epoch, replicas, ISR and ELR of orders-0, as the broker at this port has applied them."""
    with RawClient(port) as client:
        asked = DescribeTopicPartitionsRequest([TopicRequest("orders")])
        found = client.ask(DESCRIBE_TOPIC_PARTITIONS, 0, asked).topics[0].partitions[0]
    elr = tuple(sorted(found.eligible_leader_replicas or ()))
    return found.leader_id, found.leader_epoch, tuple(found.replica_nodes), tuple(sorted(found.isr_nodes)), elr


def orders_seen(picture: ClusterState) -> Seen:
    item = picture.partitions[ORDERS]
    return item.leader, item.leader_epoch, item.replicas, tuple(sorted(item.isr)), tuple(sorted(item.elr))


def agree(seen: Callable[[], Seen], answered: Callable[[], Seen], wanted: Callable[[Seen], bool], what: str) -> None:
    """Wait for what is wanted of the picture, then until a node answers the same."""
    until(lambda: wanted(seen()), what=f"{what} in the picture")
    until(lambda: seen() == answered(), what=f"the same answer: {what}")


def others(lab: LivingLab, node: NodeId) -> int:
    """The port of a broker that is not this one."""
    return next(port for broker, port in sorted(lab.ports.items()) if broker != node)


def test_a_killed_broker_leaves_leadership_and_isr_in_picture_and_answers_alike(lab: LivingLab) -> None:
    watcher = Watcher(lab.folder)
    port = others(lab, 1)
    agree(lambda: orders_seen(watcher.now), lambda: orders_answered(port), lambda it: it[:2] == (1, 0), "led by 1")
    lab.do("kill 1")
    agree(lambda: orders_seen(watcher.now), lambda: orders_answered(port), lambda it: it[0] in (2, 3), "led by another")
    assert watcher.now.nodes[1].process == "down"
    lab.do("start 1")
    back = (1, 2, 3)
    agree(lambda: orders_seen(watcher.now), lambda: orders_answered(port), lambda it: it[3] == back, "all in the ISR")


def test_a_quorum_that_loses_its_leader_has_the_next_one_in_picture_and_answers_alike(lab: LivingLab) -> None:
    watcher = Watcher(lab.folder)
    port = lab.ports[2]
    agree(lambda: quorum_seen(watcher.now), lambda: quorum_answered(port), lambda it: it[0] > 0, "a leader")
    old, epoch, _ = quorum_seen(watcher.now)
    lab.do(f"kill {old}")
    agree(lambda: quorum_seen(watcher.now), lambda: quorum_answered(port), lambda it: it[1] > epoch and it[0] > 0,
          "the next leader")  # fmt: skip
    assert quorum_seen(watcher.now)[0] != old


@pytest.mark.first
def test_a_paused_broker_stays_paused_through_freeze_and_thaw_in_the_picture(lab: LivingLab) -> None:
    watcher = Watcher(lab.folder)
    for command in ("pause 2", "freeze", "thaw"):
        lab.do(command)
    until(lambda: watcher.now.nodes[1].process == "running", what="node 1 running")
    assert watcher.now.nodes[2].process == "paused"
    lab.do("resume 2")
    until(lambda: watcher.now.nodes[2].process == "running", what="node 2 running")
