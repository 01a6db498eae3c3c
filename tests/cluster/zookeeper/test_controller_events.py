"""What the controller of ZooKeeper's era does when a watch saw something: what it writes, and whom it tells."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.model.effects import Effect, Send
from cluster.model.events import BrokersFound, TopicCreated, TopicDeleted
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest
from cluster.model.settings import Settings
from cluster.zookeeper import controller_events
from cluster.zookeeper.flows import create, delete, put
from cluster.zookeeper.office import Office
from cluster.zookeeper.paths import (
    BROKER_IDS,
    DELETE_TOPICS,
    ISR_CHANGES,
    TOPICS,
    broker_path,
    config_path,
    encode_assignment,
    encode_configs,
    encode_partitions,
    encode_state,
    state_path,
    topic_path,
)
from cluster.zookeeper.state_machine import Steps
from tests.support.worlds.znodes import Znodes, in_office, told

ORDERS = TopicPartition("orders", 0)


class Era:
    """Broker 1 controls three brokers; `orders` has one partition on all of them, led by 1."""

    def __init__(self) -> None:
        self.znodes, self.out = Znodes(), list[Effect]()
        self.office = in_office(self.znodes, self.out)
        self.make("orders")
        self.see(controller_events.on_topics(self.office))

    def make(self, topic: str, replicas: tuple[int, ...] = (1, 2, 3), **own: str) -> None:
        """Somebody makes the znodes of a topic."""
        self.znodes.do(*create(topic_path(topic), encode_assignment({0: replicas})))
        if own:
            self.znodes.do(*create(config_path(topic), encode_configs(own)))

    def see(self, steps: Steps[None]) -> list[tuple[int, str]]:
        """Do it; which broker is told what, in order, when each answers at once."""
        del self.out[:]
        self.znodes.run(steps)
        done, found = 0, []
        while done < len(self.out):
            effect = self.out[done]
            done += 1
            if isinstance(effect, Send) and isinstance(
                effect.message, LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest
            ):
                found.append((effect.target, type(effect.message).__name__.removesuffix("Request")))
                self.office.channels.on_answer(effect.target, effect.correlation)
        return found

    def gone(self, broker: int) -> None:
        """Its session is over."""
        self.znodes.do(*delete(broker_path(broker)))

    @property
    def standing(self) -> tuple[int, int, tuple[int, ...]]:
        """(leader, leader epoch, ISR) as the controller knows it."""
        state = self.office.context.image.partitions[ORDERS]
        return state.leader, state.leader_epoch, state.isr


ALL_LEARN = [(1, "LeaderAndIsr"), (2, "LeaderAndIsr"), (3, "LeaderAndIsr")]
ALL_TELL = [(1, "UpdateMetadata"), (2, "UpdateMetadata"), (3, "UpdateMetadata")]


def test_a_topic_gets_its_first_states_and_replicas_hear_of_it_before_clients_do() -> None:
    era = Era()
    era.make("users", (2, 3), **{"min.insync.replicas": "2"})
    pushed = era.see(controller_events.on_topics(era.office))
    assert [each for each in pushed if each[1] == "LeaderAndIsr"] == ALL_LEARN[1:]
    assert [each for each in pushed if each[1] == "UpdateMetadata"] == ALL_TELL
    (made,) = [event for event in told(era.out) if isinstance(event, TopicCreated)]
    assert (made.topic, made.partitions, made.min_insync_replicas) == ("users", 1, 2)
    assert state_path(TopicPartition("users", 0)) in era.znodes.tree.nodes
    assert era.see(controller_events.on_topics(era.office)) == [], "once"


def test_a_topic_whose_znode_holds_nonsense_is_left_alone() -> None:
    era = Era()
    era.znodes.do(*create(topic_path("nonsense"), "{"))
    era.make("users")
    era.znodes.do(*create(config_path("users"), "[]"))
    era.see(controller_events.on_topics(era.office))
    assert list(era.office.context.image.topics) == ["orders"]


def test_a_topic_whose_replicas_are_all_away_waits_for_one() -> None:
    era = Era()
    era.gone(3)
    era.see(controller_events.on_brokers(era.office))
    era.make("users", (3,))
    assert era.see(controller_events.on_topics(era.office)) == []
    assert era.office.context.image.partitions[TopicPartition("users", 0)].leader == NO_NODE


def test_topics_whose_znodes_are_gone_are_forgotten() -> None:
    era = Era()
    for path in sorted((path for path in era.znodes.tree.nodes if "orders" in path), reverse=True):
        era.znodes.do(*delete(path))
    era.see(controller_events.on_topics(era.office))
    assert not era.office.context.image.topics and not era.office.context.image.partitions


def test_a_broker_that_is_gone_leads_no_more_and_who_is_left_hears_of_it() -> None:
    era = Era()
    era.gone(1)
    pushed = era.see(controller_events.on_brokers(era.office))
    assert era.standing == (2, 1, (2, 3))
    assert {broker for broker, _ in pushed} == {2, 3}
    (found,) = [event for event in told(era.out) if isinstance(event, BrokersFound)]
    assert (found.new, found.dead, found.bounced) == ((), (1,), ())


def test_a_broker_that_comes_hears_of_all_and_the_others_only_of_it() -> None:
    era = Era()
    era.gone(3)
    era.see(controller_events.on_brokers(era.office))
    era.znodes.add_broker(3, 200)
    pushed = era.see(controller_events.on_brokers(era.office))
    assert sorted(pushed) == [(1, "UpdateMetadata"), (2, "UpdateMetadata"), (3, "LeaderAndIsr"), (3, "UpdateMetadata")]
    assert era.standing == (1, 1, (1, 2)), "who comes is in no ISR yet"


def test_another_life_of_a_broker_is_one_that_went_and_came() -> None:
    era = Era()
    era.gone(1)
    epoch = era.znodes.add_broker(1, 200)
    era.see(controller_events.on_brokers(era.office))
    (found,) = [event for event in told(era.out) if isinstance(event, BrokersFound)]
    assert (found.new, found.dead, found.bounced) == ((), (), (1,))
    assert era.standing == (2, 1, (2, 3))
    assert era.office.context.live()[1] == epoch


def test_a_partition_without_a_leader_gets_one_when_its_last_isr_member_comes_back() -> None:
    era = Era()
    for broker in (3, 2, 1):
        era.gone(broker)
        era.see(controller_events.on_brokers(era.office))
    assert era.standing[0] == NO_NODE and era.standing[2] == (1,)
    era.znodes.add_broker(2, 200)
    era.see(controller_events.on_brokers(era.office))
    assert era.standing[0] == NO_NODE, "it may lack what is committed"
    era.znodes.add_broker(1, 201)
    era.see(controller_events.on_brokers(era.office))
    assert (era.standing[0], era.standing[2]) == (1, (1,))


def test_names_that_are_no_brokers_are_passed_over() -> None:
    era = Era()
    for name in ("x", "1234567"):
        era.znodes.do(*create(f"{BROKER_IDS}/{name}"))
    assert era.see(controller_events.on_brokers(era.office)) == []
    assert sorted(era.office.context.live()) == [1, 2, 3]


def test_an_isr_that_its_leader_wrote_is_read_told_to_clients_and_its_note_taken_away() -> None:
    era = Era()
    before = era.office.context.image.partitions[ORDERS]
    written = encode_state(replace(before, isr=(1, 2)), 1)
    era.znodes.do(*put(state_path(ORDERS), written, 0))
    stranger = TopicPartition("nobody", 0)
    era.znodes.do(*create(f"{ISR_CHANGES}/change_", encode_partitions([ORDERS, stranger]), sequential=True))
    era.znodes.do(*create(f"{ISR_CHANGES}/change_", "{", sequential=True))
    assert era.see(controller_events.on_isr_changes(era.office)) == ALL_TELL
    assert era.standing == (1, 0, (1, 2))
    assert era.znodes.tree.children(ISR_CHANGES) == ()
    assert era.see(controller_events.on_isr_changes(era.office)) == []


def test_a_topic_is_deleted_once_all_its_replicas_are_there_to_drop_it() -> None:
    era = Era()
    era.gone(3)
    era.see(controller_events.on_brokers(era.office))
    era.znodes.do(*create(f"{DELETE_TOPICS}/orders"))
    era.znodes.do(*create(f"{DELETE_TOPICS}/nobody"))
    era.see(controller_events.on_topic_deletion(era.office))
    assert "orders" in era.office.context.image.topics
    assert era.znodes.tree.children(DELETE_TOPICS) == ("orders",), "of what there is not nothing is to be done"
    era.znodes.add_broker(3, 200)
    pushed = era.see(controller_events.on_brokers(era.office))
    assert [broker for broker, kind in pushed if kind == "StopReplica"] == [1, 2, 3]
    assert era.znodes.tree.children(DELETE_TOPICS) == ()
    assert [event.topic for event in told(era.out) if isinstance(event, TopicDeleted)] == ["orders"]


def test_a_new_controller_reads_brokers_topics_and_states_and_notes_are_over() -> None:
    era = Era()
    era.znodes.do(*create(f"{ISR_CHANGES}/change_", encode_partitions([ORDERS]), sequential=True))
    era.make("users")
    out: list[Effect] = []
    office = Office(2, Settings(), out)
    office.context.epoch, office.context.epoch_version, office.context.is_active = 1, 0, True
    era.znodes.run(controller_events.load(office))
    assert sorted(office.context.live()) == [1, 2, 3]
    assert office.context.image.partitions[ORDERS] == era.office.context.image.partitions[ORDERS]
    assert office.context.image.partitions[TopicPartition("users", 0)].isr == (1, 2, 3), "made, since nobody had"
    assert era.znodes.tree.children(ISR_CHANGES) == ()
    office.machine.push([ORDERS])
    assert {effect.target for effect in out if isinstance(effect, Send)} == {1, 2, 3}, "each can be told"
    watched = [operation.path for operation in era.znodes.asked if operation.watch]
    assert {BROKER_IDS, TOPICS, ISR_CHANGES} <= set(watched)
