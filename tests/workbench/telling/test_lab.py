"""The ends of a run, in words."""

from __future__ import annotations

import pytest

from cluster.model.events import PowerLost, RunEnded, RunResumed
from workbench.telling.tell import sentence


def test_an_end_says_why_or_that_it_was_not_clean() -> None:
    assert sentence(RunEnded(clean=True)) == "run ended"
    assert sentence(RunEnded(clean=False)) == "run ended, something had to be forced"
    assert sentence(RunEnded(clean=True, why="disk full")) == "run ended: disk full"


@pytest.mark.parametrize(("away_ms", "away"), [(5_000, "5 s"), (600_000, "10 min"), (9_000_000, "2 h")])
def test_a_gap_is_as_long_as_a_person_says(away_ms: int, away: str) -> None:
    assert sentence(RunResumed(away_ms=away_ms, was_ended=True)).startswith(
        f"run resumed {away} after its newest event;"
    )


def test_what_the_power_took_is_counted_in_bytes() -> None:
    assert sentence(PowerLost(node_id=1, files=(("log", 10, 10, 10, 10),))) == "lost power: everything was durable"
    assert (
        sentence(PowerLost(node_id=1, files=(("log", 10, 10, 4, 7),)))
        == "lost power: 6 bytes were not durable, 3 of them are lost"
    )
