"""Groups of built-in members in a whole simulated cluster."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, TypeVar

from cluster.cluster_spec import ClusterSpec
from cluster.commands.carry_out import carry_out
from cluster.model import events as ev
from cluster.model.identifiers import OFFSETS_TOPIC, TopicPartition
from cluster.model.offsets_topic import partition_for
from cluster.model.settings import classroom_timing
from cluster.simulation.world.cluster import SimulatedCluster

Kind = TypeVar("Kind")
TP = tuple[str, int]
TWO = ("consume orders group=g1 member=a", "consume orders group=g1 member=b")


class Lab:
    """A simulated cluster that remembers its events."""

    def __init__(self, seed: int = 3, **settings: Any) -> None:
        config = ClusterSpec(seed=seed, settings=replace(classroom_timing(), offsets_topic_partitions=2, **settings))
        self.cluster = SimulatedCluster(config)
        self.events: list[Any] = []
        self.cluster.recording.listeners.append(lambda entry: self.events.append(entry.event))
        self.cluster.begin()

    def do(self, *texts: str) -> None:
        """Carry out commands; a refusal fails the test."""
        for text in texts:
            answer = asyncio.run(carry_out(self.cluster.desk, text, self.cluster.ready))
            assert answer.ok, answer.text

    def told(self, kind: type[Kind], **fields: Any) -> list[Kind]:
        """Events of a class with these fields, in order."""
        return [
            event
            for event in self.events
            if type(event) is kind and all(getattr(event, name) == value for name, value in fields.items())
        ]

    def until(self, kind: type[Any], times: int = 1, limit_s: float = 30.0, **fields: Any) -> None:
        """Let time pass until so many such events were told."""
        assert self.cluster.run_until(lambda: len(self.told(kind, **fields)) >= times, self.cluster.now_s() + limit_s)

    def owned(self, *members: str) -> dict[str, list[int]]:
        """What each of them owns."""
        held: dict[str, list[int]] = {}
        for event in self.events:
            if isinstance(event, ev.ConsumerAssigned):
                held[event.client_id] = [partition for _, partition in event.owned]
            elif isinstance(event, ev.ConsumerRevoked):
                gone = {partition for _, partition in event.revoked}
                held[event.client_id] = [item for item in held[event.client_id] if item not in gone]
        return {name: held.get(name, []) for name in members}

    def read(self) -> dict[TP, list[int]]:
        """Offsets delivered, by partition, in the order of delivery."""
        found: dict[TP, list[int]] = {}
        for event in self.told(ev.ConsumerPolled):
            offsets = range(event.base_offset, event.base_offset + event.count)
            found.setdefault((event.topic, event.partition), []).extend(offsets)
        return found


def test_two_members_share_ten_partitions_and_read_all_records_once() -> None:
    lab = Lab()
    lab.do("topic orders partitions=10 replicas=3", *TWO)
    lab.until(ev.GroupStateChanged, state="Stable")
    for partition in range(10):
        lab.do(f"produce orders-{partition} 3")
    lab.cluster.advance(1)
    assert lab.owned("a", "b") == {"a": [0, 1, 2, 3, 4], "b": [5, 6, 7, 8, 9]}
    assert lab.read() == {("orders", partition): [0, 1, 2] for partition in range(10)}


def test_what_a_killed_member_had_not_committed_is_delivered_again() -> None:
    lab = Lab()
    lab.do("topic orders partitions=1 replicas=3", "consume orders group=g1 member=a commit=no")
    lab.until(ev.GroupStateChanged, state="Stable")
    lab.do("produce orders 4")
    lab.until(ev.ConsumerPolled, client_id="a", times=4)
    lab.do("member a commit", "produce orders 3")
    lab.until(ev.ConsumerCommitted, client_id="a", error=0)
    lab.until(ev.ConsumerPolled, client_id="a", times=7)
    lab.do("member a kill", "consume orders group=g1 member=b")
    lab.until(ev.ConsumerPolled, client_id="b")
    (left,) = lab.told(ev.GroupMemberLeft, why="session_expired")
    assert left.silent_ms >= lab.cluster.settings.consumer_session_timeout_ms
    lab.cluster.advance(1)
    assert lab.read()["orders", 0] == [0, 1, 2, 3, 4, 5, 6, 4, 5, 6]


def test_a_group_outlives_its_coordinator() -> None:
    lab = Lab()
    lab.do("topic orders partitions=2 replicas=3", "consume orders group=g1 member=a commit=each")
    lab.until(ev.GroupStateChanged, state="Stable")
    lab.do("produce orders 5")
    lab.until(ev.ConsumerCommitted, error=0)
    lab.cluster.advance(0.5)
    before = lab.told(ev.OffsetsCommitted)[-1]
    where = TopicPartition(OFFSETS_TOPIC, partition_for("g1", 2))
    lab.do(f"kill {lab.cluster.cluster().leader_of(where)}")
    lab.until(ev.CoordinatorLoaded, groups=(("g1", 1),))
    loaded = lab.told(ev.CoordinatorLoaded, groups=(("g1", 1),))[-1]
    assert ("g1", *before.offsets[0]) in loaded.offsets
    lab.do("produce orders-1 3")
    lab.until(ev.ConsumerPolled, client_id="a", partition=1)
    lab.cluster.advance(2)
    assert lab.told(ev.OffsetsCommitted)[-1].generation == 1, "the generation goes on"


def test_cooperative_members_keep_reading_what_does_not_move() -> None:
    lab = Lab()
    lab.do("topic orders partitions=4 replicas=3", "consume orders group=g1 member=a assignor=cooperative-sticky")
    lab.until(ev.GroupStateChanged, state="Stable")
    lab.do("consume orders group=g1 member=b assignor=cooperative-sticky")
    lab.cluster.advance(5)
    owned = lab.owned("a", "b")
    assert owned == {"a": [0, 1], "b": [2, 3]}
    assert [event.revoked for event in lab.told(ev.ConsumerRevoked, client_id="a")] == [(("orders", 2), ("orders", 3))]


def test_a_static_member_that_comes_back_in_time_moves_nothing() -> None:
    lab = Lab()
    lab.do(
        "topic orders partitions=4 replicas=3",
        "consume orders group=g1 member=a instance=shelf-1",
        "consume orders group=g1 member=b instance=shelf-2",
    )
    lab.until(ev.ConsumerAssigned, times=2)
    lab.do("member b kill", "consume orders group=g1 member=b2 instance=shelf-2")
    lab.until(ev.ConsumerAssigned, client_id="b2")
    assert lab.owned("a", "b2") == {"a": [0, 1], "b2": [2, 3]}
    assert [event.generation for event in lab.told(ev.ConsumerAssigned)] == [1, 1, 1]


def test_a_paused_member_is_out_and_its_late_commit_is_refused() -> None:
    lab = Lab()
    lab.do("topic orders partitions=1 replicas=3", "consume orders group=g1 member=a commit=no")
    lab.until(ev.GroupStateChanged, state="Stable")
    lab.do("produce orders 4")
    lab.until(ev.ConsumerPolled, client_id="a", times=4)
    lab.do("member a pause", "consume orders group=g1 member=b")
    lab.until(ev.GroupMemberLeft, why="session_expired")
    lab.until(ev.ConsumerPolled, client_id="b")
    lab.do("member a resume", "member a commit")
    lab.until(ev.ConsumerRevoked, client_id="a", is_lost=True)
    lab.cluster.advance(3)
    assert not [event for event in lab.told(ev.OffsetsCommitted) if event.member_id.startswith("a-")]


def test_a_member_that_leaves_commits_first_and_the_others_share_at_once() -> None:
    lab = Lab()
    lab.do("topic orders partitions=2 replicas=3", *TWO)
    lab.until(ev.GroupStateChanged, state="Stable")
    lab.do("produce orders-0 4", "member a leave")
    lab.until(ev.ConsumerAssigned, client_id="b", times=2)
    assert lab.owned("b") == {"b": [0, 1]}
    assert lab.told(ev.ConsumerEnded, client_id="a", how="left")
    lab.cluster.advance(1)
    assert lab.read()["orders", 0] == [0, 1, 2, 3], "nothing twice"


def test_the_leader_divides_topics_that_it_does_not_subscribe_to() -> None:
    lab = Lab()
    lab.do("topic orders partitions=2 replicas=3", "topic users partitions=2 replicas=3")
    lab.do("consume orders group=g1 member=a", "consume users,orders group=g1 member=b")
    lab.until(ev.ConsumerAssigned, times=2)
    owned = {event.client_id: event.owned for event in lab.told(ev.ConsumerAssigned)}
    assert owned == {"a": (("orders", 0),), "b": (("orders", 1), ("users", 0), ("users", 1))}


def test_a_command_may_name_the_coordinator_of_a_group() -> None:
    """Of two partitions of the offsets topic, each led by another broker."""
    lab = Lab()
    lab.do("topic orders replicas=3", "consume orders group=g1 member=a", "consume orders group=g2 member=b")
    lab.until(ev.ConsumerAssigned, times=2)
    state = lab.cluster.cluster()
    leaders = {group: state.leader_of(TopicPartition(OFFSETS_TOPIC, partition_for(group, 2))) for group in ("g1", "g2")}
    assert len(set(leaders.values())) == 2
    lab.do("kill coordinator(g1)", "isolate coordinator(g2)")
    assert [event.command for event in lab.told(ev.FaultInjected)] == [
        f"kill {leaders['g1']}",
        f"isolate {leaders['g2']}",
    ]


async def test_a_group_that_nobody_looked_for_has_no_coordinator() -> None:
    lab = Lab()
    answer = await carry_out(lab.cluster.desk, "kill coordinator(g1)", lab.cluster.ready)
    assert (answer.ok, answer.text) == (False, "there is no coordinator(g1) now")
