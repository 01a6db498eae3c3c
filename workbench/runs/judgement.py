"""Runs the checker over recorded runs, and says in one line what came out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.invariants.verdicts.verdict import Broken, InvariantVerdict, Verdict
from cluster.model.identifiers import NodeId
from cluster.runtime.run.folder import RunError, is_alive, read_facts, run_clock_ns
from cluster.trace.reader import ENDING, TraceError, TraceStream, origin_of
from workbench.runs.find import called
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from cluster.invariants.checker import Checker

WORST_FIRST = (
    Verdict.VIOLATED,
    Verdict.UNEXPECTED_PASS,
    Verdict.EXPECTED,
    Verdict.HOLDS,
    Verdict.NOT_EVALUATED,
)
NAMED = {
    Verdict.EXPECTED: "broken as expected",
    Verdict.UNEXPECTED_PASS: "UNEXPECTED-PASS, held against the promise",
    Verdict.VIOLATED: "VIOLATED",
}
PROCESSES = "processes"
DEADLINES = "L"
"""Rules of this family say by when something has to happen."""
MINIMUM = "T8"
"""The rule about how much must have happened. Only who plays a lesson knows that, so `check` has no verdict of it."""
BAD = (Verdict.VIOLATED, Verdict.UNEXPECTED_PASS)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the checker says of one run."""

    folder: Path
    table: tuple[InvariantVerdict, ...]
    """One line for each rule."""
    ledger: tuple[Broken, ...]
    entry_count: int
    torn: dict[str, int]
    """Bytes of the incomplete last event of each trace file that has one."""
    unknown: int
    """Events of a newer version, left out."""

    is_simulated: bool = True
    """Whether its time was the run's own. Processes share a machine: there a missed deadline may be the machine's."""
    damaged: dict[str, str] = field(default_factory=dict)
    """Trace files that turn to garbage, and why; judged is what came before."""
    cut: dict[str, float] = field(default_factory=dict)
    """Trace files whose end is missing, and the second at which they stop; judged is what came before the first."""
    is_empty: bool = False
    """Less happened than the lesson asks for, so that its verdicts say nothing."""

    @property
    def is_good(self) -> bool:
        """Whether no rule is violated and no promised violation is missing. What is late on this machine is neither."""
        return not self.is_empty and not any(
            line.verdict in BAD and line.info.id not in self.late for line in self.table
        )

    @property
    def late(self) -> frozenset[str]:
        """Rules about deadlines that real processes missed."""
        return frozenset() if self.is_simulated else missed_deadlines(self.table)


def missed_deadlines(table: Iterable[InvariantVerdict]) -> frozenset[str]:
    """Rules by which something did not happen in time. On real processes that may be the machine's: it is late then."""
    missed = (line.info.id for line in table if line.verdict is Verdict.VIOLATED)
    return frozenset(rule for rule in missed if rule.startswith(DEADLINES))


def judge(
    folder: Path,
    promised: Iterable[str] = (),
    minimum: Mapping[str, int] | None = None,
    *,
    salvage: bool = False,
    checker: Checker | None = None,
) -> Judgement:
    """Check one run, also one in progress. Refusal 4 when its trace is empty or cannot be trusted.

    Args:
        promised: rules that the run was to break.
        minimum: what must have happened in it, in the words of rule T8.
        salvage: a trace that turns to garbage is judged up to there.
        checker: one that was told all of the run as it went, so that nothing is read again.
    """
    from cluster.invariants.checker import Checker

    until_ns = run_clock_ns(folder) if is_alive(folder) else None  # a simulated run has a clock of its own
    stream = TraceStream(folder / "trace", until_ns, salvage=salvage)
    try:
        if checker is None:
            checker = Checker(minimum=minimum)
            checker.feed_all(stream)
    except TraceError as error:
        hint = "" if salvage else f"; workbench check {called(folder)} --salvage judges what comes before"
        raise Refusal(BAD_DATA, f"cannot read the recording: {safe_text(str(error), 400)}{hint}") from error
    table = checker.finish(promised, map(origin_of, stream.torn))
    cut = checker.ghost.passage.cut
    if cut and any(line.verdict is Verdict.VIOLATED for line in table):
        stream, checker = TraceStream(folder / "trace", min(cut.values()), salvage=salvage), Checker(minimum=minimum)
        checker.feed_all(stream)
        table = checker.finish(promised, map(origin_of, stream.torn))
    else:
        cut = {}
    count = checker.ghost.passage.entry_count
    if not count:
        name = safe_text(str(folder), 200)
        if stream.damaged:
            first = safe_text(next(iter(stream.damaged.values())), 300)
            raise Refusal(BAD_DATA, f"'{name}': no event comes before the damage: {first}")
        raise Refusal(BAD_DATA, f"'{name}': its trace holds no events; was the run killed before it began?")
    return Judgement(
        folder,
        table,
        checker.report.ledger.broken(),
        count,
        stream.torn,
        stream.unknown,
        checker.ghost.world != PROCESSES,
        stream.damaged,
        _ends(folder, cut),
        is_empty=bool(minimum) and not any(line.info.id == MINIMUM and line.checks for line in table),
    )


