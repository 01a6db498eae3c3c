"""A campaign on the console: how far it is, and its grids."""

from __future__ import annotations

import sys
import time

from rich.table import Table
from rich.text import Text

from workbench.analysis.campaign.differences import PAIRED, Difference, sentence
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.summary import Summary
from workbench.analysis.campaign.words import findings, interval, number
from workbench.analysis.report.console import console_of_results
from workbench.analysis.report.html import many
from workbench.support.safe_text import safe_text

PLAIN_EVERY_S = 10.0


class Progress:
    """One line on a terminal, or now and then one in a file: how many, how fast, how long still."""

    def __init__(self, total: int, known: int) -> None:
        self._total, self._known = total, known
        self._done = 0
        self._began = self._told = time.monotonic()
        self._is_terminal = sys.stderr.isatty()

    def note(self, count: int) -> None:
        """So many more are done."""
        self._done += count
        now = time.monotonic()
        if self._is_terminal or now - self._told >= PLAIN_EVERY_S or self._known + self._done == self._total:
            self._told = now
            rate = self._done / max(now - self._began, 0.001)
            left_s = (self._total - self._known - self._done) / rate
            line = f"{self._known + self._done:,} of {self._total:,} runs, {rate:,.1f} runs/s, {left_s:,.0f} s left"
            self._print(line)

    def say(self, line: str) -> None:
        """What is being done now."""
        self._print(safe_text(line, 200))

    def end(self) -> None:
        """The line is finished."""
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _print(self, line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
        sys.stderr.flush()


def print_summary(summary: Summary) -> None:
    """A grid for each measure, and what it shows."""
    console = console_of_results()
    campaign = summary.campaign
    print(campaign.question)
    for name in campaign.measures:
        across = " x ".join(axis.label for axis in campaign.columns)
        title = f"\n{MEASURES[name].title}, with its 95 % interval; across: {across}"
        console.print(Text(title, style="bold"), soft_wrap=True)
        console.print(_grid(summary, name))
        for line in findings(summary, MEASURES[name]):
            console.print(Text(f"  {safe_text(line, 400)}"))


def print_differences(against: str, changes: list[Difference]) -> None:
    """Each difference in a line."""
    print(f"\nDifferences from {safe_text(against, 200)}. {PAIRED}")
    for item in changes:
        print(f"  {item.measure.title}: {safe_text(sentence(item), 400)}")


def _grid(summary: Summary, name: str) -> Table:
    campaign = summary.campaign
    table = Table()
    for axis in campaign.rows:
        table.add_column(Text(axis.label), overflow="fold")
    for column in campaign.across:
        table.add_column(Text(" / ".join(column)), justify="right", overflow="fold")
    before: tuple[str, ...] = ()
    for row, line in campaign.grid:
        shown = [level if before[: place + 1] != row[: place + 1] else "" for place, level in enumerate(row)]
        values = []
        for cell in line:
            estimate = summary.at(name, cell) if cell is not None else None
            values.append(
                "" if estimate is None else f"{number(estimate.measure, estimate.value)}\n{interval(estimate)}"
            )
        table.add_row(*(Text(item) for item in (*shown, *values)))
        before = row
    return table


def print_end(summary: Summary) -> None:
    """What the checker said, and the last line."""
    for item in summary.violated:
        seeds = ", ".join(map(str, item.seeds))
        print(f"VIOLATED {safe_text(item.rule, 200)}: cell {item.cell.number} ({item.cell.title}), seeds {seeds}")
    reasons = {item.rule: item.why for item in summary.campaign.expected}
    for rule in sorted({item.rule for item in summary.expected}):
        runs = sum(item.runs for item in summary.expected if item.rule == rule)
        print(f"expected: {rule} is broken in {many(runs, 'run')}: {safe_text(reasons[rule], 300)}")
    first, last = summary.seeds
    print(
        f"{many(len(summary.campaign.cells), 'cell')}, seeds {first}..{last}: {many(summary.rows, 'run')}, "
        f"{many(summary.events, 'event')}, {summary.simulated_s / 3600:.2f} simulated hours, "
        f"{sum(item.runs for item in summary.violated)} unexpected verdicts, digest {summary.digest}"
    )
