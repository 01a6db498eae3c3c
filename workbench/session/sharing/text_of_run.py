"""Finds the shortest text that plays a recorded run again, and sees that it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from cluster.lab import SCRIPT
from cluster.model.events import LessonStep
from cluster.model.settings import classroom_timing
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, is_alive, read_facts
from cluster.scenario.script import Do
from cluster.simulation.lab.journal import Outside
from cluster.simulation.world.cluster import WORLD
from cluster.simulation.world.kernel import START_NS
from workbench.runs.sealed import is_sealed
from workbench.session.branch import BranchError, past_of_recording
from workbench.session.sharing.retold import PlayedRun, of_people, play_again, trace_hash
from workbench.session.sharing.shared_run import (
    EVENTS_MAX,
    LONGEST_NS,
    PlayedScript,
    Position,
    SharedCluster,
    SharedRun,
    too_long,
)
from workbench.session.sharing.source_scripts import script_of, sections_of, sources_of
from workbench.support.refusal import BAD_DATA, BUSY, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.version import program_version


async def shared_of(folder: Path) -> SharedRun:
    """The run, as little of it as makes it again to the byte. Refusal says why there is no such text."""
    name = safe_text(folder.name, 80)
    try:
        facts = read_facts(folder)
        if facts.world != WORLD:
            raise Refusal(
                BAD_DATA,
                f"{name}: real processes never do the same twice, so no text plays them again; "
                "workbench export RUN --html FILE makes one file that shows them",
            )
        if is_alive(folder):
            raise Refusal(BUSY, f"{name} is not over yet: end it, then share it")
        past = past_of_recording(folder)
    except (RunError, BranchError) as error:
        raise Refusal(BAD_DATA, f"{name}: {safe_text(str(error), 300)}") from error
    if is_sealed(facts.title):
        raise Refusal(BAD_DATA, f"{name} is a bug hunt: its cluster has a bug that no text carries; share its seed")
    if not past.journal or not past.journal[-1].is_end:
        raise Refusal(BAD_DATA, f"{name} broke off, so its end cannot be made again; workbench export packs it")
    last = past.journal[-1]
    end = last.moves, last.now_ns - START_NS, last.events
    if end[1] > LONGEST_NS or end[2] > EVENTS_MAX:
        raise Refusal(BAD_DATA, f"{name}: a text holds at most {too_long()}; workbench export packs the recording")
    return await _found(facts, of_people(past.journal[:-1]), end, trace_hash(folder), name)


async def _found(facts: RunFacts, journal: Sequence[Outside], end: Position, recorded: bytes, name: str) -> SharedRun:
    with TemporaryDirectory(prefix="workbench-share-") as home:
        attempts = [_without_script(facts, journal, end, recorded)]
        for shared in _with_scripts(facts, journal, end, recorded):
            played = await play_again(Path(home), shared)
            if played.trace_hash == recorded:
                assert shared.script is not None
                return replace(shared, script=msgspec.structs.replace(shared.script, holds=played.holds))
            attempts.append(_as_far(shared, journal, played))
        for shared in sorted(attempts, key=lambda one: len(one.outside)):
            played = await play_again(Path(home), shared)
            if played.trace_hash == recorded:
                script = shared.script and msgspec.structs.replace(shared.script, holds=played.holds)
                return replace(shared, script=script)
    raise Refusal(
        BAD_DATA,
        f"{name}: played again from its seed and its commands it is another run; another version of the program, "
        "or a changed rule, recorded it; workbench export packs it as it is",
    )


def _with_scripts(facts: RunFacts, journal: Sequence[Outside], end: Position, recorded: bytes) -> Iterator[SharedRun]:
    """As if a script that comes along had made all that scripts made in it."""
    scripted = [item for item in journal if _is_scripts(item)]
    holds = tuple((place, item.moves, item.now_ns - START_NS) for place, item in enumerate(scripted))
    for source, section in sources_of(facts):
        title = "" if facts.title == script_of(source)[0] else facts.title
        script = PlayedScript(section, _steps_before(source, section, scripted), len(scripted), holds, title)
        yield SharedRun(
            program=program_version(), seed=facts.seed or 0, trace_hash=recorded, end=end, source=source,
            script=script, outside=tuple(item for item in journal if not _is_scripts(item) and not item.is_armed),
        )  # fmt: skip


def _steps_before(source: str, first: int, scripted: Sequence[Outside]) -> int:
    """After which number the steps of this cluster begin: those of a lesson count on from cluster to cluster."""
    steps = [step for section in sections_of(script_of(source)[1], first) for step in section.steps]
    place = next((place for place, step in enumerate(steps, 1) if isinstance(step, Do)), 0)
    number = next((item.note.step for item in scripted if isinstance(item.note, LessonStep)), place)
    return max(0, number - place)


def _as_far(shared: SharedRun, journal: Sequence[Outside], played: PlayedRun) -> SharedRun:
    """With the script up to where the two runs part; what comes then is told as it came."""
    assert shared.script is not None
    same = list(takewhile(lambda pair: pair[0] == pair[1], zip(journal, played.journal, strict=False)))
    count = sum(_is_scripts(item) for item, _ in same)
    rest = [item for place, item in enumerate(journal) if place >= len(same) or not _is_scripts(item)]
    script = msgspec.structs.replace(shared.script, count=count, holds=shared.script.holds[:count])
    return replace(shared, script=script, outside=tuple(rest))


def _without_script(facts: RunFacts, journal: Sequence[Outside], end: Position, recorded: bytes) -> SharedRun:
    usual = asdict(classroom_timing())
    cluster = SharedCluster(
        len(facts.controllers), len(facts.brokers), bool(set(facts.controllers) & set(facts.brokers)), facts.title,
        {name: value for name, value in facts.settings.items() if value != usual[name]}, tuple(facts.given),
    )  # fmt: skip
    return SharedRun(
        program=program_version(), seed=facts.seed or 0, trace_hash=recorded, end=end, cluster=cluster,
        outside=tuple(journal),
    )  # fmt: skip


def _is_scripts(item: Outside) -> bool:
    return not item.is_armed and SCRIPT in (item.by, item.trigger)
