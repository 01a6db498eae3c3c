"""When a lab is called silent, and when the silence is only that nobody listened."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.session.hearing import Hearing


@dataclass
class Beating:
    """What a client of a lab that beats shows."""

    heard_s: float | None = None


def listened(hearing: Hearing, lab: object, from_s: float, until_s: float) -> int:
    """The last answer of one who looks twenty times a second."""
    told = 0
    for look in range(round(from_s * 20), round(until_s * 20) + 1):
        told = hearing.silence_s(lab, look / 20)
    return told


def test_whole_seconds_are_told_from_two_on_and_nothing_as_soon_as_it_is_heard_again() -> None:
    hearing, lab = Hearing(), Beating(100.0)
    assert listened(hearing, lab, 100, 101.9) == 0
    assert listened(hearing, lab, 101.95, 102) == 2
    assert listened(hearing, lab, 102.05, 107.5) == 7
    lab.heard_s = 107.4
    assert listened(hearing, lab, 107.55, 107.6) == 0


def test_a_lab_that_has_never_beaten_is_not_called_silent() -> None:
    hearing = Hearing()
    for lab in (None, object(), Beating()):
        assert listened(hearing, lab, 100, 160) == 0


def test_time_in_which_we_stood_still_ourselves_is_no_silence_of_the_lab() -> None:
    hearing, lab = Hearing(), Beating(100.0)
    assert listened(hearing, lab, 100, 101) == 0
    assert listened(hearing, lab, 161, 162.9) == 0, "what it said meanwhile lies unread"
    assert listened(hearing, lab, 162.95, 164) == 3, "but nothing more came"
