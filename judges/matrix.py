"""The matrix of judges: runs of scripts in simulation, held against public specifications of Kafka. `make judges`.

A row is a script, in its own mode of cutting logs; a column a specification. A cell says accepted, or the first action
that no behaviour allows and whose it is; each rejection is told in words below. Then the quorum under several seeds,
runs that are told falsely, and every run of the lessons and incidents. Prints tables with times, and writes them to the
file that is named; ends with 1 where they are not the expected ones.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.trace.reader import read_all
from judges.specification.judge import (
    ACCEPTED,
    NOT_JUDGED,
    REJECTED,
    Judged,
    judge_partition,
    judge_quorum,
    partitions_of,
    specification_for,
)
from judges.specification.replication_steps import mode_of
from judges.specification.sources import NAMES, tools_for
from judges.specification.words import ACTIONS, picture
from tests.support.specification.tampering import ORDERS, tamperings
from workbench.course.incidents import INCIDENTS
from workbench.course.library import LESSONS
from workbench.runs.played import played
from workbench.support.refusal import Refusal

SCENARIOS = Path(__file__).parents[1] / "tests" / "scenarios"
COLUMNS = ("hw", "kip101", "kip279", "kip320")
EXPECTED = {
    "p01_leader_crash": ("follow n3", "accepted", "accepted", "accepted"),
    "p02_follower_crash": ("follow n3", "accepted", "accepted", "accepted"),
    "p05_acks_1_loss": ("follow n1", "accepted", "accepted", "accepted"),
    "p06_classic_loss": ("accepted", "follow n2", "follow n2", "follow n2"),
    "p07_no_loss_fetch": ("follow n2", "accepted", "accepted", "accepted"),
    "p07_no_loss_kip101": ("follow n2", "accepted", "accepted", "accepted"),
    "p08_classic_divergence": ("accepted", "follow n1", "follow n1", "follow n1"),
    "p09_no_divergence_fetch": ("out-of-range n1", "accepted", "accepted", "accepted"),
    "p10_kip279_fetch": ("follow n2", "follow n2", "accepted", "accepted"),
    "p10_kip279_kip101": ("follow n2", "accepted", "follow n2", "follow n2"),
    "p10_kip279_kip279": ("follow n2", "follow n2", "accepted", "accepted"),
    "p13_slow_follower": ("accepted", "accepted", "accepted", "accepted"),
    "p15_zombie_leader": ("follow n1", "accepted", "accepted", "accepted"),
    "p16_fenced_follower": ("accepted", "accepted", "accepted", "accepted"),
    "p18_fast_restart": ("follow n3", "accepted", "accepted", "accepted"),
    "p37_last_fetch_is_cut": ("accepted", "accepted", "accepted", "accepted"),
}
"""For each script what each column says, made by hand: who cuts where, and which specification has it so."""


QUORUM = {
    **dict.fromkeys((
        "r01_cold_start", "r02_kill_leader", "r03_leader_cut_off", "r04_follower_cut_off", "r05_tail_truncation",
        "r06_commit_rule", "r07_stale_log_cannot_win", "r08_vote_survives_restart", "r09_graceful_leader_stop",
        "r10_two_controllers_down", "r12_observer_far_behind", "r16_four_voters",
    ), (0,)),
    "r11_check_quorum": (0, 1, 2), "r17_five_voters": (0, 1, 2, 7),
}  # fmt: skip
"""Scripts whose quorum KIP-996 accepts, each under these seeds; the last two have five voters."""
TAMPERED = {
    "p04_unclean_election": (
        "unclean election told as clean", "leader that is not in the ISR of its election",
        "election that keeps a member who is gone", "leader whose ISR lacks a member",
        "leader's high watermark before a follower asked",
    ),
    "p01_leader_crash": (
        "clean election told as unclean", "leader that is not in the ISR of its election",
        "leader whose ISR lacks a member", "follower shrunk though it is caught up",
    ),
}  # fmt: skip
"""Runs that are accepted, and how each is told falsely: every telling is rejected."""
PARTITIONS_MAX = 4
"""Of one run of a lesson or incident."""


CUTS = {
    "hw": "a follower cuts its log to its own high watermark",
    "kip101": "a follower asks its leader once where the epoch of its last record ends, and cuts its log to there",
    "kip279": "a follower asks its leader until they have found an epoch that both have, and cuts to where that "
    "ends first",
    "kip320": "logs are cut as since KIP-279, and a fetch names the leader's epoch",
    "fetch": "the answer to a fetch says where the logs part; that cuts to the same place as KIP-279",
}
"""How a specification, or a run in that mode, has a log cut."""
ABOUT = """# Judged by Kafka's specifications

