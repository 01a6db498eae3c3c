"""Runs every suite that is there, each on a cluster of its own, and prints the table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from judges.conformance.sources import got
from judges.conformance.suites import FAILED, PASSED, SUITES, Suite
from judges.conformance.verdicts import CHECK, Judged, is_good, judged, known_failures, lines_of, page_of

BIN = Path(sys.executable).parent
GOOD, BAD, NOTHING, BAD_MANIFEST = 0, 1, 3, 4
UP_SECONDS = 120
GET = "--get"
REPORTS = Path("build") / "conformance"
"""Where what each suite said is kept."""
SAID = 200
"""Characters at the end of it that are told when it made no report."""


def folder_of(suite: Suite, *, get: bool = False) -> Path | str:
    """Where its clone is, or why it is not run.

    Args:
        get: clone it when no variable names a folder.
    """
    named = os.environ.get(suite.variable)
    if not named and get:
        return got(suite.name)
    if not named:
        return f"{suite.variable} names no folder; {suite.get}"
    folder = Path(named).expanduser()
    if not (folder / suite.marks).is_file():
        return f"{folder} holds no {suite.marks}; {suite.get}"
    return folder


def run(suite: Suite, folder: Path, work: Path) -> list[Judged] | str:
    """Its cases judged, or why there are none."""
    home = work / suite.name
    environment = {**os.environ, "WORKBENCH_HOME": str(home)}
    up = subprocess.run(
        [BIN / "workbench", "up", "--json", "--brokers", "3", "--timing", suite.timing], env=environment,
        capture_output=True, text=True, timeout=UP_SECONDS, check=False,
    )  # fmt: skip
    if up.returncode:
        return f"no cluster: {up.stderr.strip()[-200:]}"
    cluster = json.loads(up.stdout)
    report, said = work / f"{suite.name}.report", work / f"{suite.name}.out"
    report.unlink(missing_ok=True)  # of an earlier run
    try:
        with (report if suite.report_is_stdout else said).open("wb") as out:
            subprocess.run(
                suite.command(folder, report), cwd=folder / suite.folder, stdout=out, stderr=subprocess.STDOUT,
                env={**environment, **suite.environment(cluster["bootstrap"])}, timeout=suite.minutes * 60, check=False,
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{suite.name}: ended after {suite.minutes} minutes", file=sys.stderr)
    except OSError as error:
        return f"{suite.command(folder, report)[0]} does not start: {error.strerror}"
    finally:
        subprocess.run([BIN / "workbench", "down", cluster["run"]], env=environment, capture_output=True, check=False)
    try:
        checked = {CHECK: checked_run(cluster["run"], environment, work / f"{suite.name}.check")}
        return judged(suite.name, {**suite.read(report), **checked}, known_failures())
    except (ValueError, OSError) as error:
        last = said.read_text("utf-8", "replace")[-SAID:] if said.is_file() else ""
        return " ".join(f"{error}: {last}".split())


def checked_run(run: str, environment: Mapping[str, str], said: Path) -> str:
    """Whether our rules hold over what the suite did to the cluster: the outcome of one case more."""
    with said.open("wb") as out:
        check = subprocess.run(
            [BIN / "workbench", "check", run], stdout=out, stderr=subprocess.STDOUT, env=environment, check=False
        )
    return FAILED if check.returncode else PASSED


def main(words: list[str]) -> int:
    """Suites that are named, or all; a word with a dot names the page to write. 0 as expected, 1 not, 3 nothing.

    With --get what no variable names is cloned.
    """
    get, words = GET in words, [word for word in words if word != GET]
    names, pages = [word for word in words if "." not in word], [Path(word) for word in words if "." in word]
    if unknown := set(names) - {suite.name for suite in SUITES}:
        print(f"conformance: no suite {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in SUITES)}")
        return 2
    try:
        known_failures()
    except ValueError as error:
        print(f"conformance: {error}")
        return BAD_MANIFEST
    found: dict[str, list[Judged] | str] = {}
    REPORTS.mkdir(parents=True, exist_ok=True)
    for suite in SUITES:
        if not names or suite.name in names:
            where = folder_of(suite, get=get)
            found[suite.name] = where if isinstance(where, str) else run(suite, where, REPORTS.resolve())
    print("\n".join(lines_of(found)), flush=True)
    for page in pages:
        page.write_text(page_of(found), "utf-8")
    if all(isinstance(cases, str) for cases in found.values()):
        return NOTHING
    return GOOD if is_good(found) else BAD


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
