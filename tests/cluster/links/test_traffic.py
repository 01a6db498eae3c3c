"""What a process tells of its messages. Node 1 talks to node 2; times are in milliseconds."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.links.frame import Frame
from cluster.links.traffic import ALWAYS_MAX, SINGLES_MAX, Traffic
from cluster.links.vocabulary import Connected, FramesIn, Refused, ResetAsked
from cluster.model import events as ev
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.model.messages import (
    FetchRequest,
    FetchResponse,
    Message,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
    VoteRequest,
)
from tests.support.worlds.link_machine import BACK, CUT, Line, One, frame

MS = 1_000_000
PATIENCE_MS = 1_000


class Told:
    """The traffic of node 1, and what it told."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.held: list[tuple[int, int, list[Frame]]] = []
        self.traffic = Traffic(1, PATIENCE_MS, lambda event, *_: self.seen.append(event), lambda: self.held)

    def ask(self, at_ms: int, number: int = 4, message: Message | None = None, target: int = 2) -> Frame:
        asked = Frame(1, number, message or MetadataRequest(topics=()))
        self.traffic.asked(target, asked, at_ms * MS)
        return asked

    def hear(self, at_ms: int, message: Message, number: int = 4, source: int = 2, left_ms: int | None = None) -> None:
        left_ns = (at_ms - 1 if left_ms is None else left_ms) * MS
        self.traffic.heard(source, Frame(source, number, message, left_ns=left_ns), at_ms * MS)

    def messages(self) -> list[tuple[str, str, int, int]]:
        """Kind, fate, and the instants of what was told singly."""
        singles = [event for event in self.seen if isinstance(event, ev.MessageSeen)]
        return [(event.message, event.fate, event.left_ns // MS, event.ended_ns // MS) for event in singles]

    def counts(self) -> list[ev.TrafficSeen]:
        return [event for event in self.seen if isinstance(event, ev.TrafficSeen)]


ANSWER = MetadataResponse(controller_id=-1, brokers=(), partitions=())
VOTE = VoteRequest(voter_id=2, candidate_id=1, epoch=2, last_epoch=1, last_offset=9, pre_vote=False)


def fetch(topic: str = "orders", partition: int = 0) -> FetchRequest:
    return FetchRequest(replica_id=2, topic=topic, partition=partition, fetch_offset=7)


@pytest.fixture
def told() -> Told:
    return Told()


def test_a_quarter_of_a_second_is_one_event_with_one_sample_of_each_kind(told: Told) -> None:
    told.hear(1_000, fetch())
    for at in (1_010, 1_020, 1_249):
        told.hear(at, fetch())
    told.hear(1_100, FetchResponse(topic="orders", partition=1, records=b"12345"))
    assert told.seen == []
    told.hear(1_260, ANSWER)
    (counts,) = told.counts()
    assert (counts.since_ns // MS, counts.until_ns // MS) == (1_000, 1_260)
    rows = {row[1]: row for row in counts.heard}
    assert rows["FetchRequest"][:8] == (2, "FetchRequest", 4, 0, 999 * MS, 1_000 * MS, "orders", 0)
    assert dict(rows["FetchRequest"][8])["offset"] == 7
    assert rows["FetchResponse"][2:4] == (1, 5) and rows["MetadataResponse"][2] == 1
    told.hear(1_600, ANSWER)
    assert [row[1:3] for row in told.counts()[1].heard] == [("MetadataResponse", 1)], "counted anew"


def test_votes_are_told_singly_when_they_leave_and_when_they_are_delivered(told: Told) -> None:
    told.ask(1_000, message=VOTE)
    told.hear(1_002, VOTE)
    assert told.messages() == [("VoteRequest", "left", 1_000, 0), ("VoteRequest", "delivered", 1_001, 1_002)]
    first, second = told.seen
    assert (first.source, first.target, second.source, second.target) == (1, 2, 2, 1)
    assert not first.is_answer and dict(first.numbers)["epoch"] == 2


def test_other_messages_are_told_singly_while_the_quorum_has_no_leader(told: Told) -> None:
    told.ask(1_000)
    told.traffic.watch(frozenset((METADATA,)))
    told.ask(1_001)
    told.traffic.watch(frozenset())
    told.ask(1_002)
    assert told.messages() == [("MetadataRequest", "left", 1_001, 0)]


def test_a_partition_without_a_leader_concerns_its_own_messages(told: Told) -> None:
    told.traffic.watch(frozenset((TopicPartition("orders", 1),)))
    told.ask(1_000, message=fetch("orders", 0))
    told.ask(1_000, message=fetch("orders", 1))
    told.ask(1_000)
    (single,) = told.seen
    assert (single.topic, single.partition) == ("orders", 1)


def test_all_messages_of_a_link_that_a_fault_touches_are_told(told: Told) -> None:
    told.traffic.touch({2})
    told.ask(1_000)
    told.ask(1_000, target=3)
    told.hear(1_005, ANSWER)
    assert told.messages() == [("MetadataRequest", "left", 1_000, 0), ("MetadataResponse", "delivered", 1_004, 1_005)]


def test_what_is_told_in_one_window_is_bounded(told: Told) -> None:
    told.ask(1_000)
    told.traffic.touch({2})
    for number in range(SINGLES_MAX + 5):
        told.ask(1_001, number)
    assert len(told.seen) == SINGLES_MAX
    for number in range(ALWAYS_MAX):
        told.ask(1_001, number, VOTE)
    assert len(told.seen) <= ALWAYS_MAX
    told.ask(1_300)
    assert told.messages()[-1] == ("MetadataRequest", "left", 1_300, 0), "a new window"


def test_requests_whose_answer_cannot_come_are_told_and_answered_ones_are_not(told: Told) -> None:
    told.ask(1_000, 4)
    told.ask(1_000, 8, VOTE)
    told.ask(1_000, 12, fetch())
    told.hear(1_001, ANSWER, 4)
    told.traffic.parted(2, {12}, 1_050 * MS, "the connection was closed")
    assert told.messages()[1:] == [("VoteRequest", "unanswered", 1_000, 1_050)], "what has not left can still arrive"
    assert told.seen[-1].why == "the connection was closed"


def test_a_request_is_given_up_after_the_patience_of_its_process(told: Told) -> None:
    told.ask(1_000)
    told.ask(1_900, 8, ProduceRequest(topic="orders", partition=0, acks=0, timeout_ms=1, records=b"", client_id="p"))
    told.ask(2_200, 12)
    assert told.messages() == [("MetadataRequest", "unanswered", 1_000, 2_200)]
    told.ask(4_000, 16)
    given_up = [event.correlation for event in told.seen if isinstance(event, ev.MessageSeen)]
    assert given_up == [4, 12], "acks=0 asks for no answer"


def test_who_is_silent_is_told_with_the_age_of_the_oldest_request(told: Told) -> None:
    told.ask(1_000, 4)
    told.ask(1_100, 8)
    told.ask(1_400, 12)
    assert told.counts()[-1].unanswered == ((2, 3, 400),)


def test_what_a_link_holds_is_told_with_its_age(told: Told) -> None:
    told.held = [(1, 2, [told.ask(1_000)]), (2, 1, [])]
    told.ask(1_500)
    assert told.counts()[-1].held == ((1, 2, 1, 500),)


def test_a_request_that_is_lost_again_and_again_is_told_once_in_a_window(told: Told) -> None:
    for number in range(3):
        told.traffic.lost(1, 2, [told.ask(1_000, number)], 1_000 * MS, "refused")
        told.traffic.lost(1, 2, [told.ask(1_000, number, VOTE)], 1_000 * MS, "refused")
    lost = [event.message for event in told.seen if event.fate == "lost"]
    assert lost == ["MetadataRequest", *["VoteRequest"] * 3]
    told.traffic.lost(1, 2, [told.ask(1_300)], 1_300 * MS, "refused")
    assert told.messages()[-1] == ("MetadataRequest", "lost", 1_300, 1_300)


def test_an_instant_that_cannot_be_is_not_told(told: Told) -> None:
    told.hear(1_000, VOTE, left_ms=5_000)
    assert told.messages() == [("VoteRequest", "delivered", 1_000, 1_000)]


def test_nobody_is_told_when_nobody_observes() -> None:
    traffic = Traffic(1, PATIENCE_MS, None, lambda: ())
    asked = Frame(1, 4, VOTE)
    traffic.asked(2, asked, 5)
    traffic.heard(2, asked, 6)
    assert asked.left_ns == 0


# Of the machine of a link.


@pytest.fixture
def one() -> One:
    return One(observed=True)


def fates(one: One) -> list[tuple[str, int, str]]:
    """Fate, number and reason of each message that was told singly."""
    return [(event.fate, event.correlation, event.why) for event in one.seen if isinstance(event, ev.MessageSeen)]


def test_a_message_on_a_cut_link_is_held_and_lost_with_the_connection(one: One) -> None:
    (wanted,) = one.ask(0)
    one.handle(Connected(Line(2), wanted.attempt))
    one.apply(CUT)
    one.ask(4)
    assert fates(one) == [("left", 4, ""), ("held", 4, "the link is cut")]
    one.handle(ResetAsked(2, "fault"))
    assert fates(one)[2:] == [("lost", 4, "fault"), ("unanswered", 0, "fault")]


def test_requests_to_nobody_are_lost_with_the_reason(one: One) -> None:
    (wanted,) = one.ask(4)
    one.handle(Refused(2, wanted.attempt))
    assert fates(one) == [("lost", 4, "the connection was refused")]
    one.after(300)
    one.ask(8)
    one.handle(Refused(2, one.links.attempt(2)))
    one.after(10)
    one.ask(12)
    assert fates(one)[1:] == [("lost", 8, "the connection was refused")], "one of a kind in a window"


def test_what_a_cut_held_at_its_receiver_is_delivered_late(one: One) -> None:
    line = one.accepted()
    one.apply(BACK)
    one.handle(FramesIn(line, [frame(8, sender=2)]))
    one.after(200)
    one.apply()
    one.after(300)
    one.ask(12)
    assert fates(one) == [("held", 8, "the link is cut")]
    (counts,) = [event for event in one.seen if isinstance(event, ev.TrafficSeen)]
    assert [row[:3] for row in counts.heard] == [(2, "MetadataRequest", 1)], "the cut is healed when it is delivered"
