"""Whether a user has had the tour of the screen: kept in the user's state."""

from __future__ import annotations

from contextlib import suppress

from workbench.support.state_files import read_state, state_folder, write_state
from workbench.tui.settings import Settings
from workbench.tui.theme.themes import FILE

TOURED = "toured"


def wants_tour(settings: Settings) -> bool:
    """Whether the next lab begins with it."""
    return settings.tour and read_state(state_folder() / FILE).get(TOURED) is not True


def toured() -> None:
    """It was shown: it is not shown by itself again."""
    path = state_folder() / FILE
    with suppress(OSError):  # then it comes once more
        write_state(path, read_state(path) | {TOURED: True})
