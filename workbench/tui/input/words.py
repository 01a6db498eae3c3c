"""Words of the command bar that mean the screen and not the cluster."""

from __future__ import annotations

from typing import NamedTuple

from workbench.course.lesson_error import LessonError
from workbench.session.changes import OFFERS
from workbench.tui.break_point import MARK_GLYPHS, OFF
from workbench.tui.input.keys import ALL, LAB, LESSON, LIVE, REPLAY
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
    modes: tuple[str, ...] = ALL
    """Where it means something: lab, replay, lesson."""


MARKS = ("mark", *MARK_GLYPHS, "own")
"""What `seek` goes to: any mark, one of a kind, one that the viewer set."""
SEEKS = (
    *(f"{way} {kind}" for way in ("next", "previous") for kind in MARKS),
    "start", "end", "00:41.2", "+5", "-5", "event 100",
)  # fmt: skip


def _names() -> tuple[str, ...]:
    """Of the lessons; a folder of lessons that makes no sense is told when one is opened."""
    try:
        from workbench.course.library import lesson_names

        return lesson_names()
    except (LessonError, OSError):
        return ("1",)


WORDS = (
    Word("halt", "halt", "halt virtual time: the whole cluster stands still", "halt", (True,), modes=LIVE),
    Word("go", "go", "let virtual time go", "halt", (False,), modes=LIVE),
    Word("slower", "slower", "the next slower speed", "pace", (-1,), modes=LIVE),
    Word("faster", "faster", "the next faster speed", "pace", (1,), modes=LIVE),
    Word(
        "speed",
        "speed 0.05 | max",
        "virtual seconds in a real one",
        "pace_at",
        takes=("0.01", "0.1", "1", "10", "max"),
        modes=LIVE,
    ),
    Word("next-event", "next-event", "on to the next event, then halt", "advance", ("event",), modes=LIVE),
    Word("next-mark", "next-mark", "on to the next mark, then halt", "advance", ("mark",), modes=LIVE),
    Word("branch", "branch", "a new run that begins at the event in view", "branch"),
    Word(
        "compare",
        "compare [RUN]",
        "this run beside the one it branched from, or beside any recorded run",
        "compare",
        takes=("RUN",),
        simulated=False,
    ),
    Word(
        "whatif",
        "whatif acks=1 | acks=all | disk=honest | truncation=hw | NAME=VALUE",
        "play what was done in this run once more in a simulated world, with one thing changed, and show both",
        "whatif",
        takes=OFFERS,
        simulated=False,
    ),
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
        takes=(*MARK_GLYPHS, OFF),
        simulated=False,
        modes=LIVE,
    ),
    Word(
        "seek",
        "seek 00:41.2 | +5 | next vote | previous own | start | end | event 100",
        "go to a time, some seconds on, a mark of a kind (as for break, or own: one of yours), or an event by number",
        "seek",
        takes=SEEKS,
        simulated=False,
    ),
    Word(
        "mark",
        "mark TEXT | off",
        "set a mark of your own at the event in view, or take it away; it stays with the recording, in its folder",
        "mark_own",
        takes=("here", OFF),
        simulated=False,
    ),
    Word("jump", "jump", "all marks as a list: enter goes there", "jump", simulated=False),
    Word(
        "anew",
        "anew [seed 42]",
        "end this run, which stays as a recording, and start the same lab anew; a lesson from its first step; a "
        "simulated lab perhaps with another seed",
        "anew",
        takes=("seed 42",),
        simulated=False,
        modes=LIVE,
    ),
    Word(
        "lesson",
        "lesson 4",
        "leave what is on screen, as quit does, and open a lesson: its number or name",
        "open_lesson",
        takes=_names(),
        simulated=False,
    ),
    Word("step", "step", "do the step of the lesson, or go on to the next one", "do", simulated=False, modes=(LESSON,)),
    Word(
        "answer",
        "answer a | b | c | d",
        "predict, while a question is open",
        "answer",
        takes=tuple("abcd"),
        simulated=False,
        modes=(LESSON,),
    ),
    Word(
        "class",
        "class [lan] | off",
        "a class votes with its browsers: a link on this machine, or for the network; presenter mode",
        "open_class",
        takes=("lan", OFF),
        simulated=False,
        modes=(LESSON,),
    ),
    Word("terms", "terms", "the terms of this step, a sentence each", "terms", simulated=False, modes=(LESSON,)),
    Word(
        "would",
        "would",
        "after a wrong answer: a world in which it would be right, beside this one",
        "would",
        simulated=False,
        modes=(LESSON,),
    ),
    Word(
        "bets",
        "bets on | off",
        "when a leader is lost and that is shown slowly: stop once, and bet with one key who will win",
        "bets",
        takes=("on", OFF),
        simulated=False,
        modes=(LAB, REPLAY),
    ),
    Word("hold", "hold", "hold or follow the view; the cluster runs on", "hold", simulated=False),
    Word("faults", "faults", "all faults and links as a table", "console", simulated=False),
    Word("clients", "clients", "Kafka clients and consumer groups", "clients", simulated=False),
    Word("present", "present", "presenter mode, or back", "present", simulated=False),
    Word(
        "picture", "picture", "save the screen as SVG, as ctrl+s, which some terminals keep", "picture", simulated=False
    ),
    Word("help", "help", "how the pane in focus is read, keys and commands", "help", simulated=False),
    Word("tour", "tour", "what there is on the screen, in five stops", "tour", simulated=False),
    Word("verdicts", "verdicts", "what the checker says of each rule", "verdicts", simulated=False),
)


def words_of(*, simulated: bool, kind: str = LAB) -> list[Word]:
    """Those that mean something in this world and kind of run."""
    return [word for word in WORDS if kind in word.modes and (simulated or not word.simulated)]


def words_besides(why: str, *, simulated: bool) -> str:
    """What may be typed where no command may, as a sentence. why: none may."""
    offered = words_of(simulated=simulated, kind=REPLAY)
    return f"{why}, only {', '.join(word.name for word in offered)}"


def find_word(text: str) -> tuple[Word, str] | None:
    """(word, what follows it); None when the text is a command of the cluster."""
    name, _, rest = text.partition(" ")
    return next(((word, rest.strip()) for word in WORDS if word.name == name), None)


def suggest_words(text: str, *, simulated: bool, kind: str = LAB) -> tuple[str, ...]:
    """Whole texts that continue `text`."""
    offered = words_of(simulated=simulated, kind=kind)
    name, space, rest = text.partition(" ")
    if not space:
        return tuple(word.name for word in offered if word.name.startswith(text))
    return tuple(
        f"{name} {value}" for word in offered if word.name == name for value in word.takes if value.startswith(rest)
    )
