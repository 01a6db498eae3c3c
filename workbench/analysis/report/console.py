"""Tables on the console, and how far a long analysis is."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from rich import progress as bars
from rich.console import Console
from rich.table import Table
from rich.text import Text

from workbench.analysis.report.classroom import (
    breakage_rows,
    effort_rows,
    in_lesson_order,
    known_questions,
    misconception_rows,
)
from workbench.analysis.report.html import shown
from workbench.analysis.report.rows import ClassRows, RunRows
from workbench.analysis.report.sections import SECTIONS, overview_row
from workbench.support.safe_text import safe_text

ROWS_SHOWN = 15
DETAILED_RUNS = 3
WIDTH_WITHOUT_TERMINAL = 200


class Progress:
    """One line that changes, on stderr; plain lines when that is no terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bar: bars.Progress | None = None
        self._task: bars.TaskID | None = None

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            columns = (
                bars.SpinnerColumn(),
                bars.TextColumn("{task.description}"),
                bars.BarColumn(),
                bars.TimeElapsedColumn(),
            )
            self._bar = bars.Progress(*columns, console=self._console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, what: str, done: int, total: int) -> None:
        """What is being done now, and how many steps of how many are behind."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=what, completed=done, total=total if total > 1 else None)
        else:
            print(what, file=sys.stderr)


def print_report(runs: list[RunRows], page: Path, tables: Path, of_class: ClassRows | None = None) -> None:
    """A class before its runs; all runs in a table; a few of them in detail; where the rest is."""
    console = console_of_results()
    if of_class is not None:
        _print_class(console, of_class)
    console.print(_table("runs", [overview_row(run) for run in runs], limit=len(runs)))
    for run in runs[-DETAILED_RUNS:]:
        console.print(Text(f"\n{safe_text(str(run.run['title'] or ''), 80)}  {run.run['run']}", style="bold"))
        if not run.run["is_complete"]:
            bad = "; ".join(safe_text(str(item), 200) for item in run.run["bad_files"])
            console.print(Text(f"not whole: {bad}", style="red"))
        if not run.run["has_ended"]:
            console.print(Text("has not said its end: it goes on, or broke off", style="red"))
        for title, maker in SECTIONS.items():
            rows = maker(run)
            if rows:
                console.print(_table(title, rows))
    if len(runs) > DETAILED_RUNS:
        console.print(f"{len(runs) - DETAILED_RUNS} older runs are in the page and the tables")
    print(f"page: {page}\ntables: {tables}")


def _print_class(console: Console, rows: ClassRows) -> None:
    questions = known_questions()
    asked = [
        {"lesson": row["title"], "question": row["question"], "answer": row["answer"],
         "learners": f"{row['learners']} of {rows.learner_count}", "share": f"{100 * row['share']:.0f} %",
         "right": row["right_learners"]}
        for row in in_lesson_order(rows.tables["class_questions"], questions)
    ]  # fmt: skip
    tables = {
        "Predictions of the class": asked,
        "Misconceptions, before and after": misconception_rows(rows, questions),
        "Time on task": effort_rows(rows),
        "Who broke what": breakage_rows(rows),
    }
    for title, listed in tables.items():
        if listed:
            console.print(_table(title, listed))


def print_rows(name: str, rows: list[dict[str, Any]]) -> None:
    """One table, all of it."""
    console_of_results().print(_table(name, rows, limit=len(rows)))


def console_of_results() -> Console:
    """For stdout; wide where that is no terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH_WITHOUT_TERMINAL)


def _table(title: str, rows: list[dict[str, Any]], limit: int = ROWS_SHOWN) -> Table:
    more = f"{len(rows) - limit} more rows in the page and the tables" if len(rows) > limit else None
    table = Table(title=Text(title), title_justify="left", caption=more, caption_justify="left")
    for name, value in (rows[0] if rows else {"nothing": None}).items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        table.add_column(Text(name.replace("_", " ")), justify="right" if number else "left", overflow="fold")
    for row in rows[:limit]:
        table.add_row(*(Text(safe_text(shown(value), 120)) for value in row.values()))
    return table
