"""Times as a lesson tells them."""

from __future__ import annotations

import pytest

from workbench.course.figures import duration


@pytest.mark.parametrize(
    ("milliseconds", "says"),
    [
        (1, "1 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (1500, "1.5 s"),
        (60_000, "60 s"),
        (90_000, "90 s"),
        (1_200_000, "20 min"),
    ],
)
def test_times_are_told_as_people_say_them(milliseconds: int, says: str) -> None:
    assert duration(milliseconds) == says
