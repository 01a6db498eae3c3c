"""One living cluster for all clients; which cell of the table each test fills."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clients.driver import Driver, Unable
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.matrix_table import CELL
from tests.support.processes.watching import workbench

DRIVERS = {
    "confluent-kafka": ("tests.support.clients.driver_confluent", "Confluent", "confluent_kafka"),
    "kafka-python": ("tests.support.clients.driver_kafka_python", "KafkaPython", "kafka"),
    "aiokafka": ("tests.support.clients.driver_aiokafka", "Aiokafka", "aiokafka"),
    "kcat": ("tests.support.clients.driver_kcat", "Kcat", ""),
    "kafkajs": ("tests.support.clients.driver_kafkajs", "Kafkajs", ""),
    "java": ("tests.support.clients.driver_java", "Java", ""),
}
"""Name to module, class, and the package it comes in."""
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


def pytest_configure(config: pytest.Config) -> None:
    """The marker of tests that are a row of their own."""
    config.addinivalue_line("markers", "client(name): the column of the table that this test is a row of")


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


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder is of one kind. Sockets that clients leave to the collector are their own matter."""
    here = Path(__file__).parent
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)  # Spark is slow: not at the end
    mine = [item for item in items if here in item.path.parents]
    rows: dict[str, int] = {}
    for item in sorted(mine, key=lambda item: (item.path, item.reportinfo()[1] or 0)):
        if cell := _cell(item, rows):
            item.user_properties.append((CELL, cell))
        item.add_marker(pytest.mark.clients)
        for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "DeprecationWarning"):
            item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))