<!-- Made by `make judges`. Do not edit. -->

Scripts are played in simulation, and each run is held against public specifications in TLA+ that nobody here wrote: \
four of Kafka's replication, one for each way of cutting logs, and one of KRaft's quorum. *Accepted* says that some \
behaviour of the specification shows what the run shows. Runs that are told falsely are to be rejected. Of the lessons \
and incidents each run is judged, with its quorum and up to four partitions. Otherwise a cell names the first action \
that no behaviour allows, and whose it is; below the tables stands why. How to get the specifications: \
[Judged by Kafka's specifications](../guide/recordings.md#judged-by-kafkas-specifications).
"""


class Row(NamedTuple):
    """What the specifications say of one run."""

    name: str
    mode: str
    """Its truncation_mode."""
    cells: tuple[Judged, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """As in EXPECTED."""
        return tuple(word_of(cell) for cell in self.cells)


def rows(names: tuple[str, ...], home: Path, specs: str | None = None, jar: str | None = None) -> Iterator[Row]:
    """One after the other, each of its first run. Refusal when something is missing."""
    tools = {name: tools_for(NAMES[name], specs, jar) for name in COLUMNS}
    for name in names:
        run = played(SCENARIOS / f"{name}.txt", home, name)[0]
        entries = read_all(run / "trace")
        cells = tuple(judge_partition(entries, ORDERS, NAMES[column], tools[column]) for column in COLUMNS)
        yield Row(name, mode_of(entries), cells)


def word_of(judged: Judged) -> str:
    """A cell."""
    if judged.verdict == REJECTED and judged.state is not None:
        return f"{judged.state.label} n{judged.state.node}"
    return judged.verdict if judged.verdict == ACCEPTED else f"{judged.verdict}: {judged.why}"


def why_rejected(row: Row) -> Iterator[str]:
    """For each specification that rejects the run: the step, what was seen before and after it, and both rules."""
    for column, cell in zip(COLUMNS, row.cells, strict=True):
        if cell.verdict == REJECTED and cell.state is not None and cell.before is not None:
            seen = [seen.split(": ", 1)[1] for state in (cell.before, cell.state) for seen in picture(state)
                    if seen.startswith(f"n{cell.state.node}: ")]  # fmt: skip
            said = f" ({cell.state.said})" if cell.state.said else ""
            wrong = "allows it with another result only" if cell.is_possible else "does not allow it there"
            yield (
                f"- **{row.name}, {column}**: step {cell.at} of {cell.steps}, n{cell.state.node}: "
                f"{ACTIONS.get(cell.state.label, cell.state.label)}{said}. Before: {seen[0]}. After: {seen[1]}. "
                f"In this run {CUTS[row.mode]}. In {cell.specification} {CUTS[column]}: it {wrong}."
            )


def tell_partitions(home: Path, tell: Callable[[str], None]) -> int:
    """The table of replication, then why of each rejection; how many cells are not as expected."""
    wrong, reasons = 0, list[str]()
    tell(f"| run | {' | '.join(COLUMNS)} | steps | s |\n|{'---|' * (len(COLUMNS) + 3)}")
    for row in rows(tuple(EXPECTED), home):
        pairs = zip(row.words, EXPECTED[row.name], strict=True)
        marks = ["" if got == due else f" (expected {due})" for got, due in pairs]
        wrong += sum(map(bool, marks))
        cells = " | ".join(word + mark for word, mark in zip(row.words, marks, strict=True))
        seconds = sum(cell.seconds for cell in row.cells)
        tell(f"| {row.name} | {cells} | {max(cell.steps for cell in row.cells)} | {seconds:.1f} |")
        reasons += why_rejected(row)
    tell("\n## What is rejected, and why\n\n" + "\n".join(reasons))
    return wrong


def tell_quorum(home: Path, tell: Callable[[str], None]) -> int:
    """The table of the quorum; how many cells are not as expected."""
    outside, wrong = tools_for(NAMES["kip996"], None, None), 0
    tell("\n## The quorum\n\n| run | seed | kip996 | steps | s |\n|---|---|---|---|---|")
    for name, seeds in QUORUM.items():
        for seed in seeds:
            judged = judge_quorum(read_all(played(SCENARIOS / f"{name}.txt", home, name, seed)[0] / "trace"), outside)
            mark = "" if judged.verdict == ACCEPTED else " (expected accepted)"
            wrong += bool(mark)
            tell(f"| {name} | {seed} | {word_of(judged)}{mark} | {judged.steps} | {judged.seconds:.1f} |")
    return wrong


def tell_tampered(home: Path, tell: Callable[[str], None]) -> int:
    """The table of runs that are told falsely; how many tellings are not rejected."""
    wrong, outside = 0, tools_for(NAMES["kip320"], None, None)
    tell("\n## Told falsely\n\n| run | what is told falsely | places | rejected |\n|---|---|---|---|")
    for name, kinds in TAMPERED.items():
        entries = list(read_all(played(SCENARIOS / f"{name}.txt", home, name)[0] / "trace"))
        for kind in kinds:
            places = [told for each, told in tamperings(entries) if each == kind]
            verdicts = [judge_partition(told, ORDERS, NAMES["kip320"], outside).verdict for told in places]
            rejected = verdicts.count(REJECTED)
            wrong += len(places) - rejected or not places
            tell(f"| {name} | {kind} | {len(places)} | {rejected} |")
    return wrong


def tell_course(home: Path, tell: Callable[[str], None]) -> int:
    """The table of each run of the lessons and incidents, by its own specifications; how many are rejected."""
    wrong = 0
    tell("\n## Lessons and incidents\n\n| run | accepted | rejected | not judged |\n|---|---|---|---|")
    for script in (*sorted(LESSONS.glob("*/scenario.txt")), *sorted(INCIDENTS.glob("*.txt"))):
        name = script.parent.name if script.parent.parent == LESSONS else script.stem
        for number, run in enumerate(played(script, home / name, name[:30]), start=1):
            judged = list(judged_in(list(read_all(run / "trace"))))
            rejected = [f"{what}: {word_of(one)}" for what, one in judged if one.verdict == REJECTED]
            reasons = Counter(one.why for _, one in judged if one.verdict == NOT_JUDGED)
            wrong += len(rejected)
            accepted = sum(one.verdict == ACCEPTED for _, one in judged)
            why = "; ".join(f"{count}: {reason}" for reason, count in reasons.items())
            tell(f"| {name} {number} | {accepted} | {', '.join(rejected) or 0} | {why or 0} |")
    return wrong


def judged_in(entries: list[Entry]) -> Iterator[tuple[str, Judged]]:
    """The quorum of a run and its first partitions."""
    yield "quorum", judge_quorum(entries, tools_for(NAMES["kip996"], None, None))
    specification = specification_for(entries)
    for partition in partitions_of(entries)[:PARTITIONS_MAX]:
        outside = tools_for(specification, None, None)
        yield str(partition), judge_partition(entries, partition, specification, outside)


def main(page: Path | None = None) -> int:
    """Print the tables. 0 when they are the expected ones, 1 when not, 3 when something is missing."""
    began, lines = monotonic(), list[str]()

    def tell(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    with tempfile.TemporaryDirectory() as home:
        try:
            for name in (*COLUMNS, "kip996"):  # told before minutes of work
                tools_for(NAMES[name], None, None)
            wrong = sum(table(Path(home), tell) for table in (tell_partitions, tell_quorum, tell_tampered, tell_course))
        except Refusal as refusal:
            print(f"judges: {refusal}", file=sys.stderr)
            return refusal.code
    tell(f"\n{wrong} not as expected, {monotonic() - began:.0f} s")
    if page is not None:
        page.write_text("\n".join([ABOUT, *lines, ""]), "utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
