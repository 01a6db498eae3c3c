from __future__ import annotations

import pytest

from workbench.session.story.line import SAID_MAX, Line, instant, seconds


def test_a_line_is_seen_as_it_was_at_the_cursor() -> None:
    line = Line(("followed", 2))
    line.say(10, 1, "1 broker follows n102")
    line.say(20, 2, "2 brokers follow n102")
    assert line.at(10) is None, "the cursor counts entries: the one at 10 is not told yet"
    assert [said.text for cursor in (11, 20, 21) if (said := line.at(cursor))] == [
        "1 broker follows n102",
        "1 broker follows n102",
        "2 brokers follow n102",
    ]


def test_the_same_words_are_counted_and_few_wordings_are_kept() -> None:
    line = Line(("refused",))
    for place in range(1000):
        line.say(place, place, "acks=all is refused")
    assert line.said[-1].words(0) == "acks=all is refused \u00d71000"
    assert len(line.said) == SAID_MAX and line.first.place == 0


def test_what_runs_is_as_long_as_it_is_at_the_instant() -> None:
    line = Line(("leaderless",))
    line.say(1, 1_000_000_000, "no leader for {}", since_ns=1_000_000_000)
    assert line.said[-1].words(1_301_000_000) == "no leader for 0.301 s so far"


@pytest.mark.parametrize(
    ("duration_ns", "words"),
    [(577_000_000, "0.577 s"), (1_481_000_000, "1.48 s"), (41_283_000_000, "41.3 s"), (600_000_000_000, "600 s")],
)
def test_a_duration_has_three_digits_that_matter(duration_ns: int, words: str) -> None:
    assert seconds(duration_ns) == words


@pytest.mark.parametrize(
    ("run_ms", "words"),
    [(0, "0.0"), (41_370, "41.4"), (59_990, "1:00.0"), (65_300, "1:05.3"), (599_900, "9:59.9"), (685_400, "11:25")],
)
def test_when_it_was_is_told_as_the_clock_tells_it(run_ms: int, words: str) -> None:
    assert instant(run_ms * 1_000_000) == words