def _ends(folder: Path, cut: Mapping[tuple[NodeId, int], int]) -> dict[str, float]:
    """The names of files that are cut, and the second of the run at which each stops."""
    if not cut:
        return {}
    began_ns = next(iter(TraceStream(folder / "trace"))).t_ns
    return {f"{node}-{start}{ENDING}": (last_ns - began_ns) / 1e9 for (node, start), last_ns in sorted(cut.items())}


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the checker says of several runs that belong together."""

    runs: tuple[Judgement, ...]
    """In the order in which they ran."""
    failure: str = ""
    """Why one of them could not be judged; empty when all were."""

    @property
    def is_good(self) -> bool:
        """Whether all could be judged and are good."""
        return not self.failure and all(run.is_good for run in self.runs)

    @property
    def late(self) -> list[str]:
        """Rules about deadlines that real processes missed, and nothing worse."""
        return sorted({rule for run in self.runs for rule in run.late})

    def by_verdict(self) -> dict[Verdict, list[str]]:
        """Rules by the worst verdict that any of the runs gave them."""
        worst: dict[str, Verdict] = {}
        for run in self.runs:
            for line in run.table:
                verdict_so_far = worst.get(line.info.id, line.verdict)
                worst[line.info.id] = min(verdict_so_far, line.verdict, key=WORST_FIRST.index)
        rules: dict[Verdict, list[str]] = {verdict: [] for verdict in WORST_FIRST}
        for rule, verdict in worst.items():
            rules[verdict].append(rule)
        return rules

    @property
    def line(self) -> str:
        """All verdicts in one line; rules that do not simply hold are named, and the runs that failed."""
        if self.failure:
            return f"rules: {self.failure}"
        rules = self.by_verdict()
        own = f" ({MINIMUM}, the lesson's own minimum, is one of them)" if MINIMUM in rules[Verdict.HOLDS] else ""
        parts = [f"{len(rules[Verdict.HOLDS])} hold{own}"]
        rules[Verdict.VIOLATED] = [rule for rule in rules[Verdict.VIOLATED] if rule not in self.late]
        for verdict, word in NAMED.items():
            if rules[verdict]:
                parts.append(f"{len(rules[verdict])} {word} ({', '.join(rules[verdict])})")
        if not rules[Verdict.VIOLATED]:
            parts.append("0 violated")
        if self.late:
            parts.append(f"{len(self.late)} late on this machine ({', '.join(self.late)})")
        parts.append(f"{len(rules[Verdict.NOT_EVALUATED])} not evaluated")
        cut = sum(bool(run.cut) for run in self.runs)
        if cut:
            parts.append(f"{cut} {'recording ends' if cut == 1 else 'recordings end'} early and judged up to there")
        empty = sum(run.is_empty for run in self.runs)
        if empty:
            parts.append(f"{empty} {'run' if empty == 1 else 'runs'} in which too little happened ({MINIMUM})")
        bad = [f"workbench check {called(run.folder)}" for run in self.runs if not run.is_good or run.late]
        parts += [
            f"seed {seed}" for seed in sorted({_seed_of(run.folder) for run in self.runs if not run.is_good}) if seed
        ]
        return "rules: " + ", ".join(parts) + (f"; see {', '.join(bad)}" if bad else "")

    def as_plain(self) -> dict[str, object]:
        """One object for machines."""
        by_verdict = self.by_verdict()
        return {
            "verdicts": {str(verdict): rules for verdict, rules in by_verdict.items() if verdict is not Verdict.HOLDS},
            "holds": len(by_verdict[Verdict.HOLDS]),
            "runs": [run.folder.name for run in self.runs],
            "too_little": [run.folder.name for run in self.runs if run.is_empty],
            "failure": self.failure,
        }


def _seed_of(folder: Path) -> str:
    """What makes a simulated run again; nothing for processes."""
    try:
        seed = read_facts(folder).seed
    except RunError:
        return ""
    return "" if seed is None else str(seed)


def judge_all(
    folders: Iterable[Path],
    promised: Mapping[Path, Iterable[str]] | None = None,
    minimums: Mapping[Path, Mapping[str, int]] | None = None,
    checkers: Mapping[Path, Checker] | None = None,
) -> Verdicts:
    """Check runs one after the other; a trace that cannot be trusted is a failure, not an exception.

    `checkers` are those of runs that were judged as they went.
    """
    runs: list[Judgement] = []
    for folder in folders:
        try:
            checker = (checkers or {}).get(folder)
            runs.append(judge(folder, (promised or {}).get(folder, ()), (minimums or {}).get(folder), checker=checker))
        except Refusal as refusal:
            return Verdicts(tuple(runs), str(refusal))
    return Verdicts(tuple(runs))
