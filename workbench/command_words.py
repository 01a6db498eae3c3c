"""Mistakes in the words of a command line that deserve more than what the parser says."""

from __future__ import annotations

from workbench.option_types import visible
from workbench.refusal import USAGE, Refusal


def check_command(words: list[str], names: list[str]) -> None:
    """An unknown first word gets the nearest command."""
    for word in words:
        if word.startswith("-") or word in names:
            return
        from difflib import get_close_matches

        near = get_close_matches(word, names, n=1, cutoff=0.3)
        hint = f"did you mean '{near[0]}'?" if near else "see workbench --help"
        raise Refusal(USAGE, f"unknown command '{visible(word)}', {hint}")


def check_repeats(words: list[str]) -> None:
    """No option takes several values, so one given twice is a mistake."""
    before = words[: words.index("--")] if "--" in words else words
    options = [word.partition("=")[0] for word in before if word.startswith("--")]
    for option in options:
        if options.count(option) > 1:
            raise Refusal(USAGE, f"{visible(option)} is given twice")
