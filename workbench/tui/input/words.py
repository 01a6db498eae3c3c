"""Words of the command bar that mean the screen and not the cluster."""

from __future__ import annotations

from typing import NamedTuple

from workbench.tui.break_point import KINDS, OFF
from workbench.tui.theme.themes import THEMES


class Word(NamedTuple):
    """One word, and what it does."""

    name: str
    usage: str
    help: str
    action: str
    arguments: tuple[object, ...] = ()
    takes: tuple[str, ...] = ()
    """What may follow it, as suggestions; anything else may be refused by the action."""
    simulated: bool = True
    """Only for a simulated run."""


WORDS = (
    Word("halt", "halt", "halt virtual time: the whole cluster stands still", "halt", (True,)),
    Word("go", "go", "let virtual time go", "halt", (False,)),
    Word("slower", "slower", "the next slower speed", "pace", (-1,)),
    Word("faster", "faster", "the next faster speed", "pace", (1,)),
    Word(
        "speed", "speed 0.05 | max", "virtual seconds in a real one", "pace_at", (), ("0.01", "0.1", "1", "10", "max")
    ),
    Word("next-event", "next-event", "on to the next event, then halt", "advance", ("event",)),
    Word("next-mark", "next-mark", "on to the next mark, then halt", "advance", ("mark",)),
    Word("branch", "branch", "a new run that begins at the event in view", "branch"),
    Word("compare", "compare", "the branch beside the run it came from", "compare"),
    Word("analyse", "analyse", "tables and figures of this run, made by Spark", "analyse", simulated=False),
    Word(
        "theme",
        "theme light",
        "colours: dark, light, contrast, or the terminal's own; kept for next time",
        "theme",
        takes=tuple(THEMES),
        simulated=False,
    ),
    Word(
        "break",
        "break vote | epoch | cut | isr | off",
        "hold the view by itself at the next of these (also: fault, rebalance, lost; several of them)",
        "break_at",
        takes=(*KINDS, OFF),
        simulated=False,
    ),
    Word("verdicts", "verdicts", "what the checker says of each rule", "verdicts", simulated=False),
)


def words_of(*, simulated: bool) -> list[Word]:
    """Those that mean something in this world."""
    return [word for word in WORDS if simulated or not word.simulated]


def find_word(text: str) -> tuple[Word, str] | None:
    """(word, what follows it); None when the text is a command of the cluster."""
    name, _, rest = text.partition(" ")
    return next(((word, rest.strip()) for word in WORDS if word.name == name), None)


def suggest_words(text: str, *, simulated: bool) -> tuple[str, ...]:
    """Whole texts that continue `text`."""
    known = words_of(simulated=simulated)
    name, space, rest = text.partition(" ")
    if not space:
        return tuple(word.name for word in known if text and word.name.startswith(text))
    return tuple(
        f"{name} {value}" for word in known if word.name == name for value in word.takes if value.startswith(rest)
    )
