"""A built-in member of the newer protocol: joins, gives up before it says so, joins anew when it is fenced."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.clients.group_member import GroupMember
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import ClientRequest, TimerFired
from cluster.model.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)
from cluster.model.settings import kafka_timing
from tests.cluster.clients.test_group_member import COORDINATOR, STATE, Cluster

TOPIC = STATE.topic_id


class Talk(Cluster):
    """Answers one member of the newer protocol by hand."""

    def __init__(self, instance: str = "", **more: str) -> None:
        arguments: dict[str, str | int] = {
            "group": "g", "topics": "orders", "instance": instance, "commit": "each", "protocol": "consumer", **more,
        }  # fmt: skip
        asked = ClientRequest(operation="subscribe", arguments=arguments)
        self.member = GroupMember("a", 1001, (1, 2, 3), kafka_timing(), asked)
        self.asked, self.events, self.timers = {}, [], set()
        self.give(asked)
        self.find()

    def told_parts(self, epoch: int, *indexes: int | None) -> Any:
        """Answer the heartbeat that waits; no index at all leaves the assignment as it was."""
        assignment = None if not indexes else tuple((TOPIC, index) for index in indexes if index is not None)
        response = ConsumerGroupHeartbeatResponse(
            member_id="a-1001", member_epoch=epoch, heartbeat_interval_ms=700, assignment=assignment
        )
        return self.answer(ConsumerGroupHeartbeatRequest, response)

    def refused(self, error: ErrorCode) -> None:
        self.answer(ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse(error=error))

    def beat(self) -> None:
        self.give(TimerFired(name="member.heartbeat"))


def owner() -> Talk:
    talk = Talk()
    talk.told_parts(1, 0, 1)
    talk.told_parts(1)
    talk.answer(OffsetFetchRequest, OffsetFetchResponse(offsets=(("orders", 0, 5, -1, ""), ("orders", 1, 0, -1, ""))))
    return talk


def test_it_joins_with_nothing_and_says_everything() -> None:
    talk = Talk()
    request = talk.told_parts(1, 0, 1)
    assert (request.member_epoch, request.member_id, request.owned) == (0, "a-1001", ())
    assert (request.topics, request.assignor, request.rebalance_timeout_ms) == (("orders",), "uniform", 300_000)
    assert talk.member.owned == (TopicPartition("orders", 0), TopicPartition("orders", 1))
    assert "member.heartbeat" in talk.timers


def test_it_acknowledges_what_it_took_and_then_says_only_that_it_is_there() -> None:
    talk = Talk()
    talk.told_parts(1, 0, 1)
    request = talk.told_parts(1)
    assert (request.member_epoch, request.owned, request.topics) == (1, ((TOPIC, 0), (TOPIC, 1)), None)
    talk.beat()
    assert talk.told_parts(1).owned is None


def test_it_reads_offsets_as_a_member_in_its_epoch() -> None:
    talk = Talk()
    talk.told_parts(3, 0)
    talk.told_parts(3)
    request = talk.answer(OffsetFetchRequest, OffsetFetchResponse(error=ErrorCode.STALE_MEMBER_EPOCH))
    assert (request.member_id, request.member_epoch) == ("a-1001", 3)
    talk.give(TimerFired(name="member.retry"))
    assert talk.waits(OffsetFetchRequest), "its coordinator is the same"


def test_what_is_taken_away_is_committed_before_it_is_given_up_and_given_up_before_it_is_said() -> None:
    talk = owner()
    for item in talk.member._state.owned.values():
        item.position = 9
    talk.beat()
    talk.told_parts(1, 0)
    commit = next(message for _, message in talk.asked.values() if isinstance(message, OffsetCommitRequest))
    assert (commit.generation, commit.knows_member_epochs) == (1, True)
    assert talk.member.owned == (TopicPartition("orders", 0),)
    assert not talk.waits(ConsumerGroupHeartbeatRequest), "the commit has not been answered"
    talk.answer(OffsetCommitRequest, OffsetCommitResponse())
    request = talk.told_parts(2)
    assert request.owned == ((TOPIC, 0),)
    assert [event.revoked for event in talk.told(ev.ConsumerRevoked)] == [(("orders", 1),)]


@pytest.mark.parametrize("error", [ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID])
def test_who_is_fenced_has_lost_everything_and_joins_anew(error: ErrorCode) -> None:
    talk = owner()
    talk.beat()
    talk.refused(error)
    assert talk.member.owned == ()
    assert [event.is_lost for event in talk.told(ev.ConsumerRevoked)] == [True]
    assert talk.told_parts(4, 0).member_epoch == 0


def test_without_an_answer_it_looks_for_the_coordinator_and_says_everything_again() -> None:
    talk = owner()
    talk.beat()
    talk.refused(ErrorCode.NOT_COORDINATOR)
    talk.give(TimerFired(name="member.retry"))
    assert talk.waits(FindCoordinatorRequest)
    assert talk.member.owned != (), "nobody said that it has lost anything"
    talk.beat()
    assert not talk.waits(ConsumerGroupHeartbeatRequest)
    talk.answer(FindCoordinatorRequest, FindCoordinatorResponse(group="g", coordinator=COORDINATOR))
    talk.beat()
    request = talk.told_parts(1, 0, 1)
    assert (request.member_epoch, request.topics) == (1, ("orders",))
    assert request.owned == ((TOPIC, 0), (TOPIC, 1))


@pytest.mark.parametrize(
    "error", [ErrorCode.UNSUPPORTED_ASSIGNOR, ErrorCode.UNRELEASED_INSTANCE_ID, ErrorCode.GROUP_ID_NOT_FOUND]
)
def test_a_group_that_will_never_take_it_ends_it(error: ErrorCode) -> None:
    talk = Talk()
    talk.refused(error)
    assert talk.member.idle and [event.how for event in talk.told(ev.ConsumerEnded)] == ["failed"]


@pytest.mark.parametrize(("instance", "epoch"), [("", -1), ("shelf", -2)])
def test_a_static_member_leaves_for_a_while(instance: str, epoch: int) -> None:
    talk = Talk(instance)
    talk.told_parts(1, 0)
    talk.told_parts(1)
    talk.give(ClientRequest(operation="leave", arguments={}))
    assert talk.told_parts(epoch).member_epoch == epoch
    assert talk.member.idle and [event.how for event in talk.told(ev.ConsumerEnded)] == ["left"]


def test_an_assignor_that_no_coordinator_has_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no assignor sticky"):
        Talk(assignors="sticky")
