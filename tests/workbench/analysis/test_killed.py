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
KILLS = 10


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


def test_tables_are_right_after_ten_kills_at_random_places(tmp_path: Path) -> None:
    """Each time one more run waits to be read; half of the analyses follow."""
    words = [sys.executable, "-m", "workbench", "play", "1", "2", "4", "19", "--simulated", "--data-dir", str(tmp_path)]
    subprocess.run(words, capture_output=True, check=True, timeout=300)
    runs = sorted((tmp_path / "runs").iterdir())[:KILLS]
    assert len(runs) == KILLS
    right = _analysed(runs, tmp_path / "right")
    random, out, killed = Random(17), tmp_path / "out", 0
    for place in range(KILLS):
        more = ("--follow",) if place % 2 else ()
        process = subprocess.Popen(
            _words(runs[: place + 1], out, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        # What it tells are its steps: it is killed while it is at one of them, and not by the clock.
        for _ in range(random.randrange(1, 24)):
            if not process.stderr.readline():
                break
        process.kill()
        killed += process.wait() == -9
        process.stderr.close()
    assert killed >= KILLS // 2
    assert _analysed(runs, out) == right
