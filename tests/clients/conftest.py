"""One living cluster for all clients, and the table of what each of them could do."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driver import Driver, Unable
from living_lab import LivingLab

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
CELLS = pytest.StashKey[dict[tuple[str, str], str]]()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivingLab]:
    """Three controllers, three brokers."""
    made = LivingLab(tmp_path_factory.mktemp("matrix"))
    yield made
    made.close()


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


def pytest_configure(config: pytest.Config) -> None:
    """Where the cells of the table are kept."""
    config.addinivalue_line("markers", "client(name): the column of the table that this test is a row of")
    config.stash[CELLS] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Note what became of one cell."""
    outcome: Any = yield
    report = outcome.get_result()
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    named = item.get_closest_marker("client")
    column = parameters.get("driver") or (named.args[0] if named else None)
    if column is None or (report.when != "call" and not report.skipped and not report.failed):
        return
    what = item.name.partition("[")[0].removeprefix("test_").replace("_", " ")
    details = [str(value) for key, value in parameters.items() if key != "driver"]
    word = "ok" if report.passed else "-" if report.skipped else "FAIL"
    cells = item.config.stash[CELLS]
    cells[" ".join([what, *details]), column] = word


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the matrix: what was tried, by client."""
    cells = config.stash[CELLS]
    if not cells:
        return
    rows = list(dict.fromkeys(row for row, _ in cells))
    width = max(map(len, rows))
    terminalreporter.section("client matrix")
    terminalreporter.write_line(f"{'':{width}}  " + "  ".join(f"{name:>15}" for name in COLUMNS))
    for row in rows:
        marks = [cells.get((row, name), "") for name in COLUMNS]
        terminalreporter.write_line(f"{row:{width}}  " + "  ".join(f"{mark:>15}" for mark in marks))
    terminalreporter.write_line("- is skipped; pytest -rs says why")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder is of one kind. Sockets that clients leave to the collector are their own matter."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.clients)
            for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "DeprecationWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))
