"""The bug hunt: a cluster with one sealed bug, and the script that shows which rule it breaks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cluster.invariants.all_invariants import INVARIANTS
from cluster.invariants.verdicts.verdict import Verdict
from cluster.scenario.parse import parse_script
from cluster.scenario.script import Script, ScriptError
from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.bugs.sealed import SEALED, Sealed, check_seals
from workbench.challenges.learners_file import read_text
from workbench.challenges.playing import Played, play_script
from workbench.challenges.solution import count_commands, refuse_verdicts
from workbench.course.progress import record_score, scores
from workbench.runs.judgement import judge_all
from workbench.runs.launch import WorldChoice
from workbench.runs.sealed import TITLE
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

KIND = "hunts"
LEVELS = (1, 2, 3)
FIELD = "cluster controllers=3 brokers=3\ntopic orders assign=1,2,3 min-isr=2"
"""What a learner plays on; a script that is handed in may have another cluster."""
RULES = tuple(INVARIANTS)


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What a rule and a script came to."""

    found: bool
    what: str
    """Why it is right or not; safe to print."""
    commands: int
    run: Path
    """The recording of the sealed cluster."""


@contextmanager
def sealed_cluster(sealed: Sealed) -> Iterator[None]:
    """Every simulated cluster that begins within the block has the bug. Refusal when the bugs were changed."""
    check_seals()
    with planted(sealed.bug):
        yield


def hand_in(sealed: Sealed, rule: str, path: Path, seed: int, home: Path) -> HandedIn:
    """Play a script on the sound cluster and on the sealed one. Refusal for what is no rule or no script."""
    if rule not in RULES:
        raise Refusal(USAGE, f"hunt: there is no rule '{safe_text(rule, 20)}'; workbench check RUN lists them all")
    script = read_hunt(path)
    world = WorldChoice(simulated=True, seed=seed)
    with TemporaryDirectory(prefix="workbench-hunt-") as folder:
        sound = play_script(script, "sound", Path(folder), world)
        sound_broken = _violated(sound)
    with sealed_cluster(sealed):
        played = play_script(script, f"{TITLE}{sealed.name}", home, world)
    seal_logs(played.folders[-1])
    broken = _violated(played)
    if not sound.held:
        is_found, what = False, f"the sound cluster does not play it to its end: {sound.failure}"
    elif sound_broken:
        is_found, what = False, f"red on the sound cluster too: {', '.join(sound_broken)}"
    elif rule not in broken:
        is_found, what = False, f"{rule} is not broken by {sealed.name} in this run"
    else:
        is_found, what = True, f"{rule} is red on {sealed.name} and green on the sound cluster"
    return HandedIn(is_found, what, count_commands(script), played.folders[-1])


def read_hunt(path: Path) -> Script:
    """The script in a file; without a cluster line it is played on the field of the hunt. Refusal names the line."""
    text = read_text(path)
    has_field = any(line.strip().startswith(("cluster ", "[")) for line in text.splitlines())
    head = "" if has_field else f"{FIELD}\n"
    try:
        script = parse_script(head + text)
    except ScriptError as error:
        line = max(1, error.line - head.count("\n"))
        raise Refusal(BAD_DATA, f"{safe_text(str(path), 200)}: line {line}: {safe_text(error.what, 400)}") from error
    refuse_verdicts(path, script)
    return script


def seal_logs(run_folder: Path) -> None:
    """What a node that crashed has said names the lines of code it came by; only the last line of it stays."""
    with suppress(OSError):
        for log in sorted((run_folder / "logs").glob("*.log")):
            lines = log.read_text("utf-8").rstrip().splitlines()
            if any(line.startswith("Traceback") for line in lines):
                log.write_text(f"{lines[-1]}\n", "utf-8")


def _violated(played: Played) -> list[str]:
    """Rules that the checker calls violated in its runs."""
    return judge_all(played.folders).by_verdict()[Verdict.VIOLATED]


def record(sealed: Sealed, rule: str, handed_in: HandedIn, folder: Path | None = None) -> None:
    """Count a try, and keep the shortest script that found it."""
    before = scores(KIND, folder).get(sealed.name, {})
    tries = before.get("tries", 0)
    kept = before | {"tries": tries + 1 if isinstance(tries, int) else 1}
    fewest = before.get("commands")
    if handed_in.found and not (isinstance(fewest, int) and fewest <= handed_in.commands):
        kept |= {"rule": rule, "commands": handed_in.commands}
    record_score(KIND, sealed.name, kept, folder)


def found_names(folder: Path | None = None) -> set[str]:
    """Sealed names that were found."""
    return {name for name, kept in scores(KIND, folder).items() if "commands" in kept}


def next_of(level: int, folder: Path | None = None) -> Sealed:
    """The first of a level that is not found yet, else the first."""
    names, those = found_names(folder), [item for item in SEALED if item.level == level]
    return next((item for item in those if item.name not in names), those[0])
