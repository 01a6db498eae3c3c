"""What the screen says of messages."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model import events as ev
from tests.support.traces import story
from workbench.telling.network import label
from workbench.telling.tell import describe, tone
from workbench.telling.telling import DIM


@pytest.mark.parametrize(
    ("message", "numbers", "said"),
    [
        ("VoteRequest", {"epoch": 2, "pre_vote": 0}, "vote e2?"),
        ("VoteRequest", {"epoch": 1, "pre_vote": 1}, "pre-vote e1?"),
        ("VoteResponse", {"granted": 1}, "yes"),
        ("VoteResponse", {"granted": 0}, "no"),
        ("VoteResponse", {"error": 74}, "fenced leader epoch"),
        ("FetchRequest", {"offset": 92}, "fetch 92?"),
        ("FetchResponse", {"offset": 80, "records": 1}, "record 80"),
        ("FetchResponse", {"offset": 80, "records": 3}, "records 80 to 82"),
        ("FetchResponse", {"offset": 80}, "records from 80"),
        ("FetchResponse", {}, "nothing new"),
        ("FetchResponse", {"diverging_epoch": 0, "diverging_end_offset": 158}, "e0 ends at 158"),
        ("BrokerHeartbeatRequest", {}, "alive"),
        ("CreateTopicRequest", {}, "create topic?"),
        ("CreateTopicResponse", {}, "create topic"),
        ("CreateTopicResponse", {"error": 9999}, "error 9999"),
    ],
)
def test_a_label_is_short_and_a_question_ends_with_its_sign(message: str, numbers: dict[str, int], said: str) -> None:
    assert label(message, numbers) == said


def seen(fate: str, **more: Any) -> ev.MessageSeen:
    return ev.MessageSeen(source=101, target=103, message="VoteRequest", is_answer=False, fate=fate, left_ns=1_000_000,
                          numbers=(("epoch", 2), ("pre_vote", 0)), **more)  # fmt: skip


def test_each_observation_has_a_plain_sentence_and_none_is_notable() -> None:
    told = story.Story()
    for event in (
        seen("left"),
        seen("held", why="the link is cut"),
        seen("delivered", ended_ns=1_250_000),
        seen("lost", why="connection refused"),
        seen("unanswered", why="connection closed"),
        ev.MessageSeen(source=1, target=2, message="VoteRequest", is_answer=False, fate="lost", left_ns=0),
        ev.TrafficSeen(since_ns=0, until_ns=250_000_000, held=((1, 2, 1, 90),),
                       heard=((101, "FetchRequest", 3, 0, 1, 2, "t", 0, ()),
                              (2, "VoteRequest", 1, 0, 1, 2, "", -1, ()))),
        ev.TrafficSeen(since_ns=0, until_ns=500_000_000),
        ev.TimerSet(timer="election", length_ms=271),
    ):  # fmt: skip
        told.say(101, event)
    assert [describe(entry) for entry in told.entries] == [
        "VoteRequest (vote e2?) left n101>n103",
        "VoteRequest (vote e2?) is held n101>n103: the link is cut",
        "VoteRequest (vote e2?) came n101>n103 in 0.250 ms",
        "VoteRequest (vote e2?) was lost n101>n103: connection refused",
        "VoteRequest (vote e2?) n101>n103 got no answer: connection closed",
        "VoteRequest (VoteRequest) was lost n1>n2",
        "heard 4 messages in 0.25 s: 1 from n2, 3 from n101; 1 message held",
        "heard 0 messages in 0.50 s",
        "waits to ask for votes, for 271 ms",
    ]
    assert {tone(entry) for entry in told.entries} == {DIM}
