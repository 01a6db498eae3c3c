"""The `run` command with `--beside`: a script in two simulated worlds, and a table of what came of each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cluster.scenario.main import printable, read_script
from cluster.scenario.script import ScriptError
from cluster.trace.reader import TraceError
from workbench.cli.run_script import run_script
from workbench.runs.judgement import judge_all
from workbench.runs.launch import WorldChoice
from workbench.session.changes import Changes, WhatIfError, changes_of
from workbench.session.comparison import World, Worlds, read_world
from workbench.session.comparison_lines import lines_of
from workbench.session.whatif import play_again, play_of
from workbench.support.places import usable_home
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

HELD, NOT_HELD = 0, 1


def run_beside(
    script: str,
    beside: str,
    slow: float,
    as_json: bool,  # noqa: FBT001
    world: WorldChoice,
    data_dir: str | None,
    *,
    rewrites: bool = False,
) -> int:
    """Run a script simulated, then the same with changes or another script; print what came of both.

    Returns the exit code of `run`: 0 when both hold. The second world of changes has no expectations of its own; there
    the checker alone says whether it holds.
    """
    other = Path(beside)
    if rewrites:
        raise Refusal(USAGE, "--rewrite is for one world; leave --beside out")
    is_script = "=" not in beside or other.is_file()
    try:
        changes = None if is_script else changes_of(beside)
    except WhatIfError as error:
        raise Refusal(USAGE, safe_text(f"--beside: {error}", 400)) from error
    home = usable_home(data_dir)
    if is_script and not _is_readable(other):
        return run_script(other, as_json=as_json, home=home, world=world)  # it says why, before anything is run
    one: list[Path] = []
    code = run_script(Path(script), as_json=as_json, home=home, slow=slow, world=world, recorded=one)
    if not one:
        return code
    two: list[Path] = []
    if changes is None:
        second = run_script(other, as_json=as_json, home=home, slow=slow, world=world, recorded=two)
    else:
        two = _with_changes(home, one, changes)
        second = HELD if judge_all(two).is_good else NOT_HELD
    titles = safe_text(Path(script).stem, 60), safe_text(other.stem, 60) if changes is None else changes.words
    for left, right in zip(one, two, strict=False):
        _print(left, right, titles, as_json=as_json)
    return code or second


def _is_readable(path: Path) -> bool:
    try:
        read_script(path)
    except (ScriptError, OSError):
        return False
    return True


def _with_changes(home: Path, folders: Sequence[Path], changes: Changes) -> list[Path]:
    """Each of the runs once more: every command at the same virtual time. Refusal when one cannot be."""
    made = []
    for folder in folders:
        before = _read(folder, "")
        length_ns = before.length_ns
        before.recording.close()
        try:
            made.append(play_again(home, play_of(folder, length_ns), changes))
        except (WhatIfError, OSError, ValueError) as error:
            raise Refusal(BAD_DATA, f"--beside: {safe_text(str(error), 300)}") from error
    return made


def _read(folder: Path, title: str) -> World:
    try:
        return read_world(folder, title)
    except (TraceError, OSError) as error:
        raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}") from error


def _print(left: Path, right: Path, titles: tuple[str, str], *, as_json: bool) -> None:
    worlds = Worlds(_read(left, titles[0]), _read(right, titles[1]))
    try:
        if as_json:
            figures = {item.word.strip(): [item.left, item.right] for item in worlds.figures}
            difference = worlds.difference
            outcome = {
                "worlds": [{"run": world.run, "title": world.title, "kind": world.kind} for world in worlds.both],
                "first_difference_s": None if difference is None else difference.since_ns / 1e9,
                "outcome": figures,
            }
            print(json.dumps(outcome))
        else:
            print("\n" + "\n".join(printable(line) for line in lines_of(worlds)))
    finally:
        worlds.close()
