"""Opens a simulated cluster for a challenge or for a bug hunt: with its task, or with nothing, where missions stand."""

from __future__ import annotations

from pathlib import Path

from cluster.scenario.parse import parse_script
from workbench.challenges.board import ChallengeBoard
from workbench.challenges.bugs.sealed import Sealed
from workbench.challenges.catalogue import HUNT, Listed
from workbench.challenges.hunt import FIELD, next_of, seal_logs, sealed_cluster
from workbench.runs.find import called
from workbench.runs.sealed import TITLE
from workbench.tui.settings import Settings
from workbench.tui.simulated import open_field


def open_challenge(listed: Listed, seed: int, home: Path, settings: Settings) -> ChallengeBoard:
    """Show it until it is left; the board says whether it was solved. Refusal when its cluster cannot start."""
    kind = listed.on_screen
    assert kind is not None
    board = ChallengeBoard(kind)
    _say(open_field(parse_script(kind.field_of(seed)), title_of(listed), seed, home, settings, board), seed)
    return board


def open_hunt(sealed: Sealed, seed: int, home: Path, settings: Settings) -> None:
    """Show a cluster that has the bug until it is left."""
    with sealed_cluster(sealed):
        folder = open_field(parse_script(FIELD), f"{TITLE}{sealed.name}", seed, home, settings)
    if folder.name:
        seal_logs(folder)
    _say(folder, seed)


def open_listed(listed: Listed, home: Path, settings: Settings) -> None:
    """What the first screen offers: the challenge, or a bug of the first level that is not found yet."""
    if listed is HUNT:
        open_hunt(next_of(1), 0, home, settings)
    else:
        open_challenge(listed, 0, home, settings)


def title_of(listed: Listed) -> str:
    """Of its runs."""
    return f"Challenge {listed.number}: {listed.title}"


def _say(folder: Path, seed: int) -> None:
    if folder.name:
        print(f"seed {seed}; the run is recorded: workbench replay {called(folder)}")
