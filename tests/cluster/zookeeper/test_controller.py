"""What a new controller decides of what it has read, what it is asked for, and when it is one no more."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    ControllerRaceLost,
)
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import CreateTopicRequest, FetchRequest
from cluster.model.partition_state import PartitionState
from cluster.zookeeper.controller import after_failover
from cluster.zookeeper.flows import delete, put
from cluster.zookeeper.paths import BROKER_IDS, CONTROLLER, CONTROLLER_EPOCH
from tests.support.worlds.controller_race import Racer
from tests.support.worlds.znodes import CLIENT, Znodes, in_office, told

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
