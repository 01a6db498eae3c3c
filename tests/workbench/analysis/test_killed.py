"""Analyses that are killed with SIGKILL, again and again, leave nothing that a later one does not put right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.support.traces.made_events import seen_from_outside

pytestmark = [pytest.mark.slow, pytest.mark.spark]
KILLS = 5
"""Of each way; more in one test would take longer than a test may."""


def _words(runs: list[Path], out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "workbench", "analyse", *map(str, runs), "--out", str(out), *more]


def _analysed(runs: list[Path], out: Path) -> dict[str, list[str]]:
    """All rows of all tables, in an order of their own, and every event as somebody else reads it."""
    from workbench.analysis.store.tables import Store, table_rows
    from workbench.analysis.tables import TABLES

    done = subprocess.run(_words(runs, out), capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    store = Store(out)
    try:
        rows = {name: table_rows(store.table(name), store.made_runs) for name in TABLES}
        told = {name: sorted(json.dumps(row, default=str, sort_keys=True) for row in rows[name]) for name in TABLES}
        return told | {"events": seen_from_outside(store.data)}
    finally:
        store.close()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    home = tmp_path_factory.mktemp("home")
    words = [sys.executable, "-m", "workbench", "play", "1", "2", "4", "19", "--simulated", "--data-dir", str(home)]
    subprocess.run(words, capture_output=True, check=True, timeout=300)
    return sorted((home / "runs").iterdir())


@pytest.mark.parametrize("more", [(), ("--follow",)], ids=["analyse", "follow"])
def test_tables_are_right_after_kills_at_random_places(runs: list[Path], more: tuple[str, ...], tmp_path: Path) -> None:
    """Each time one more run waits to be read."""
    wanted, out, killed = runs[:KILLS], tmp_path / "out", 0
    random = Random(f"17{more}")
    assert len(wanted) == KILLS
    for place in range(KILLS):
        process = subprocess.Popen(
            _words(wanted[: place + 1], out, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        # What it tells are its steps: it is killed while it is at one of them, and not by the clock.
        for _ in range(random.randrange(1, 24)):
            if not process.stderr.readline():
                break
        process.kill()
        killed += process.wait() == -9
        process.stderr.close()
    assert killed > KILLS // 2
    assert _analysed(wanted, out) == _analysed(wanted, tmp_path / "right")
