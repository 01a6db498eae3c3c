"""Mistakes in the words of a command line that deserve more than what the parser says."""

from __future__ import annotations

import re

import typer

from workbench.runs.superuser import check_root
from workbench.support.option_types import visible
from workbench.support.refusal import USAGE, Refusal
from workbench.support.safe_text import safe_text

WRONG_VALUE = re.compile(r"Invalid value for '(.+?)': ")

OTHER_WORDS = {
    "clean": "delete",
    "info": "doctor",
    "kill": "inject",
    "launch": "lab",
    "lesson": "learn",
    "lessons": "learn",
    "list": "runs",
    "remove": "delete",
    "rm": "delete",
    "start": "up",
    "status": "ps",
    "stop": "down",
    "test": "play",
    "verify": "check",
}
"""What people type who know other tools."""


def check_words(words: list[str], names: list[str]) -> None:
    """All that is looked at before the parser. Refusal for the first mistake."""
    check_command(words[:1], names)
    check_repeats(words)
    check_root(words)


def check_command(words: list[str], names: list[str]) -> None:
    """An unknown first word gets the nearest command."""
    for word in words:
        if word.startswith("-") or word in names:
            return
        from difflib import get_close_matches

        near = [OTHER_WORDS[word]] if word in OTHER_WORDS else get_close_matches(word, names, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else "see workbench --help"
        raise Refusal(USAGE, f"unknown command '{visible(word)}', {hint}")


def check_repeats(words: list[str]) -> None:
    """No option takes several values, so one given twice is a mistake."""
    before = words[: words.index("--")] if "--" in words else words
    options = [word.partition("=")[0] for word in before if word.startswith("--")]
    for option in options:
        if options.count(option) > 1:
            raise Refusal(USAGE, f"{visible(option)} is given twice")


def misused(error: typer.TyperException, words: list[str], names: list[str]) -> Refusal:
    """What the parser has to say, in one line that is safe to print, and where the right words are listed."""
    called = [word for word in words if word in names][:1]
    near = getattr(error, "possibilities", None)
    complaint = error.message if near else WRONG_VALUE.sub(r"\1: ", error.format_message())
    listed = " ".join(("workbench", *called, "--help"))
    hint = f", did you mean {' or '.join(sorted(near))}?" if near else f"; see {listed}"
    text = ": ".join((*called, complaint[:1].lower() + complaint[1:].rstrip(".")))
    return Refusal(error.exit_code, safe_text(text, 400) + hint)
