"""The matrix of judges: runs of scripts in simulation, held against public specifications of Kafka. `make judges`.

A row is a script, in its own mode of cutting logs; a column a specification. A cell says accepted, or the first action
that no behaviour allows and whose it is; each rejection is told in words below. Prints tables with times, and writes
them to the file that is named; ends with 1 where they are not the expected ones.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from cluster.model.identifiers import TopicPartition
from cluster.trace.reader import read_all
from workbench.runs.played import played
from workbench.specification.judge import ACCEPTED, REJECTED, Judged, judge_partition, judge_quorum
from workbench.specification.replication_steps import mode_of
from workbench.specification.sources import NAMES, tools_for
from workbench.specification.words import ACTIONS, picture
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
}
"""For each script what each column says, made by hand: who cuts where, and which specification has it so."""


QUORUM = (
    "r01_cold_start", "r02_kill_leader", "r03_leader_cut_off", "r04_follower_cut_off", "r05_tail_truncation",
    "r06_commit_rule", "r07_stale_log_cannot_win", "r08_vote_survives_restart", "r09_graceful_leader_stop",
    "r10_two_controllers_down", "r11_check_quorum", "r16_four_voters",
)  # fmt: skip
"""Scripts whose quorum KIP-996 accepts."""

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
behaviour of the specification shows what the run shows. Otherwise the cell names the first action that no behaviour \
allows, and whose it is; below the tables stands why. How to get the specifications: \
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
        orders = TopicPartition("orders", 0)
        cells = tuple(judge_partition(entries, orders, NAMES[column], tools[column]) for column in COLUMNS)
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
    tell("\n## The quorum\n\n| run | kip996 | steps | s |\n|---|---|---|---|")
    for name in QUORUM:
        judged = judge_quorum(read_all(played(SCENARIOS / f"{name}.txt", home, name)[0] / "trace"), outside)
        mark = "" if judged.verdict == ACCEPTED else " (expected accepted)"
        wrong += bool(mark)
        tell(f"| {name} | {word_of(judged)}{mark} | {judged.steps} | {judged.seconds:.1f} |")
    return wrong


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
            wrong = tell_partitions(Path(home), tell) + tell_quorum(Path(home), tell)
        except Refusal as refusal:
            print(f"judges: {refusal}", file=sys.stderr)
            return refusal.code
    cells = len(EXPECTED) * len(COLUMNS) + len(QUORUM)
    tell(f"\n{cells} cells, {wrong} not as expected, {monotonic() - began:.0f} s")
    if page is not None:
        page.write_text("\n".join([ABOUT, *lines, ""]), "utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
