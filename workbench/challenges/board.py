"""One challenge beside a living run: judged while it is played, like a mission."""

from __future__ import annotations

from pathlib import Path

from workbench.challenges.challenge import Challenge, WholeRun
from workbench.session.missions.board import Board
from workbench.session.missions.mission import Mission
from workbench.session.views.cluster import ClusterView


class ChallengeBoard(Board):
    """A board of one: what was done before does not tick it off, so that it can be played again."""

    def __init__(self, kind: type[Challenge], progress_folder: Path | None = None) -> None:
        """`progress_folder`: where progress is kept; None for the user's state folder."""
        self._kind = kind
        super().__init__(progress_folder)
        self.results = {}
        self.title = f"Challenge {kind.number}"

    def _begin(self) -> None:
        attempt = WholeRun()
        self.attempt = attempt
        self.missions: tuple[Mission, ...] = (self._kind(attempt),)
        self.results, self.newest = {}, ""

    def _suit(self, picture: ClusterView) -> None:
        """It is the same challenge in any cluster."""
