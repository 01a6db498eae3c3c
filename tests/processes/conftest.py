"""What a test leaves running or open would disturb the next one."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.runs.orphans import end, orphans_of


@pytest.fixture(autouse=True)
def nothing_kept_open() -> Iterator[None]:
    """A test that leaves files open would, a few hundred times over, end the whole run."""
    gc.collect()
    before = len(os.listdir("/dev/fd"))
    yield
    gc.collect()
    assert len(os.listdir("/dev/fd")) <= before, "the test left files open"


@pytest.fixture(autouse=True)
def swept(tmp_path: Path) -> Iterator[None]:
    """End every process of every run below the test's folder, whatever became of the test."""
    yield
    for facts in tmp_path.glob("**/runs/*/run.json"):
        for orphan in orphans_of(facts.parent):
            end(orphan, facts.parent)
