"""The matrix of judges: runs of scripts in simulation, held against public specifications of Kafka. `make judges`.

A row is a script, in its own mode of cutting logs; a column a specification. A cell says accepted, or the first action
that no behaviour allows and whose it is. Prints the table with times; ends with 1 where it is not the expected one.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from cluster.model.identifiers import TopicPartition
from cluster.trace.reader import read_all
from workbench.runs.played import played
from workbench.specification.judge import ACCEPTED, REJECTED, Judged, judge_partition, judge_quorum
from workbench.specification.sources import NAMES, tools_for
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


class Row(NamedTuple):
    """What the specifications say of one run."""

    name: str
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
        yield Row(name, tuple(judge_partition(entries, orders, NAMES[column], tools[column]) for column in COLUMNS))


def word_of(judged: Judged) -> str:
    """A cell."""
    if judged.verdict == REJECTED and judged.state is not None:
        return f"{judged.state.label} n{judged.state.node}"
    return judged.verdict if judged.verdict == ACCEPTED else f"{judged.verdict}: {judged.why}"


def tell_quorum(home: Path) -> int:
    """The table of the quorum; how many cells are not as expected."""
    outside, wrong = tools_for(NAMES["kip996"], None, None), 0
    print("\n| run | kip996 | steps | s |\n|---|---|---|---|")
    for name in QUORUM:
        judged = judge_quorum(read_all(played(SCENARIOS / f"{name}.txt", home, name)[0] / "trace"), outside)
        mark = "" if judged.verdict == ACCEPTED else " (expected accepted)"
        wrong += bool(mark)
        print(f"| {name} | {judged.verdict}{mark} | {judged.steps} | {judged.seconds:.1f} |", flush=True)
    return wrong


def main() -> int:
    """Print the table. 0 when it is the expected one, 1 when not, 3 when something is missing."""
    began, wrong = monotonic(), 0
    print(f"| run | {' | '.join(COLUMNS)} | steps | s |\n|{'---|' * (len(COLUMNS) + 3)}")
    with tempfile.TemporaryDirectory() as home:
        try:
            for row in rows(tuple(EXPECTED), Path(home)):
                pairs = zip(row.words, EXPECTED[row.name], strict=True)
                marks = ["" if got == due else f" (expected {due})" for got, due in pairs]
                wrong += sum(map(bool, marks))
                cells = " | ".join(word + mark for word, mark in zip(row.words, marks, strict=True))
                seconds = sum(cell.seconds for cell in row.cells)
                print(f"| {row.name} | {cells} | {max(cell.steps for cell in row.cells)} | {seconds:.1f} |", flush=True)
            wrong += tell_quorum(Path(home))
        except Refusal as refusal:
            print(f"judges: {refusal}", file=sys.stderr)
            return refusal.code
    print(f"\n{len(EXPECTED) * len(COLUMNS) + len(QUORUM)} cells, {wrong} not as expected, {monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
