"""What all tests share.

Every run of them tries the same examples: a new failure is the change's own, and can be met again.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings
from matrix_table import Table

from workbench.runs.superuser import VARIABLE

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    """The client matrix is printed by the process that prints, whoever runs the tests."""
    config.pluginmanager.register(Table())
    os.environ.setdefault(VARIABLE, "1")  # whoever runs the tests with sudo means it


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest tests/scenarios tests/regressions --rewrite`; read the diff, commit only what you can explain."""
    parser.addoption("--rewrite", action="store_true", help="take what simulated scripts print as what they should")


@pytest.fixture
def rewrites(request: pytest.FixtureRequest) -> bool:
    """Whether scripts take what they print as their expected output."""
    return bool(request.config.getoption("--rewrite"))
