"""`workbench hunt`: lists sealed bugs, opens a cluster that has one, takes in a rule and a script that shows it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cluster.scenario.output import seed_of
from workbench.challenges.bugs.sealed import SEALED, Sealed, find_sealed
from workbench.challenges.hunt import (
    FIELD,
    KIND,
    LEVELS,
    found_names,
    hand_in,
    next_of,
    record,
)
from workbench.course.progress import scores
from workbench.runs.find import called
from workbench.support.places import usable_home
from workbench.support.refusal import USAGE, Refusal

FOUND, NOT_FOUND = 0, 1


def hunt(name: str, rule: str, script: str, seed: int | None, data_dir: str | None, *, as_json: bool) -> int:
    """List, open or hand in. Returns the exit code: 1 when the rule or the script is wrong."""
    if not name:
        return _list(as_json=as_json)
    sealed = _chosen(name)
    if rule and not script:
        raise Refusal(USAGE, "hunt: hand in a rule and a script: workbench hunt NAME RULE SCRIPT.txt")
    if script:
        return _hand_in(sealed, rule, Path(script), seed, data_dir, as_json=as_json)
    return _open(sealed, seed or 0, data_dir)


def _chosen(name: str) -> Sealed:
    if name.isdigit():
        if int(name) not in LEVELS:
            raise Refusal(USAGE, f"hunt: no level {name[:20]}; there are 1 to {LEVELS[-1]}")
        return next_of(int(name))
    return find_sealed(name)


def _list(*, as_json: bool) -> int:
    kept, names = scores(KIND), found_names()
    for item in SEALED:
        row = {"name": item.name, "level": item.level} | kept.get(item.name, {})
        if as_json:
            print(json.dumps(row))
        else:
            result = f"found: {row['rule']}, {row['commands']} commands" if item.name in names else "open"
            print(f"level {item.level}  {item.name:<14} {result}")
    if not as_json:
        print(f"\n{len(names)} of {len(SEALED)} found; workbench hunt LEVEL or NAME starts a cluster that has the bug")
    return 0


def _open(sealed: Sealed, seed: int, data_dir: str | None) -> int:
    """A simulated cluster with the bug; without a terminal, how to hand in."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        from workbench.tui.challenge_lab import open_hunt
        from workbench.tui.launch import screen_settings

        open_hunt(sealed, seed, usable_home(data_dir), screen_settings())
    print(f"{sealed.name}, level {sealed.level}: which rule does it break? workbench check of any run lists the rules")
    print(f"workbench hunt {sealed.name} RULE SCRIPT.txt hands in a script; without a cluster line it is played on:")
    print(FIELD)
    return 0


def _hand_in(sealed: Sealed, rule: str, path: Path, seed: int | None, data_dir: str | None, *, as_json: bool) -> int:
    used = seed if seed is not None else seed_of(path) or 0
    handed_in = hand_in(sealed, rule.upper(), path, used, usable_home(data_dir))
    record(sealed, rule.upper(), handed_in)
    if as_json:
        row = {"name": sealed.name, "found": handed_in.found, "what": handed_in.what, "commands": handed_in.commands}
        print(json.dumps(row | {"seed": used, "run": str(handed_in.run)}))
    else:
        print(f"{sealed.name}: {'FOUND' if handed_in.found else 'not found'}: {handed_in.what}")
        print(f"{handed_in.commands} commands, seed {used}; recorded: workbench replay {called(handed_in.run)}")
    return FOUND if handed_in.found else NOT_FOUND
