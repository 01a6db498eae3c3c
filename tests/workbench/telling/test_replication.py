"""What is said of partitions, of consumers that read from followers, and of fetch sessions."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model import events as ev
from cluster.model.events import FetchSessionOpened, FetchSessionRefused, FollowerRead
from workbench.telling.tell import sentence


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            FetchSessionOpened(fetcher=2, session_id=7, partitions=1, is_follower=True),
            "begins fetch session 7 for n2, of 1 partition",
        ),
        (
            FetchSessionOpened(fetcher=1001, session_id=7, partitions=3, is_follower=False),
            "begins fetch session 7 for a consumer, of 3 partitions",
        ),
        (
            FetchSessionRefused(fetcher=3, session_id=7, error=70),
            "refuses fetch session 7 of n3: does not know it (error 70)",
        ),
        (
            FetchSessionRefused(fetcher=1001, session_id=7, error=71),
            "refuses fetch session 7 of a consumer: got it out of turn (error 71)",
        ),
    ],
)
def test_what_is_said_of_sessions(event: object, words: str) -> None:
    assert sentence(event) == words


def test_names_of_topics_are_untrusted() -> None:
    event = FollowerRead(
        topic="a\x1b[31m", partition=0, leader_epoch=1, fetch_offset=0, end_offset=2, high_watermark=5, rack="r3"
    )
    assert "\x1b" not in sentence(event)


def test_a_report_says_where_the_log_ends_and_what_it_is_whole_with() -> None:
    facts: dict[str, Any] = {"topic": "votes\x1b[31m", "partition": 0, "leader_epoch": 3, "log_end_offset": 5}
    told = sentence(ev.LogEndReported(adopted_epoch=2, **facts))
    assert told.endswith("has no leader in e3: tells its log end 5, whole with the beginning of e2")
    assert "\x1b" not in told
    assert sentence(ev.LogEndReported(adopted_epoch=-1, **facts)).endswith("tells its log end 5")
    heard = sentence(ev.LogEndHeard(broker_id=2, adopted_epoch=2, **facts))
    assert "log of n2 ends at 5, whole with the beginning of e2" in heard


def test_who_adopts_an_epoch_counts_from_then_on() -> None:
    event = ev.EpochAdopted(topic="votes", partition=0, leader_epoch=4, epoch_start_offset=7, log_end_offset=7)
    assert sentence(event) == "votes-0 holds all with which e4 began (to 7): it counts from now on"
