"""Challenges 1 and 2: lose what all have acknowledged, and exactly three records that the leader acknowledged alone."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from workbench.challenges.acknowledged import ALL, LEADER, Acknowledged
from workbench.challenges.challenge import Challenge
from workbench.session.missions.mission import Attempt
from workbench.session.views.cluster import ClusterView

WATCHED = (ev.OperationInvoked, ev.OperationSucceeded, ev.BecameLeader, ev.ReplicaTruncated)


class _Loss(Challenge):
    watches = WATCHED

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._acknowledged = Acknowledged()

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """Acknowledgements, then what a leader has left of them."""
        if isinstance(event, ev.OperationInvoked | ev.OperationSucceeded):
            self._acknowledged.apply(event)
            if self._acknowledged.count:
                self.tick(0)
        else:
            self._look(picture)

    @abstractmethod
    def _look(self, picture: ClusterView) -> None: ...


class LoseWithOneFault(_Loss):
    """A record that was acknowledged with acks=all is lost, by one fault."""

    number, name, title, price = 1, "challenge-1", "Lose what all have acknowledged", "1 fault"
    faults_max = 1
    task = (
        "With one fault to one node, lose a record that was acknowledged with acks=all. If the field does not allow "
        "it, hand in the line: say impossible."
    )
    graded = "one acknowledged acks=all record is lost, or the field is one where none can be"
    steps = ("a record is acknowledged with acks=all", "a leader lacks it")
    fields = (
        "cluster controllers=3 brokers=3\ntopic orders assign=1 min-isr=1",
        "cluster controllers=3 brokers=3 unclean_leader_election=off\ntopic orders assign=1,2,3 min-isr=2",
    )

    @classmethod
    def is_impossible(cls, seed: int) -> bool:
        """With three copies, two of them needed and no unclean election, one fault is not enough."""
        return cls.field_of(seed) == cls.fields[1]

    @property
    def too_much(self) -> str:
        """A fault of several nodes is several faults."""
        nodes = max((len(fault.nodes) for fault in self.attempt.faults.values() if not fault.links), default=0)
        return super().too_much or (f"that was a fault to {nodes} nodes, and 1 may be used" if nodes > 1 else "")

    def _look(self, picture: ClusterView) -> None:
        count = self._acknowledged.lost(picture, ALL)
        if count:
            self.tick(1, f"{count} acknowledged with acks=all and lost")
            self.done(f"{count} lost")


class LoseThree(_Loss):
    """Exactly three records that the leader alone has acknowledged are lost."""

    number, name, title, price, faults_max = 2, "challenge-2", "Lose exactly three", "2 faults", 2
    task = "Lose exactly three records that were acknowledged with acks=1, with at most two faults."
    graded = "three records acknowledged with acks=1 are lost, at most 2 faults, fewest commands"
    steps = ("records are acknowledged", "three of them are lost")
    fields = ("cluster controllers=3 brokers=3\ntopic orders assign=1,2,3 min-isr=1",)

    def _look(self, picture: ClusterView) -> None:
        count = self._acknowledged.lost(picture, LEADER)
        if count == 3:
            self.done("3 lost")
