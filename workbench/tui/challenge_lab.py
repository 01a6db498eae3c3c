"""Opens a simulated cluster for a challenge or for a bug hunt: with its task, or with nothing, where missions stand."""

from __future__ import annotations

from pathlib import Path

from cluster.scenario.parse import parse_script
from workbench.challenges.board import ChallengeBoard
from workbench.challenges.bugs.sealed import Sealed
from workbench.challenges.catalogue import HUNT, Listed
from workbench.challenges.hunt import FIELD, next_of, seal_logs, sealed_cluster
from workbench.runs.sealed import TITLE
from workbench.session.beginning import Processes, Simulated, begin_field
from workbench.session.lesson.page import FREE_LAB, HUNT_PAGE, SIMULATED_LAB
from workbench.tui.settings import Settings
from workbench.tui.showing import show


def open_challenge(
    listed: Listed, seed: int, home: Path, settings: Settings, *, simulated: bool = True
) -> ChallengeBoard:
    """Show it until it is left; the board says whether it was solved. Refusal when its cluster cannot start."""
    kind = listed.on_screen
    assert kind is not None
    board, field = ChallengeBoard(kind), parse_script(kind.field_of(seed))
    world, page = (Simulated(), SIMULATED_LAB) if simulated else (Processes(), FREE_LAB)
    show(begin_field(field, title_of(listed), seed, world, home), page, settings, board)
    return board


def open_hunt(sealed: Sealed, seed: int, home: Path, settings: Settings) -> None:
    """Show a cluster that has the bug until it is left."""
    run = begin_field(parse_script(FIELD), f"{TITLE}{sealed.name}", seed, Simulated(), home)
    with sealed_cluster(sealed):
        show(run, HUNT_PAGE, settings)
    if run.session.run_folder.name:
        seal_logs(run.session.run_folder)


def open_listed(listed: Listed, home: Path, settings: Settings) -> None:
    """What the first screen offers: the challenge, or a bug of the first level that is not found yet."""
    if listed is HUNT:
        open_hunt(next_of(1), 0, home, settings)
    else:
        open_challenge(listed, 0, home, settings)


def title_of(listed: Listed) -> str:
    """Of its runs."""
    return f"Challenge {listed.number}: {listed.title}"
