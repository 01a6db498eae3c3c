"""`workbench against-kafka`: one script in simulation, in our processes and in Apache Kafka, compared."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cluster.scenario.script import ScriptError
from judges.apache_kafka.cases import Case, cases_of
from judges.apache_kafka.compare import (
    Compared,
    Explanation,
    as_plain,
    compared,
    explanations,
    lines_of,
    page_of,
)
from judges.apache_kafka.jars import Jars, jars_of
from judges.apache_kafka.playing import KAFKA, PROCESSES, SIMULATION, Played, played
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, INTERRUPTED, USAGE, Refusal
from workbench.support.safe_text import safe_text

SAME, DIFFERENT, NOT_JUDGED = 0, 1, 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed."""

    scripts: tuple[Path, ...]
    kafka: str | None = None
    with_processes: bool = True
    page: Path | None = None
    """Where the page of all cases is written; None for nowhere."""
    as_json: bool = False


def all_scripts() -> tuple[Path, ...]:
    """Those of a clone. Refusal where there is none."""
    folder = Path(__file__).parents[1] / "tests" / "scenarios"
    found = tuple(sorted(folder.glob("*.txt")))
    if not found:
        raise Refusal(ENVIRONMENT, "--all plays the scripts of a clone, and this is none; name scripts instead")
    return found


def against_kafka(asked: Asked) -> int:
    """Play, compare and print. 0 all the same or explained, 1 when something differs, 3 when nothing was judged."""
    if not asked.scripts:
        raise Refusal(USAGE, "no script is named: workbench against-kafka SCRIPT.txt ... --kafka FOLDER")
    if not sys.platform.startswith("linux"):
        raise Refusal(ENVIRONMENT, "each link has an address of its own in 127/8, which only Linux has without help")
    cases = [case for path in asked.scripts for case in _cases(path)]
    known = explanations()
    jars = jars_of(asked.kafka)
    worlds = (SIMULATION, *([PROCESSES] if asked.with_processes else []), KAFKA)
    found: list[Compared] = []
    try:
        for case in cases:
            found.append(_one(case, worlds, jars, known))
            _tell(found[-1], as_json=asked.as_json)
            if asked.page is not None:  # an hour's work is not lost when it is ended
                asked.page.write_text(page_of(jars.version, worlds, found), "utf-8")
    except KeyboardInterrupt:
        return INTERRUPTED
    judged = [case for case in found if not case.not_judged]
    if any(case.unexplained for case in judged):
        return DIFFERENT
    return SAME if judged else NOT_JUDGED


def _cases(path: Path) -> list[Case]:
    shown = safe_text(str(path), 200)
    try:
        return cases_of(path)
    except ScriptError as error:
        raise Refusal(BAD_DATA, f"{shown}: {safe_text(str(error), 300)}") from error
    except OSError as error:
        raise Refusal(BAD_DATA, f"{shown} cannot be read: {error.strerror}") from error


def _one(case: Case, worlds: tuple[str, ...], jars: Jars, known: tuple[Explanation, ...]) -> Compared:
    if case.why_not:
        return Compared(case.name, not_judged=case.why_not)
    with tempfile.TemporaryDirectory(prefix="kraft-workbench-") as home:
        found = asyncio.run(_play_all(case, worlds, Path(home), jars))
    return compared(case.name, found, known)


async def _play_all(case: Case, worlds: tuple[str, ...], home: Path, jars: Jars) -> dict[str, Played]:
    """The simulation first, as it takes no time of its own; then the others beside one another."""
    found = {SIMULATION: await played(case, SIMULATION, home, jars)}
    real = [world for world in worlds if world != SIMULATION]
    others = await asyncio.gather(*(played(case, world, home, jars) for world in real))
    return found | dict(zip(real, others, strict=True))


def _tell(case: Compared, *, as_json: bool) -> None:
    print(json.dumps(as_plain(case)) if as_json else "\n".join(lines_of(case)), flush=True)
