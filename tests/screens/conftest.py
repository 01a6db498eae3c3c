"""Terminals that a test opens are closed after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.screens.terminals import Tmux


@pytest.fixture
def opened() -> Iterator[list[Tmux]]:
    """Put a terminal in here and it is closed."""
    terminals: list[Tmux] = []
    yield terminals
    for terminal in terminals:
        terminal.close()
