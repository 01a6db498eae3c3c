"""Groups in the folded state."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.model.identifiers import TopicPartition
from cluster.picture.asked import GroupState
from cluster.picture.cluster_state import ClusterState
from cluster.picture.groups import GROUP_FOLDS


def test_every_fold_is_of_an_event_that_names_its_group() -> None:
    for kind in GROUP_FOLDS:
        assert kind in (ev.CoordinatorLoaded, ev.CoordinatorResigned) or "group" in kind.__annotations__


def test_a_member_is_known_by_its_client_id_also_when_its_member_id_is_another() -> None:
    state = ClusterState()
    told: list[Event] = [
        ev.GroupMemberJoined(group="g", member_id="ann-1", instance_id="", client_id="ann", client_host="",
                             generation=0, session_timeout_ms=1, rebalance_timeout_ms=1),
        ev.GroupAssigned(group="g", generation=1, protocol="range", offset=0,
                         assignments=(("ann-1", "t", 0), ("unheard-of", "t", 1))),
    ]  # fmt: skip
    for seq, event in enumerate(told):
        state.apply(Entry("run", 5, 0, seq, seq, 0, 0, None, "", None, event))
    assert state.groups["g"].owner == {TopicPartition("t", 0): "ann", TopicPartition("t", 1): "unheard-of"}
    assert state.groups["g"].coordinator == 5
    assert GroupState("g").parts("ann") == 0


def test_members_of_the_newer_protocol_come_to_their_parts_one_by_one() -> None:
    state = ClusterState()
    step: dict[str, Any] = {"group": "g", "target_epoch": 2, "state": "stable", "offset": 0, "revoking": ()}
    told: list[Event] = [
        ev.ConsumerGroupTargeted(group="g", group_epoch=2, assignor="uniform", offset=0, members=("a", "b"),
                                 subscriptions=(), assignments=(("a", "t", 0), ("b", "t", 1))),
        ev.ConsumerMemberReconciled(member_id="a", member_epoch=1, assigned=(("t", 0), ("t", 1)), **step),
        ev.ConsumerMemberReconciled(member_id="a", member_epoch=2, assigned=(("t", 0),), **step),
        ev.ConsumerMemberReconciled(member_id="b", member_epoch=2, assigned=(("t", 1),), **step),
    ]  # fmt: skip
    for seq, event in enumerate(told):
        state.apply(Entry("run", 5, 0, seq, seq, 0, 0, None, "", None, event))
    assert state.groups["g"].owner == {TopicPartition("t", 0): "a", TopicPartition("t", 1): "b"}
    assert state.groups["g"].generation == 2
