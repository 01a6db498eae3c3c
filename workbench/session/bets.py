"""Bets on what comes next: asked once for each incident before it is played on, answered by the trace."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.events import LeaderElected
from cluster.model.identifiers import NO_NODE, NodeId
from workbench.session.recording import Recording
from workbench.session.story.headline import moment_at
from workbench.session.views.cluster import ClusterView
from workbench.telling.words import node_name


class Bet(NamedTuple):
    """Who will lead the quorum that has lost its leader."""

    place: int
    """Entries that were in view when it was asked."""
    nodes: tuple[NodeId, ...]
    """The options: voters that are up."""

    @property
    def question(self) -> str:
        """With the key of each option."""
        options = ", ".join(f"{number} {node_name(node)}" for number, node in enumerate(self.nodes, start=1))
        return f"Bet: who will lead the quorum?  {options}"

    def winner(self, recording: Recording) -> NodeId:
        """As far as it is in view; -1 while nobody has won."""
        entries = recording.entries[self.place : recording.cursor]
        return next((entry.node for entry in entries if isinstance(entry.event, LeaderElected)), NO_NODE)


class Bets:
    """Those of one screen."""

    def __init__(self) -> None:
        self.is_on = False
        """Whether what is directed stops for them."""
        self.open: Bet | None = None
        """Asked, and neither placed nor skipped."""
        self.placed: tuple[Bet, NodeId] | None = None
        """Waits for its answer."""
        self.count = self.right = self.streak = 0
        """How many were answered, how many were right, how many of these one after the other."""
        self._asked: set[tuple[int, int]] = set()
        """Run and incident of those that were asked."""

    def ask(self, recording: Recording) -> Bet | None:
        """The bet that the moment in view calls for; None for none, or when it was asked before."""
        moment = moment_at(recording.story, recording.cursor)
        options = _options(recording.view)
        if not self.is_on or self.placed is not None or moment is None or len(options) < 2:
            return None
        incident = recording.run_count, moment.incident
        if incident in self._asked:
            return None
        self._asked.add(incident)
        self.open = Bet(recording.cursor, options)
        return self.open

    def place(self, number: int) -> NodeId:
        """Bet on an option, from 1; -1 when there is none of that number."""
        if self.open is None or not 1 <= number <= len(self.open.nodes):
            return NO_NODE
        bet, self.open = self.open, None
        self.placed = bet, bet.nodes[number - 1]
        return bet.nodes[number - 1]

    def settle(self, recording: Recording) -> str:
        """What came of the bet that waits, once that is in view; empty before."""
        if self.placed is None or (winner := self.placed[0].winner(recording)) == NO_NODE:
            return ""
        is_right, self.placed = winner == self.placed[1], None
        self.count, self.right = self.count + 1, self.right + is_right
        self.streak = self.streak + 1 if is_right else 0
        row = f", {self.streak} in a row" if self.streak > 1 else ""
        return (
            f"{'Right' if is_right else 'Wrong'}: {node_name(winner)} leads.  {self.right} of {self.count} right{row}"
        )


def _options(view: ClusterView) -> tuple[NodeId, ...]:
    """Who may win, while nobody leads a quorum that had a leader before."""
    if not view.voters or view.leader_of_newest_epoch != NO_NODE or view.newest_epoch < 1:
        return ()
    return tuple(sorted(voter for voter in view.voters if view.node(voter).is_up))
