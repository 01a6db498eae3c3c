"""What a failed test leaves running would disturb the next one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.commands.orphans import end, orphans_of


@pytest.fixture(autouse=True)
def swept(tmp_path: Path) -> Iterator[None]:
    """End every process of every run below the test's folder, whatever became of the test."""
    yield
    for facts in tmp_path.glob("**/runs/*/run.json"):
        for orphan in orphans_of(facts.parent):
            end(orphan, facts.parent)
