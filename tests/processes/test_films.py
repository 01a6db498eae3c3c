"""What the screen shows of recordings of real processes, while they ran and afterwards, against what the trace says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes.watching import no_run_left, workbench
from tests.support.screens.compared import watch_film

pytestmark = pytest.mark.processes
FOLDER = Path(__file__).parent / "films"
QUICK = "split_vote"
LONG = sorted({path.stem for path in FOLDER.glob("*.txt")} - {QUICK})
PLACES = 30
TOLD_IN_ALL = ("faults in force", "down", "quorum leader", "log end", "high watermark", "verdict: kept")


def filmed(home: Path, name: str) -> dict[str, int]:
    """How many facts of each kind were compared. All of them are so."""
    done = workbench(home, "run", str(FOLDER / f"{name}.txt"))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    no_run_left(home)
    (run,) = (home / "runs").iterdir()
    film = watch_film(run, PLACES)
    assert film.wrong == [], f"{len(film.wrong)} wrong: {film.wrong[0]}"
    for fact in TOLD_IN_ALL:
        assert film.counts[fact] >= PLACES, fact
    return film.counts


def test_a_split_vote_of_real_processes_is_shown_as_it_was(tmp_path: Path) -> None:
    """Two ask in one epoch, neither has a majority, and the next round elects."""
    counts = filmed(tmp_path, QUICK)
    assert counts["split vote"] and counts["votes in a box"] and counts["won"]


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_longer_film_is_shown_as_it_was(tmp_path: Path, name: str) -> None:
    filmed(tmp_path, name)
