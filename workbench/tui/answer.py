"""What the answer row says: a text and the tone that it is said in."""

from __future__ import annotations

from typing import Literal, NamedTuple

Tone = Literal["dim", "info", "good", "warn", "bad"]


class Answer(NamedTuple):
    """One status answer. A command returns it; None leaves what is there."""

    text: str = ""
    tone: Tone = "dim"


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
