"""One living cluster for all clients, and the table of what each of them could do."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from driver import Driver, Unable
from living_lab import LivingLab
from watching import workbench

DRIVERS = {
    "confluent-kafka": ("driver_confluent", "Confluent", "confluent_kafka"),
    "kafka-python": ("driver_kafka_python", "KafkaPython", "kafka"),
    "aiokafka": ("driver_aiokafka", "Aiokafka", "aiokafka"),
    "kcat": ("driver_kcat", "Kcat", ""),
    "kafkajs": ("driver_kafkajs", "Kafkajs", ""),
    "java": ("driver_java", "Java", ""),
}
"""Name to module, class, and the package it comes in."""
COLUMNS = (*DRIVERS, "spark")
"""Of the table. Spark has rows of its own: its source and sink do less than a client, and more."""
CELL, NOTE = "cell", "note"
HELD_MIN = 20
"""Rules that the checker must have looked at, and found kept."""


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivingLab]:
    """Three controllers, three brokers, one cluster for each process of tests; in the end the checker judges it."""
    made = LivingLab(tmp_path_factory.mktemp("matrix"))
    yield made
    try:
        made.do("produce first 5")
        done = workbench(made.folder.parents[1], "check", made.folder.name)
    finally:
        made.close()
    counts = {what: int(number) for number, what in re.findall(r"(\d+) (hold|violated)\b", done.stdout)}
    assert counts.get("violated") == 0, (
        f"the checker on all that clients did, kills and lost answers too: {done.stdout}"
    )
    assert counts["hold"] >= HELD_MIN


@pytest.fixture
def healed(lab: LivingLab) -> Iterator[LivingLab]:
    """Every broker up and untroubled before and after."""
    yield lab
    lab.do("heal")
    for broker in lab.ports:
        if f" {broker}" in lab.do("status").partition("down:")[2].partition("|")[0]:
            lab.do(f"start {broker}")


@pytest.fixture(params=list(DRIVERS))
def driver(request: pytest.FixtureRequest) -> Driver:
    """Each client in turn; skipped with the reason when it is not to be had."""
    module, name, package = DRIVERS[request.param]
    if package:
        pytest.importorskip(package, reason=f"{package} is not installed: pip install -e '.[clients]'")
    try:
        made: Driver = getattr(importlib.import_module(module), name)()
    except Unable as reason:
        pytest.skip(str(reason))
    return made


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


def pytest_configure(config: pytest.Config) -> None:
    """The marker of tests that are a row of their own, and the table."""
    config.addinivalue_line("markers", "client(name): the column of the table that this test is a row of")
    config.pluginmanager.register(Table())


def _cell(item: pytest.Item, rows: dict[str, int]) -> tuple[int, str, str] | None:
    """Number of the row, its name, and the column that this test fills; None when it fills none."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    named = item.get_closest_marker("client")
    column = parameters.get("driver") or (named.args[0] if named else None)
    if column is None:
        return None
    what = item.name.partition("[")[0].removeprefix("test_").replace("_", " ")
    row = " ".join([what, *(str(value) for key, value in parameters.items() if key != "driver")])
    return rows.setdefault(row, len(rows)), row, column


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder is of one kind. Sockets that clients leave to the collector are their own matter."""
    here = Path(__file__).parent
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)  # Spark is slow: not at the end
    rows: dict[str, int] = {}
    for item in sorted(items, key=lambda item: (item.path, item.reportinfo()[1] or 0)):
        if here in item.path.parents:
            if cell := _cell(item, rows):
                item.user_properties.append((CELL, cell))
            item.add_marker(pytest.mark.clients)
            for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "DeprecationWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))
