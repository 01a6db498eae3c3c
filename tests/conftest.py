"""What all tests share.

Every run of them tries the same examples, unless it is asked for fresh ones: a new failure is the change's own, and can
be met again.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.clients.matrix_table import Table
from workbench.runs.superuser import VARIABLE

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How long an example takes says what else the machine does."""
settings.register_profile("steady", PATIENT, derandomize=True)
settings.register_profile("fresh", PATIENT, print_blob=True)  # --hypothesis-profile=fresh, every night
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    """The client matrix is printed by the process that prints, whoever runs the tests."""
    config.pluginmanager.register(Table())
    os.environ.setdefault(VARIABLE, "1")  # whoever runs the tests with sudo means it


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest tests/scenarios tests/regressions --rewrite`; read the diff, commit only what you can explain."""
    parser.addoption("--rewrite", action="store_true", help="take what simulated scripts print as what they should")


REAL = ("processes", "screens", "clients", "spark", "tab")
"""The marks of tests that take time since something real runs in them."""


@pytest.hookimpl(tryfirst=True)  # before others look at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark `more` what is not the first of its kind, so that those who wait see one of each."""
    for item in items:
        first = item.get_closest_marker("first")
        chosen = {} if first is None else first.kwargs
        is_first = all(item.callspec.params[name] in cases for name, cases in chosen.items())  # type: ignore[attr-defined]
        kinds = [kind for kind in REAL if item.get_closest_marker(kind)]
        if not is_first or (kinds and first is None):
            item.add_marker("more")
        for alone in {"spark", "tab"}.intersection(kinds):
            item.add_marker(pytest.mark.xdist_group(alone))  # one Java for all of them, one set of compiled files


@pytest.fixture
def rewrites(request: pytest.FixtureRequest) -> bool:
    """Whether scripts take what they print as their expected output."""
    return bool(request.config.getoption("--rewrite"))


OF_THE_USER = ("WORKBENCH_CONFIG", "WORKBENCH_THEME", "WORKBENCH_MOUSE", "WORKBENCH_GLYPHS", "WORKBENCH_PLAIN",
               "WORKBENCH_LOAD", "WORKBENCH_DIRECT", "WORKBENCH_TOUR")  # fmt: skip
_numbers = count()


@pytest.fixture(scope="session")
def no_user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which nobody has ever used the workbench."""
    return tmp_path_factory.mktemp("no_user")


@pytest.fixture(autouse=True)
def nothing_of_the_user(no_user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs, theme, progress and settings of whoever runs the tests are neither looked at nor changed."""
    monkeypatch.setenv("WORKBENCH_HOME", str(no_user / f"home{next(_numbers)}"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(no_user / "config"))
    for name in OF_THE_USER:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def collector_as_it_was() -> Iterator[None]:
    """What a test froze is seen again: Hypothesis asks the collector who holds its random numbers."""
    yield
    gc.unfreeze()
