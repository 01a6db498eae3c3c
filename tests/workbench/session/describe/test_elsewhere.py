"""What is said of consumers that read from followers, and of fetch sessions."""

from __future__ import annotations

import pytest

from cluster.model.events import FetchSessionOpened, FetchSessionRefused, FollowerRead
from workbench.session.describe.elsewhere import ELSEWHERE_SENTENCES


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
    assert ELSEWHERE_SENTENCES[type(event)][1](event) == words


def test_names_of_topics_are_untrusted() -> None:
    event = FollowerRead(
        topic="a\x1b[31m", partition=0, leader_epoch=1, fetch_offset=0, end_offset=2, high_watermark=5, rack="r3"
    )
    assert "\x1b" not in ELSEWHERE_SENTENCES[FollowerRead][1](event)
