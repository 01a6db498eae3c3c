"""The other world of a wrong option: the script of its step, changed so that the option would be the right one.

It has all sections of the step's cluster up to and with this step. A change replaces a command, leaves one out, or
gives the cluster line or the topic line other settings. Expectations there only wait, a command that is refused is
passed over, and no verdict is judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from cluster.model.entry import Entry
from cluster.model.events import CATALOGUE
from cluster.scenario.output import split_output
from cluster.scenario.parse import parse_script
from cluster.scenario.runner import Launch, ScriptRunner
from cluster.scenario.script import Do, Expect, Keep, Script, Section
from cluster.scenario.terms import GrammarError
from cluster.scenario.told import VerdictIs
from workbench.course.asked_events import asked_events
from workbench.course.content import Change, Lesson, Option, OtherWorld, Replace, Set, Step
from workbench.course.timing import script_with_timing

SETTINGS = ("cluster", "topic")
FORM = "cluster KEY=VALUE, topic KEY=VALUE, COMMAND -> COMMAND + COMMAND, without COMMAND; several with ' ; '"
AS_SOON_AS = " as soon as "
LOOK_NS = 100_000_000
_WHEN = re.compile(r"when (\S+)((?: on \S+)?).* then (.+)")
_HEADING = re.compile(r"\[(.+)\]")


@dataclass(frozen=True, slots=True)
class PlayedWorld:
    """What came out of another world."""

    run_folder: Path
    held: tuple[Option, ...]
    """The options that hold in it; the one that it was made for alone, when all is well."""
    length_ns: int = 0
    """From its first event to where the option holds for good: what comes then only waits; 0 when it never does."""


async def play_other_world(
    lesson: Lesson, step: Step, option: Option, world: OtherWorld, launch: Launch, *, slow: float = 1.0,
    timing: str = "",
) -> PlayedWorld:  # fmt: skip
    """Play it to its end, and wait one deadline for the option to hold. NotStarted when its cluster does not start.

    `launch` is that of a simulation with the seed of the step's cluster: the lesson's seed and `clusters_before`.
    """
    assert step.question is not None
    assert step.do is not None
    script = script_with_timing(lenient(other_script(lesson.scenario, step.do.section, world)), timing)
    title = f"{lesson.title}: {world.text}"[:80]
    runner = ScriptRunner(script, launch, lambda _step: None, title=title, slow=slow, also=asked_events(lesson))
    since = _Since(lambda: _is_right(runner, option))
    runner.on_entry = since.look
    try:
        await _play_over(runner, script.sections[0])
        await runner.comes_true(lambda: _is_right(runner, option))
        held = tuple(one for one in step.question.options if _is_right(runner, one))
        return PlayedWorld(runner.run_folders[-1], held, since.length_ns)
    finally:
        await runner.close()


class _Since:
    """Since when a condition has held without a break, looked at now and then."""

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds, self._begin_ns, self._looked_ns = holds, -1, 0
        self.length_ns = 0

    def look(self, entry: Entry) -> None:
        """After each event of the run."""
        if self._begin_ns < 0:
            self._begin_ns = entry.t_ns
        if entry.t_ns - self._looked_ns < LOOK_NS:
            return
        self._looked_ns = entry.t_ns
        if not self._holds():
            self.length_ns = 0
        elif not self.length_ns:
            self.length_ns = entry.t_ns - self._begin_ns


def clusters_before(lesson: Lesson, step: Step) -> int:
    """How many clusters the lesson begins before the one of this step; each simulated one has the next seed."""
    assert step.do is not None
    begun = 0
    for section in lesson.script.sections:
        begun += section.plan is not None
        if section.name == step.do.section:
            break
    return begun - 1


def lenient(script: Script) -> Script:
    """The script with every command allowed to fail, and without verdicts."""
    return Script(
        tuple(
            replace(
                section,
                steps=tuple(
                    replace(item, may_fail=True) if isinstance(item, Do) else item
                    for item in section.steps
                    if not (isinstance(item, Expect | Keep) and isinstance(item.condition, VerdictIs))
                ),
            )
            for section in script.sections
        )
    )


async def _play_over(runner: ScriptRunner, section: Section) -> None:
    """All steps of the section, also after one that did not hold."""
    place = 0
    while place < len(section.steps):
        place = await runner.play(section, place) + 1


def _is_right(runner: ScriptRunner, option: Option) -> bool:
    return all(condition.check(runner.state, runner.memory, runner.book)[0] for condition in option.when)


def changes_of(text: str) -> tuple[Change, ...]:
    """The changes of a `would` line. GrammarError when one has no known form."""
    return tuple(_change(part.strip()) for part in text.split(" ; "))


def _change(text: str) -> Change:
    before, arrow, after = text.partition(" -> ")
    if arrow:
        return Replace(_plain(before), tuple(_plain(part) for part in after.split(" + ")))
    verb, _, rest = text.partition(" ")
    if verb == "without" and rest:
        return Replace(_plain(rest), ())
    words = tuple(rest.split())
    if verb in SETTINGS and words:
        wrong = next((word for word in words if "=" not in word), None)
        if wrong is not None:
            raise GrammarError(f"{verb}: not key=value: '{wrong[:60]}'")
        return Set(verb, words)
    raise GrammarError(f"'{text[:60]}' is no change; allowed: {FORM}")


def in_words(world: OtherWorld) -> str:
    """What is other in that world, for a caption: of a command only the words that change."""
    return "; ".join(dict.fromkeys(map(_in_words, world.changes)))


def _in_words(change: Change) -> str:
    if isinstance(change, Set):
        return f"{'a topic with ' if change.line == 'topic' else ''}{' '.join(change.words)}"
    command, instead = _spoken(change.command), [_spoken(one) for one in change.instead]
    if not instead:
        return f"without {command}"
    if command in instead:
        place = instead.index(command)
        sides = ("before", instead[:place]), ("after", instead[place + 1 :])
        return " and ".join(f"{', '.join(side)} {word} {command}" for word, side in sides if side)
    old, new = command.split(), instead[0].split()
    fresh, gone = ([word for word in one if word not in other] for one, other in ((new, old), (old, new)))
    if len(instead) > 1 or not all("=" in word for word in (*fresh, *gone)):
        return f"{', '.join(instead)} instead of {_rest(command, instead[-1])}"
    keys = [word.partition("=")[0] for word in fresh]
    left_out = [word for word in gone if word.partition("=")[0] not in keys]
    parts = [" ".join(fresh)] * bool(fresh) + [f"without {' '.join(left_out)}"] * bool(left_out)
    return f"{', '.join(parts)} in {' '.join(old[:2])}"


def _spoken(command: str) -> str:
    """Without the words of scripts that say how long something is waited for."""
    when = _WHEN.fullmatch(command)
    if when is not None:
        return f"{when[3]}{AS_SOON_AS}{_in_plain_words(when[1])}{when[2]}"
    return re.sub(r"^(try|wait|expect|keep) | within \w+$", "", command)


def _in_plain_words(event: str) -> str:
    """What happens in an event, as its own first sentence says."""
    kind = CATALOGUE.get(event)
    sentence = (kind.__doc__ or event).partition(".")[0] if kind is not None else event
    return sentence[0].lower() + sentence[1:]


def _rest(command: str, instead: str) -> str:
    """Of a command at an event what differs from the one in its place; of another command all."""
    shared = command.rpartition(" ")[0]
    return command[len(shared) + 1 :] if AS_SOON_AS in shared and instead.startswith(shared) else command


def other_script(scenario: str, section: str, world: OtherWorld) -> Script:
    """The changed script, all of it in one section. GrammarError for a change that finds nothing to change.

    ScriptError when what comes out is no script.
    """
    lines = _lines_until(scenario, section)
    for change in world.changes:
        lines = _with_settings(lines, change) if isinstance(change, Set) else _with_commands(lines, change)
    return parse_script("\n".join([f"[{section}]", *lines]))


def _lines_until(scenario: str, section: str) -> list[str]:
    """The lines from the cluster of a section on to its end, without headings and comments."""
    lines: list[str] = []
    is_inside = False
    steps, _ = split_output(scenario)
    for line in (_plain(line) for line in steps.splitlines()):
        heading = _HEADING.fullmatch(line)
        if heading and is_inside:
            break
        if heading:
            is_inside = heading[1] == section
        elif line and not line.startswith("#"):
            lines = [line] if line.startswith("cluster ") else [*lines, line]
    assert is_inside, "the section was looked up before"
    return lines


def _with_settings(lines: list[str], change: Set) -> list[str]:
    keys = {word.partition("=")[0] for word in change.words}
    if not any(line.startswith(f"{change.line} ") for line in lines):
        raise GrammarError(f"no {change.line} line in these sections")
    return [
        " ".join([word for word in line.split() if word.partition("=")[0] not in keys] + list(change.words))
        if line.startswith(f"{change.line} ")
        else line
        for line in lines
    ]


def _with_commands(lines: list[str], change: Replace) -> list[str]:
    if change.command not in lines:
        near = get_close_matches(change.command, lines, n=1, cutoff=0.3) or lines[-1:]
        raise GrammarError(f"no command '{change.command[:80]}' in these sections; the nearest is '{near[0]}'")
    return [new for line in lines for new in (change.instead if line == change.command else (line,))]


def _plain(text: str) -> str:
    return " ".join(text.split())
