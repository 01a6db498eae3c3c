"""What stands on a message: a question ends in a question mark, an answer says what it brings."""

from __future__ import annotations

import pytest

from cluster.model.entry import EventId
from cluster.picture.flights import Flight
from workbench.tui.panes.message_words import LABELS, label_of


def flight(message: str, **numbers: int) -> Flight:
    told = EventId(1, 0, 0)
    return Flight(2, 1, message, message.endswith("Response"), "delivered", 1, 2, told, numbers=tuple(numbers.items()))


@pytest.mark.parametrize(
    ("told", "words", "role"),
    [
        (flight("VoteRequest", epoch=2), "vote e2?", "ask"),
        (flight("VoteRequest", epoch=2, pre_vote=1), "pre-vote?", "ask"),
        (flight("VoteResponse", epoch=2, granted=1), "yes", "yes"),
        (flight("VoteResponse", epoch=2, granted=0), "\u2717 no", "no"),
        (flight("FetchRequest", offset=81), "fetch 81?", "flow"),
        (flight("FetchResponse", offset=80, records=1), "record 80", "flow"),
        (flight("FetchResponse", offset=80, records=7), "7 records", "flow"),
        (flight("FetchResponse"), "nothing new", "flow"),
        (flight("FetchResponse", diverging_epoch=0, diverging_end_offset=158), "e0 ends at 158", "no"),
        (flight("FetchResponse", error=6), "\u2717 refused", "no"),
        (flight("SessionFetchRequest", session_epoch=0, partitions=3), "fetch all 3?", "flow"),
        (flight("SessionFetchRequest", session_epoch=4, partitions=2), "fetch 2 changed?", "flow"),
        (flight("SessionFetchRequest", session_epoch=4, partitions=0), "fetch as before?", "flow"),
        (flight("SessionFetchResponse", partitions=2), "news of 2", "flow"),
        (flight("SessionFetchResponse", partitions=0), "nothing new", "flow"),
        (flight("SessionFetchResponse", error=70), "\u2717 session?", "no"),
        (flight("BrokerHeartbeatRequest"), "n2 alive", "flow"),
        (flight("SomethingNewRequest"), "SomethingNew?", "flow"),
    ],
)
def test_a_message_says_what_it_asks_or_brings(told: Flight, words: str, role: str) -> None:
    label = label_of(told)
    assert (label.long, label.role) == (words, role)
    assert len(label.short) <= len(label.long)


def test_a_fetch_of_many_partitions_is_no_bare_number_which_would_be_an_offset() -> None:
    for epoch, partitions in ((0, 3), (4, 2), (4, 0)):
        assert (
            not label_of(flight("SessionFetchRequest", session_epoch=epoch, partitions=partitions)).short[0].isdigit()
        )
    assert not label_of(flight("SessionFetchResponse", partitions=2)).short.isdigit()


def test_every_request_with_words_is_a_question_or_tells_something() -> None:
    for name in LABELS:
        assert label_of(flight(name)).long
