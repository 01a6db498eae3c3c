"""Draws the pictures of docs/pictures from simulated runs: each seed gives the same picture, to the cell.

Run by `make pictures`. A picture is a moment of a script: the screen after the first event of a kind.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tools.held_pictures import draw_held
from workbench.cli.picture import opened
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.svg import canvas_svg

ROOT = Path(__file__).parents[1]
SCENARIOS = ROOT / "tests" / "scenarios"
FOLDER = ROOT / "docs" / "pictures"


class Moment(NamedTuple):
    """What one picture shows."""

    name: str
    script: str
    event: str
    """Name of the event after which the run is held."""
    times: int = 1
    """Which one of its kind."""
    later: int = 0
    """Entries after it."""
    columns: int = 160
    rows: int = 45
    theme: str = "dark"


MOMENTS = (
    Moment("01-a-record-on-its-way", "p05_acks_1_loss", "rep.high_watermark_advanced", 3),
    Moment("02-a-leader-is-killed", "r02_kill_leader", "proc.exited"),
    Moment("03-votes", "r02_kill_leader", "raft.vote_granted", 5),
    Moment("04-a-new-leader", "r02_kill_leader", "raft.leader_elected", 2),
    Moment("05-a-cut-network", "r03_leader_cut_off", "fault.applied", later=6),
    Moment("06-the-cut-of-a-log", "p05_acks_1_loss", "rep.truncated"),
    Moment("07-the-same-in-a-bright-room", "p05_acks_1_loss", "rep.truncated", theme="light"),
    Moment("08-the-same-at-120x40", "p05_acks_1_loss", "rep.truncated", columns=120, rows=40),
    Moment("09-the-same-at-80x24", "p05_acks_1_loss", "rep.truncated", columns=80, rows=24),
    Moment("10-the-same-at-200x50", "p05_acks_1_loss", "rep.truncated", columns=200, rows=50),
)


def draw_all(folder: Path) -> list[Path]:
    """Play each script once, in virtual time, and write its moments."""
    made: list[Path] = []
    for script in dict.fromkeys(moment.script for moment in MOMENTS):
        with tempfile.TemporaryDirectory() as home:
            run_script(SCENARIOS / f"{script}.txt", as_json=False, home=Path(home), world=WorldChoice(simulated=True))
            for run in sorted((Path(home) / "runs").iterdir())[:1]:
                made += [_draw(run, moment, folder) for moment in MOMENTS if moment.script == script]
    return made


def _draw(run: Path, moment: Moment, folder: Path) -> Path:
    """One picture. LookupError when the run has no such event."""
    ui = opened(run)
    found = [place for place, entry in enumerate(ui.recording.entries) if entry.event.name == moment.event]
    if len(found) < moment.times:
        raise LookupError(f"{moment.name}: {moment.script} has {len(found)} of {moment.event}")
    ui.recording.seek(found[moment.times - 1] + 1 + moment.later)
    path = folder / f"{moment.name}.svg"
    path.write_text(canvas_svg(draw_screen(moment.columns, moment.rows, ui), ui.title, moment.theme), "utf-8")
    return path


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for picture in (*draw_all(FOLDER), *draw_held(FOLDER)):
        sys.stderr.write(f"{picture.relative_to(ROOT)}\n")
