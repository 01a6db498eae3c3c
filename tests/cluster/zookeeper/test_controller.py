"""Who creates /controller controls; what a new controller decides of what it has read, and when it is one no more."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    ControllerActivated,
    ControllerDeactivated,
    ControllerRaceLost,
    ControllerRaceWon,
    ControllerTookOver,
)
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import CreateTopicRequest, FetchRequest, WatchedEvent
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings
from cluster.zookeeper.controller import KafkaController, after_failover
from cluster.zookeeper.flows import Flows, create, delete, put
from cluster.zookeeper.office import Office
from cluster.zookeeper.paths import BROKER_IDS, CONTROLLER, CONTROLLER_EPOCH, encode_controller
from tests.support.worlds.znodes import CLIENT, SESSION, Znodes, in_office, told

ORDERS = TopicPartition("orders", 0)
LED = PartitionState(
    topic_id=1, replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=4, partition_epoch=9, min_insync_replicas=1
)


def decided(state: PartitionState, *dead: int) -> tuple[int, tuple[int, ...]] | None:
    """(leader, ISR) that it wants; None where nothing is to change."""
    context = in_office(Znodes(), list[Effect]()).context
    context.add_topic("orders", 1, {})
    context.image.partitions[ORDERS] = state
    context.set_live({node: epoch for node, epoch in context.live().items() if node not in dead})
    wanted = after_failover(context, ORDERS, frozenset(dead))
    return None if wanted is None else (wanted.state.leader, wanted.state.isr)


def test_what_is_led_by_who_is_alive_stays() -> None:
    assert decided(LED) is None


def test_who_died_while_nobody_controlled_leads_no_more() -> None:
    assert decided(LED, 1) == (2, (2,))
    assert decided(LED, 2) == (1, (1,))


def test_a_partition_without_a_leader_gets_one_of_its_isr_that_is_back() -> None:
    leaderless = replace(LED, leader=NO_NODE, isr=(2,))
    assert decided(leaderless) == (2, (2,))
    assert decided(leaderless, 2) is None


OTHER = SESSION + 1


class Racer:
    """Broker 1 of three, none of which controls yet."""

    def __init__(self) -> None:
        self.znodes, self.out = Znodes(), list[Effect]()
        for broker in (1, 2, 3):
            self.znodes.add_broker(broker, 100 + broker)
        self.flows = Flows(cast(Any, self.znodes))
        self.office = Office(1, Settings(), self.out)
        self.controller = KafkaController(self.office, cast(Any, self.znodes), self.flows)

    def race(self) -> list[object]:
        """It looks at /controller; the events that this leads to."""
        before = len(told(self.out))
        self.controller.race()
        self.znodes.answer_all(self.flows)
        return told(self.out)[before:]

    def other_wins(self, data: str = encode_controller(3)) -> None:
        self.znodes.do(*create(CONTROLLER, data, ephemeral=True), session_id=OTHER)

    def see(self, path: str) -> list[object]:
        """A watch on a path saw something."""
        before = len(told(self.out))
        self.controller.on_watched(WatchedEvent(kind="children", path=path))
        self.znodes.answer_all(self.flows)
        return told(self.out)[before:]


def kinds(events: list[object]) -> list[type]:
    return [type(event) for event in events]


def test_who_creates_the_znode_controls_in_the_next_epoch_and_takes_over() -> None:
    racer = Racer()
    won, activated, *_, took_over = racer.race()
    assert won == ControllerRaceWon(controller_epoch=1, version=0)
    assert activated == ControllerActivated(epoch=1)
    assert isinstance(took_over, ControllerTookOver)
    assert (took_over.controller_epoch, took_over.brokers) == (1, (1, 2, 3))
    assert (racer.office.is_active, racer.office.controller_id) == (True, 1)
    assert racer.znodes.tree.nodes[CONTROLLER].data == encode_controller(1)
    assert racer.race() == [], "it has it already"
    racer.znodes.do(*delete(CONTROLLER))
    resigned, won, *_ = racer.race()
    assert isinstance(resigned, ControllerDeactivated) and resigned.epoch == 1
    assert won == ControllerRaceWon(controller_epoch=2, version=1)


def test_who_comes_later_waits_for_the_znode_to_go_and_knows_who_controls() -> None:
    racer = Racer()
    racer.other_wins()
    assert racer.race() == [ControllerRaceLost(controller_id=3)]
    assert (racer.office.is_active, racer.office.controller_id) == (False, 3)
    assert racer.race() == [], "told once"
    assert [operation.path for operation in racer.znodes.asked if operation.watch] == [CONTROLLER] * 2
    racer.znodes.do(*delete(CONTROLLER))
    assert kinds(racer.see(CONTROLLER))[0] is ControllerRaceWon


def test_a_znode_that_names_nobody_wins_all_the_same() -> None:
    racer = Racer()
    racer.other_wins("nonsense")
    assert racer.race() == []
    assert (racer.office.is_active, racer.office.controller_id) == (False, NO_NODE)


def test_who_won_and_lost_the_answer_finds_its_own_session_there() -> None:
    racer = Racer()
    racer.znodes.do(*create(CONTROLLER_EPOCH, "4"))
    racer.znodes.do(*create(CONTROLLER, encode_controller(1), ephemeral=True))
    assert racer.race()[0] == ControllerRaceWon(controller_epoch=4, version=0)


def test_an_epoch_that_is_no_number_begins_anew() -> None:
    racer = Racer()
    racer.znodes.do(*create(CONTROLLER_EPOCH, "many"))
    assert racer.race()[0] == ControllerRaceWon(controller_epoch=1, version=1)


def test_of_two_that_race_one_gets_it_and_the_epoch_is_counted_once() -> None:
    racer = Racer()
    racer.controller.race()
    racer.other_wins()
    racer.znodes.do(*create(CONTROLLER_EPOCH, "1"))
    racer.znodes.answer_all(racer.flows)
    assert told(racer.out) == [ControllerRaceLost(controller_id=3)]
    assert racer.znodes.tree.nodes[CONTROLLER_EPOCH].data == "1"


def test_who_learns_of_a_newer_epoch_while_it_writes_is_a_controller_no_more() -> None:
    racer = Racer()
    racer.race()
    racer.znodes.do(*put(CONTROLLER_EPOCH, "2", 0))
    racer.znodes.do(*delete(CONTROLLER))
    racer.other_wins()
    racer.znodes.do(*delete(f"{BROKER_IDS}/3"))
    ask_for_a_topic(racer)
    racer.znodes.answer_all(racer.flows)
    assert not racer.office.is_active
    assert told(racer.out)[-1] == ControllerRaceLost(controller_id=3)


def ask_for_a_topic(racer: Racer) -> list[Any]:
    """What a client is told that asks it to make one."""
    request = CreateTopicRequest(
        topic="orders", partitions=1, replication_factor=3, min_insync_replicas=1, assignments=((1, 2, 3),)
    )
    racer.controller.on_request(Received(sender=CLIENT, correlation=5, message=request))
    racer.znodes.answer_all(racer.flows)
    return [effect.message for effect in racer.out if isinstance(effect, Send) and effect.target == CLIENT]


def test_only_who_controls_does_what_it_is_asked_for() -> None:
    racer = Racer()
    racer.other_wins()
    racer.race()
    (refused,) = ask_for_a_topic(racer)
    assert (refused.error, refused.leader_id) == (ErrorCode.NOT_CONTROLLER, 3)
    racer = Racer()
    racer.race()
    (made,) = ask_for_a_topic(racer)
    assert made.error == ErrorCode.NONE
    racer.controller.on_request(
        Received(
            sender=CLIENT,
            correlation=6,
            message=FetchRequest(replica_id=-1, topic="orders", partition=0, fetch_offset=0),
        )
    )
    assert len([effect for effect in racer.out if isinstance(effect, Send) and effect.target == CLIENT]) == 1


def test_a_change_is_looked_at_by_who_controls_and_by_nobody_else() -> None:
    racer = Racer()
    racer.race()
    racer.znodes.do(*delete(f"{BROKER_IDS}/3"))
    assert racer.see("/somewhere") == []
    assert len(racer.see(BROKER_IDS)) == 1
    racer.controller.on_session_expired()
    assert (racer.office.is_active, racer.office.controller_id) == (False, NO_NODE)
    asked = len(racer.znodes.asked)
    assert racer.see(BROKER_IDS) == []
    assert len(racer.znodes.asked) == asked


def test_after_a_silence_all_that_watches_would_have_told_is_looked_up() -> None:
    racer = Racer()
    racer.race()
    racer.znodes.do(*delete(f"{BROKER_IDS}/3"))
    before = len(told(racer.out))
    racer.controller.on_session_back()
    racer.znodes.answer_all(racer.flows)
    assert len(told(racer.out)[before:]) == 1, "a broker is gone"
    assert sorted(racer.office.context.live()) == [1, 2]
