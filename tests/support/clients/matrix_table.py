"""The table of what each Kafka client could do.

`tests/conftest.py` registers it: with xdist the process that prints collects no tests, and reads no conftest of theirs.
"""

from __future__ import annotations

from typing import Any, cast

import pytest

COLUMNS = ("confluent-kafka", "kafka-python", "aiokafka", "kcat", "kafkajs", "java", "spark")
"""The drivers of the matrix, and Spark, which has rows of its own: it does less than a client, and more."""
CELL, NOTE = "cell", "note"
"""Properties of a report: (number of the row, row, column), and a line below the table."""


class Table:
    """The matrix, put together from the reports of all processes that run tests."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, str], dict[str, str]] = {}
        self._notes: dict[object, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what became of one cell."""
        told = dict(report.user_properties)
        if NOTE in told:
            self._notes[told[NOTE]] = None
        place = told.get(CELL)
        if place is None or (report.when != "call" and not report.skipped and not report.failed):
            return
        number, row, column = cast("tuple[int, str, str]", place)
        word = "ok" if report.passed else "-" if report.skipped else "FAIL"
        self._cells.setdefault((number, row), {})[column] = word

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print what was tried, by client."""
        if not self._cells:
            return
        width = max(len(row) for _, row in self._cells)
        terminalreporter.section("client matrix")
        terminalreporter.write_line(f"{'':{width}}  " + "  ".join(f"{name:>15}" for name in COLUMNS))
        for (_, row), cells in sorted(self._cells.items()):
            marks = "  ".join(f"{cells.get(name, ''):>15}" for name in COLUMNS)
            terminalreporter.write_line(f"{row:{width}}  {marks}")
        for note in ("- is skipped; pytest -rs says why", *self._notes):
            terminalreporter.write_line(str(note))
