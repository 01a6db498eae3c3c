"""What the answer row says: a text and the tone that it is said in."""

from __future__ import annotations

from typing import Literal, NamedTuple

Tone = Literal["dim", "info", "good", "warn", "bad"]


class Answer(NamedTuple):
    """One status answer. A command returns it; None leaves what is there."""

    text: str = ""
    tone: Tone = "dim"


READ_PER_S = 12
"""Characters of it that are read in a second, by somebody who has to look for it first."""
STAYS_S = 10


def expires_s(answer: Answer) -> float:
    """How long it stands: what went wrong twice as long."""
    stays_s = STAYS_S + len(answer.text) / READ_PER_S
    return 2 * stays_s if answer.tone in ("warn", "bad") else stays_s


def dim(text: str) -> Answer:
    """Nothing came of it, or only a note."""
    return Answer(text, "dim")


def info(text: str) -> Answer:
    """Where one is now, or what goes on."""
    return Answer(text, "info")


def good(text: str) -> Answer:
    """It is done."""
    return Answer(text, "good")


def warn(text: str) -> Answer:
    """It cannot be done now, and why."""
    return Answer(text, "warn")


def bad(text: str) -> Answer:
    """It failed, or it was typed wrongly."""
    return Answer(text, "bad")
