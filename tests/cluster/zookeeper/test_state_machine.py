"""Decided states are written on a condition: the version of the znode, and the epoch of the controller."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model.effects import Effect, Send
from cluster.model.events import StateWriteRefused
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import LeaderAndIsrRequest, UpdateMetadataRequest
from cluster.model.settings import Settings
from cluster.zookeeper.controller_events import on_topics
from cluster.zookeeper.flows import create, put
from cluster.zookeeper.office import Office
from cluster.zookeeper.paths import CONTROLLER_EPOCH, encode_assignment, encode_state, state_path, topic_path
from cluster.zookeeper.state_machine import ControllerMoved
from tests.support.worlds.znodes import Znodes, in_office, told

WHERE = TopicPartition("orders", 0)
STATE = state_path(WHERE)
GONE = frozenset({3})


def with_a_topic(settings: Settings | None = None) -> tuple[Znodes, Office, list[Effect]]:
    znodes, out = Znodes(), list[Effect]()
    office = in_office(znodes, out, settings)
    znodes.do(*create(topic_path("orders"), encode_assignment({0: (1, 2, 3)})))
    znodes.run(on_topics(office))
    return znodes, office, out


def test_a_change_expects_the_version_that_was_read() -> None:
    znodes, office, _ = with_a_topic()
    znodes.asked.clear()
    done = znodes.run(office.machine.change([WHERE], lambda where: office.context.without(where, GONE, "gone")))
    written = [(item.path, item.version) for item in znodes.asked if item.kind == "set"]
    assert done == [WHERE] and written == [(STATE, 0)]
    assert (znodes.tree.nodes[STATE].version, office.context.image.partitions[WHERE].isr) == (1, (1, 2))


def test_what_a_leader_wrote_meanwhile_is_read_and_decided_on_anew() -> None:
    znodes, office, out = with_a_topic()
    known = office.context.image.partitions[WHERE]
    znodes.do(*put(STATE, encode_state(replace(known, isr=(1, 3)), 1), 0))
    done = znodes.run(
        office.machine.change([WHERE], lambda where: office.context.without(where, GONE, "gone"), are_fresh=True)
    )
    refused = [event for event in told(out) if isinstance(event, StateWriteRefused)]
    assert [(event.version, event.controller_epoch) for event in refused] == [(0, 1)]
    assert done == [WHERE] and office.context.image.partitions[WHERE].isr == (1,), "3 went from what the leader wrote"


def test_nothing_is_written_by_a_controller_whose_epoch_is_not_the_newest() -> None:
    znodes, office, _ = with_a_topic()
    znodes.do(*put(CONTROLLER_EPOCH, "2", 0))
    before = znodes.tree.nodes[STATE]
    with pytest.raises(ControllerMoved):
        znodes.run(office.machine.change([WHERE], lambda where: office.context.without(where, GONE, "gone")))
    assert znodes.tree.nodes[STATE] == before


def test_before_2_2_only_the_version_of_the_state_stops_a_zombie() -> None:
    znodes, office, _ = with_a_topic(Settings(controller_epoch_check=False))
    znodes.do(*put(CONTROLLER_EPOCH, "2", 0))
    done = znodes.run(office.machine.change([WHERE], lambda where: office.context.without(where, GONE, "gone")))
    assert done == [WHERE], "the hole that the check closed"


def test_a_state_that_a_newer_controller_wrote_ends_the_office() -> None:
    znodes, office, _ = with_a_topic()
    known = office.context.image.partitions[WHERE]
    znodes.do(*put(STATE, encode_state(known, 2), 0))
    with pytest.raises(ControllerMoved):
        znodes.run(office.machine.read([WHERE]))


def test_nonsense_in_a_state_is_told_as_missing() -> None:
    znodes, office, _ = with_a_topic()
    znodes.do(*put(STATE, "{", 0))
    assert znodes.run(office.machine.read([WHERE])) == [WHERE]


def test_replicas_are_told_to_lead_or_follow_and_all_brokers_what_to_say() -> None:
    _, office, out = with_a_topic()
    out.clear()
    office.context.image.partitions[WHERE] = replace(office.context.image.partitions[WHERE], replicas=(1, 2))
    for node in (1, 2, 3):  # nothing is on its way to them
        office.channels.remove(node)
        office.channels.add(node)
    office.machine.push([WHERE])
    first = {effect.target: type(effect.message) for effect in out if isinstance(effect, Send)}
    assert first == {1: LeaderAndIsrRequest, 2: LeaderAndIsrRequest, 3: UpdateMetadataRequest}
