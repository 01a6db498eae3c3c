"""Clauses for people."""

from __future__ import annotations

import pytest

from workbench.session.reasons import plain, timer_reason


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("leader 101 announced itself", "n101 announced itself"),
        ("refused: NOT_ENOUGH_REPLICAS", "refused: not enough replicas"),
        ("there came: FetchResponse from 2", "there came: fetch response from 2"),
        ("log ends 10@e1", "log ends 10 of e1"),
        ("won the pre-vote", "a majority would vote for it"),
    ],
)
def test_names_of_code_become_words(told: str, said: str) -> None:
    assert plain(told) == said


def test_every_timer_has_a_meaning() -> None:
    assert "heard nothing" in timer_reason("timer quorum.fetch")
    assert timer_reason("timer something.else") == "it had waited as long as it waits"
