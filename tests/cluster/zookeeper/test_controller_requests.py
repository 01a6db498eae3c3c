"""What the controller of ZooKeeper's era is asked for: done through znodes, or refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.effects import Effect
from cluster.model.errors import ErrorCode
from cluster.model.events import TopicDeleted
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import (
    AlterConfigsRequest,
    ControlledShutdownRequest,
    CreatePartitionsRequest,
    CreateTopicRequest,
    DeleteTopicRequest,
    ElectLeadersRequest,
    Message,
    ReassignPartitionRequest,
)
from cluster.zookeeper.controller_requests import REQUESTS
from cluster.zookeeper.office import Office
from tests.support.worlds.znodes import Znodes, answers_to_client, asked_by_client, in_office, told

ORDERS = TopicPartition("orders", 0)


class Controller:
    """One in office, and its client."""

    def __init__(self, brokers: int = 3) -> None:
        self.znodes, self.out = Znodes(), list[Effect]()
        self.office: Office = in_office(self.znodes, self.out, brokers=brokers)

    def ask(self, request: Message) -> Any:
        before = len(answers_to_client(self.out))
        self.znodes.run(REQUESTS[type(request)](self.office, asked_by_client(self.office, request)))
        answers = answers_to_client(self.out)[before:]
        assert len(answers) == 1, "everybody who asks is answered once"
        return answers[0]

    def create(self, name: str = "orders", configs: tuple[tuple[str, str], ...] = ()) -> Any:
        return self.ask(
            CreateTopicRequest(
                topic=name,
                partitions=1,
                replication_factor=3,
                min_insync_replicas=1,
                assignments=((1, 2, 3),),
                configs=configs,
            )
        )

    def leader(self) -> int:
        return self.office.context.image.partitions[ORDERS].leader


def test_a_topic_is_made_of_znodes_first_and_read_from_them() -> None:
    controller = Controller()
    assert controller.create().error == ErrorCode.NONE
    nodes = controller.znodes.tree.nodes
    below = "/brokers/topics/orders"
    assert {below, "/config/topics/orders", f"{below}/partitions/0/state"} <= set(nodes)
    assert controller.office.context.image.partitions[ORDERS].isr == (1, 2, 3)


def test_a_topic_that_is_there_is_not_made_again() -> None:
    controller = Controller()
    controller.create()
    assert controller.create().error == ErrorCode.TOPIC_ALREADY_EXISTS


def test_a_topic_by_majority_is_refused_as_an_invalid_config_and_leaves_no_znode() -> None:
    controller = Controller()
    answer = controller.create(configs=(("commit.rule", "majority"),))
    assert answer.error == ErrorCode.INVALID_CONFIG
    assert "control=zookeeper" in answer.reason
    assert not any("orders" in path for path in controller.znodes.tree.nodes)
    assert controller.create(configs=(("commit.rule", "isr"),)).error == ErrorCode.NONE


@pytest.mark.parametrize("request_", [
    CreatePartitionsRequest(topic="orders", count=2),
    AlterConfigsRequest(resource_type=2, resource_name="orders", changes=()),
])  # fmt: skip
def test_what_is_not_built_is_refused_in_words(request_: Message) -> None:
    answer = Controller().ask(request_)
    assert answer.error == ErrorCode.UNSUPPORTED_VERSION
    assert "not built with control=zookeeper" in answer.reason


@pytest.mark.parametrize("replicas", [(3, 2, 1), None], ids=["a move", "its end"])
def test_replicas_do_not_move_and_no_znode_says_so(replicas: tuple[int, ...] | None) -> None:
    controller = Controller()
    controller.create()
    before = dict(controller.znodes.tree.nodes)
    answer = controller.ask(ReassignPartitionRequest(topic="orders", partition=0, replicas=replicas))
    assert answer.error == ErrorCode.UNSUPPORTED_VERSION
    assert "not built with control=zookeeper" in answer.reason
    assert controller.znodes.tree.nodes == before
    assert controller.office.context.image.partitions[ORDERS].replicas == (1, 2, 3)


def test_a_deleted_topic_goes_with_all_its_znodes() -> None:
    controller = Controller()
    controller.create()
    assert controller.ask(DeleteTopicRequest(topic="orders")).error == ErrorCode.NONE
    assert not any("orders" in path for path in controller.znodes.tree.nodes)
    (deleted,) = [event for event in told(controller.out) if isinstance(event, TopicDeleted)]
    assert (deleted.topic, deleted.partitions) == ("orders", 1)


def test_a_topic_waits_to_go_while_a_broker_with_a_replica_is_away() -> None:
    controller = Controller()
    controller.create()
    live = controller.office.context.live()
    controller.office.context.set_live({node: epoch for node, epoch in live.items() if node != 3})
    late = controller.ask(DeleteTopicRequest(topic="orders"))
    assert late.error == ErrorCode.REQUEST_TIMED_OUT
    nodes = controller.znodes.tree.nodes
    assert "/admin/delete_topics/orders" in nodes and "/brokers/topics/orders" in nodes


def test_a_broker_that_leaves_gives_its_leadership_away_first() -> None:
    controller = Controller()
    controller.create()
    epoch = controller.office.context.live()[1]
    answer = controller.ask(ControlledShutdownRequest(broker_id=1, broker_epoch=epoch))
    assert (answer.error, answer.remaining, controller.leader()) == (ErrorCode.NONE, 0, 2)
    assert controller.office.context.image.partitions[ORDERS].isr == (2, 3)


def test_an_earlier_life_of_a_broker_may_not_ask_to_leave() -> None:
    controller = Controller()
    controller.create()
    answer = controller.ask(ControlledShutdownRequest(broker_id=1, broker_epoch=0))
    assert answer.error == ErrorCode.STALE_BROKER_EPOCH and controller.leader() == 1


def test_the_preferred_leader_is_elected_once_it_does_not_lead() -> None:
    controller = Controller()
    controller.create()
    request = ElectLeadersRequest(topic="orders", partition=0, unclean=False)
    assert controller.ask(request).error == ErrorCode.ELECTION_NOT_NEEDED
    unknown = ElectLeadersRequest(topic="none", partition=0, unclean=False)
    assert controller.ask(unknown).error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
