"""How a member answers its coordinator: go on, join again, come as a stranger, look elsewhere, give up."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from cluster.clients.group_member import GroupMember
from cluster.model import events as ev
from cluster.model.consumer_protocol import decode_subscription, encode_assignment, recalled
from cluster.model.effects import CancelTimer, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.inputs import ClientRequest, Disconnected, Received, TimerFired
from cluster.model.messages import (
    FetchRequest,
    FetchResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    JoinGroupResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    Message,
    MetadataRequest,
    MetadataResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import kafka_timing

COORDINATOR = 2
PART = TopicPartition("orders", 0)
STATE = PartitionState(
    topic_id=7, replicas=(1,), isr=(1,), leader=1, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
)


class Cluster:
    """Answers one member by hand."""

    def __init__(self, assignors: str = "range", instance: str = "") -> None:
        arguments: dict[str, str | int] = {
            "group": "g", "topics": "orders", "assignors": assignors, "instance": instance, "commit": "each",
        }  # fmt: skip
        asked = ClientRequest(operation="subscribe", arguments=arguments)
        self.member = GroupMember("a", 1001, (1, 2, 3), kafka_timing(), asked)
        self.asked: dict[int, tuple[int, Message]] = {}
        self.events: list[Any] = []
        self.timers: set[str] = set()
        self.give(asked)

    def give(self, happened: Any) -> None:
        for effect in self.member.handle(happened, 0):
            match effect:
                case Send(target=target, message=message, correlation=correlation):
                    self.asked[correlation] = (target, message)
                case Emit(event=event):
                    self.events.append(event)
                case SetTimer(name=name):
                    self.timers.add(name)
                case CancelTimer(name=name):
                    self.timers.discard(name)

    def waits(self, kind: type) -> bool:
        return any(type(message) is kind for _, message in self.asked.values())

    def answer(self, kind: type, response: Message) -> Any:
        """Answer the request of a class that waits; the request."""
        correlation = next(number for number, (_, message) in self.asked.items() if type(message) is kind)
        target, message = self.asked.pop(correlation)
        self.give(Received(sender=target, correlation=correlation, message=response))
        return message

    def find(self) -> None:
        """Coordinator and metadata are known."""
        partitions = tuple(("orders", index, STATE) for index in range(2))
        self.answer(MetadataRequest, MetadataResponse(brokers=(1, 2, 3), partitions=partitions))
        self.answer(FindCoordinatorRequest, FindCoordinatorResponse(group="g", coordinator=COORDINATOR))

    def join(self, generation: int = 1, protocol: str = "range") -> None:
        """It has a part: partition 0."""
        joined = JoinGroupResponse(generation=generation, protocol=protocol, leader="z", member_id="a-1")
        self.answer(JoinGroupRequest, joined)
        self.answer(SyncGroupRequest, SyncGroupResponse(assignment=encode_assignment([PART])))
        self.answer(OffsetFetchRequest, OffsetFetchResponse(offsets=(("orders", 0, 5, -1, ""),)))

    def told(self, kind: type) -> list[Any]:
        return [event for event in self.events if type(event) is kind]


def owner() -> Cluster:
    cluster = Cluster()
    cluster.find()
    cluster.join()
    assert cluster.member.owned == (TopicPartition("orders", 0),)
    return cluster


def beat(cluster: Cluster, error: ErrorCode) -> None:
    cluster.give(TimerFired(name="member.heartbeat"))
    cluster.answer(HeartbeatRequest, HeartbeatResponse(error=error))


def test_it_begins_at_the_committed_offset() -> None:
    cluster = owner()
    (positioned,) = cluster.told(ev.ConsumerPositioned)
    assert (positioned.offset, positioned.why) == (5, "committed")


def test_an_id_that_was_given_is_used_at_once() -> None:
    cluster = Cluster()
    cluster.find()
    required = JoinGroupResponse(error=ErrorCode.MEMBER_ID_REQUIRED, member_id="a-7")
    cluster.answer(JoinGroupRequest, required)
    assert cluster.answer(JoinGroupRequest, JoinGroupResponse(error=ErrorCode.NOT_COORDINATOR)).member_id == "a-7"


def test_a_rebalance_makes_it_give_up_its_part_and_join_again() -> None:
    cluster = owner()
    beat(cluster, ErrorCode.REBALANCE_IN_PROGRESS)
    assert [event.is_lost for event in cluster.told(ev.ConsumerRevoked)] == [False]
    assert cluster.waits(JoinGroupRequest) and cluster.member.owned == ()


@pytest.mark.parametrize(
    ("assignors", "dealt_by", "owned", "recalled_owned"),
    [
        ("sticky,range", "range", (), ()),
        ("sticky,range", "sticky", (), (PART,)),
        ("cooperative-sticky,sticky", "cooperative-sticky", (), ()),
        ("cooperative-sticky", "cooperative-sticky", (PART,), ()),
    ],
)
def test_the_next_leader_is_told_what_sticky_dealt_and_what_a_cooperative_member_holds(
    assignors: str, dealt_by: str, owned: tuple[TopicPartition, ...], recalled_owned: tuple[TopicPartition, ...]
) -> None:
    cluster = Cluster(assignors)
    cluster.find()
    cluster.join(generation=3, protocol=dealt_by)
    beat(cluster, ErrorCode.REBALANCE_IN_PROGRESS)
    asked = cluster.answer(JoinGroupRequest, JoinGroupResponse(error=ErrorCode.NOT_COORDINATOR))
    subscriptions = {name: decode_subscription(data) for name, data in asked.protocols}
    for name, subscription in subscriptions.items():
        assert subscription.owned == owned
        remembers = recalled_owned if name == "sticky" else ()
        assert (recalled(subscription).owned, recalled(subscription).generation) == (remembers, 3 if remembers else -1)


@pytest.mark.parametrize(
    ("error", "member_id"), [(ErrorCode.UNKNOWN_MEMBER_ID, ""), (ErrorCode.ILLEGAL_GENERATION, "a-1")]
)
def test_a_group_that_went_on_without_it_takes_its_part(error: ErrorCode, member_id: str) -> None:
    cluster = owner()
    beat(cluster, error)
    assert [event.is_lost for event in cluster.told(ev.ConsumerRevoked)] == [True]
    assert not cluster.waits(OffsetCommitRequest), "others may have it already"
    assert cluster.answer(JoinGroupRequest, JoinGroupResponse(error=ErrorCode.NOT_COORDINATOR)).member_id == member_id


def test_who_owns_a_partition_a_second_time_begins_where_the_group_is_and_not_where_it_was() -> None:
    cluster = owner()
    records = encode_batch([Record(b"k", b"v")], base_offset=5, leader_epoch=0)
    cluster.answer(FetchRequest, FetchResponse(topic="orders", partition=0, records=records))
    beat(cluster, ErrorCode.UNKNOWN_MEMBER_ID)
    joined = JoinGroupResponse(generation=4, protocol="range", leader="z", member_id="a-2")
    cluster.answer(JoinGroupRequest, joined)
    part = encode_assignment([TopicPartition("orders", 0)])
    cluster.answer(SyncGroupRequest, SyncGroupResponse(assignment=part))
    cluster.answer(OffsetFetchRequest, OffsetFetchResponse(offsets=(("orders", 0, 9, -1, ""),)))
    fetches = [message for _, message in cluster.asked.values() if isinstance(message, FetchRequest)]
    assert fetches[-1].fetch_offset == 9


def test_another_coordinator_is_looked_for_and_the_part_is_kept() -> None:
    cluster = owner()
    beat(cluster, ErrorCode.NOT_COORDINATOR)
    assert cluster.member.owned and not cluster.waits(JoinGroupRequest)
    cluster.give(TimerFired(name="member.retry"))
    cluster.answer(FindCoordinatorRequest, FindCoordinatorResponse(group="g", coordinator=3))
    cluster.give(TimerFired(name="member.heartbeat"))
    assert [target for target, message in cluster.asked.values() if isinstance(message, HeartbeatRequest)] == [3]


def test_a_commit_that_found_no_coordinator_is_made_once_there_is_one() -> None:
    cluster = owner()
    beat(cluster, ErrorCode.NOT_COORDINATOR)
    records = encode_batch([Record(b"k", b"v")], base_offset=5, leader_epoch=0)
    cluster.answer(FetchRequest, FetchResponse(topic="orders", partition=0, records=records))
    assert cluster.told(ev.ConsumerPolled) and not cluster.waits(OffsetCommitRequest)
    cluster.give(TimerFired(name="member.retry"))
    cluster.answer(FindCoordinatorRequest, FindCoordinatorResponse(group="g", coordinator=3))
    committed = cluster.answer(OffsetCommitRequest, OffsetCommitResponse())
    assert committed.offsets == (("orders", 0, 6, -1, ""),), "no more records came, and still"


def test_records_that_fail_their_crc_are_not_taken_and_asked_for_later() -> None:
    cluster = owner()
    records = encode_batch([Record(b"k", b"v")], base_offset=5, leader_epoch=0)
    cluster.answer(FetchRequest, FetchResponse(topic="orders", partition=0, records=records[:-1] + b"!"))
    assert not cluster.told(ev.ConsumerPolled) and not cluster.waits(FetchRequest)
    cluster.give(TimerFired(name="member.retry"))
    cluster.answer(MetadataRequest, MetadataResponse(brokers=(1, 2, 3), partitions=(("orders", 0, STATE),)))
    cluster.answer(FetchRequest, FetchResponse(topic="orders", partition=0, records=records))
    assert [each.base_offset for each in cluster.told(ev.ConsumerPolled)] == [5]


def test_who_got_a_partition_that_nobody_led_asks_again_until_somebody_does() -> None:
    cluster = Cluster()
    nobody = structs.replace(STATE, leader=NO_NODE)
    cluster.answer(MetadataRequest, MetadataResponse(brokers=(1, 2, 3), partitions=(("orders", 0, nobody),)))
    cluster.answer(FindCoordinatorRequest, FindCoordinatorResponse(group="g", coordinator=COORDINATOR))
    cluster.join()
    for led in (nobody, STATE):
        assert not cluster.waits(FetchRequest)
        cluster.give(TimerFired(name="member.retry"))
        cluster.answer(MetadataRequest, MetadataResponse(brokers=(1, 2, 3), partitions=(("orders", 0, led),)))
    assert cluster.waits(FetchRequest) and not cluster.waits(MetadataRequest)


def test_a_lost_connection_is_no_answer() -> None:
    cluster = Cluster()
    cluster.find()
    cluster.asked.clear()
    cluster.give(Disconnected(peer=COORDINATOR))
    cluster.give(TimerFired(name="member.retry"))
    assert cluster.waits(FindCoordinatorRequest)


def test_a_fenced_member_gives_up_for_good() -> None:
    cluster = owner()
    beat(cluster, ErrorCode.FENCED_INSTANCE_ID)
    assert cluster.member.idle
    assert [event.how for event in cluster.told(ev.ConsumerEnded)] == ["failed"]


def test_who_leaves_says_so_and_a_static_member_does_not() -> None:
    cluster = owner()
    cluster.give(ClientRequest(operation="leave", arguments={}))
    cluster.answer(LeaveGroupRequest, LeaveGroupResponse())
    assert cluster.member.idle
    static = Cluster(instance="shelf-1")
    static.find()
    static.give(ClientRequest(operation="leave", arguments={}))
    assert static.member.idle and not static.waits(LeaveGroupRequest)


def test_a_word_that_is_no_assignor_is_refused() -> None:
    with pytest.raises(ValueError, match="no assignor fair"):
        Cluster(assignors="fair")
