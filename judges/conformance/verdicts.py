"""A case's outcome held against the manifest of known failures: four verdicts, each known failure with its reason."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from judges.conformance.suites import FAILED, PASSED, SUITES, Outcomes

MANIFEST = Path(__file__).with_name("known.toml")
PASS, KNOWN, REGRESSION, FIXED, LEFT_OUT = VERDICTS = ("pass", "known failure", "regression", "fixed", "skipped")
CHECK = "workbench check"
"""The last case of each suite: no rule of ours is violated by what it did to the cluster."""
BAD = (REGRESSION, FIXED)
"""What makes the whole fail: until the manifest says so, a case that passes now is as unexpected as one that fails."""


class Known(NamedTuple):
    """Failures that are expected."""

    suite: str
    case: str
    """A pattern; * stands for anything."""
    why: str


class Judged(NamedTuple):
    """One case."""

    case: str
    verdict: str
    why: str
    """Of a known failure; empty else."""


def known_failures(path: Path = MANIFEST) -> tuple[Known, ...]:
    """The manifest. ValueError when it lacks a reason or names a suite that is none."""
    rows = tomllib.loads(path.read_text("utf-8")).get("failure", [])
    found = []
    for row in rows:
        if sorted(row) != ["case", "suite", "why"] or not all(isinstance(text, str) and text for text in row.values()):
            raise ValueError(f"{path.name}: each [[failure]] has suite, case, why, all of them texts: {row}")
        if row["suite"] not in {suite.name for suite in SUITES}:
            raise ValueError(f"{path.name}: no suite is called {row['suite']}")
        found.append(Known(**row))
    return tuple(found)


def judged(suite: str, outcomes: Outcomes, known: tuple[Known, ...]) -> list[Judged]:
    """Each case, in the order of its name."""
    found = []
    for case, outcome in sorted(outcomes.items()):
        why = next((item.why for item in known if item.suite == suite and fnmatchcase(case, item.case)), "")
        if outcome == PASSED:
            verdict = FIXED if why else PASS
        elif outcome == FAILED:
            verdict = KNOWN if why else REGRESSION
        else:
            verdict = LEFT_OUT
        found.append(Judged(case, verdict, why))
    return found


def lines_of(found: Mapping[str, list[Judged] | str]) -> list[str]:
    """The table; each suite has its cases and our rules' verdict, or why it was not run. Then what is unexpected."""
    columns = (*VERDICTS, f"`{CHECK}`")
    lines = [f"| suite | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    notes = []
    for suite, cases in found.items():
        if isinstance(cases, str):
            lines.append(f"| {suite} | not run: {cases} |" + " |" * (len(columns) - 1))
            continue
        counts = Counter(case.verdict for case in cases)
        cells = [*(str(counts[verdict]) for verdict in VERDICTS), _checked(cases)]
        lines.append(f"| {suite} | {' | '.join(cells)} |")
        notes += [f"{case.verdict}: {suite} {case.case}" for case in cases if case.verdict in BAD]
        reasons = Counter(case.why for case in cases if case.verdict == KNOWN)
        notes += [f"known failure: {suite}, {count} for this: {why}" for why, count in sorted(reasons.items())]
    return [*lines, *([""] if notes else []), *notes]


def _checked(cases: Iterable[Judged]) -> str:
    """What our checker said of the cluster that a suite was run against."""
    verdict = next((case.verdict for case in cases if case.case == CHECK), None)
    return {None: "not run", PASS: "nothing violated", FIXED: "nothing violated"}.get(verdict, "VIOLATED")


ABOUT = """# The suites of Kafka clients

<!-- Made by `make conformance`. Do not edit. -->

The test suites of Kafka clients, unmodified, each against a cluster of real brokers of its own. A *known failure* has \
its reason below; a *regression* has none, and *fixed* is a case that passes although a reason says that it fails: \
both make the command fail. *Skipped* are cases that a suite leaves out by itself. Each suite has \
one case more, of ours: `workbench check` of the cluster's run violates no rule.
"""


def page_of(found: Mapping[str, list[Judged] | str]) -> str:
    """The page of the documentation."""
    cases = [case for suite in found.values() if not isinstance(suite, str) for case in suite]
    tried = [case for case in cases if case.verdict != LEFT_OUT]
    passed = sum(case.verdict in (PASS, FIXED) for case in tried)
    share = f"\n{passed} of {len(tried)} cases that were tried pass.\n"
    table = [line if line.startswith("|") or not line else f"- {line}" for line in lines_of(found)]
    return "\n".join([ABOUT, *table, share])


def is_good(found: Mapping[str, list[Judged] | str]) -> bool:
    """Whether nothing is unexpected."""
    return not any(case.verdict in BAD for cases in found.values() if not isinstance(cases, str) for case in cases)
