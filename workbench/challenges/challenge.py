"""What a challenge is: a mission with a number, a field to play on and a score."""

from __future__ import annotations

from typing import Any, ClassVar

from cluster.model.events import FaultApplied, FaultReverted
from workbench.session.missions.mission import Attempt, Mission
from workbench.session.views.cluster import ClusterView


class WholeRun(Attempt):
    """Every fault of the run counts, also those before the last time that all was healed."""

    def apply(self, event: FaultApplied | FaultReverted) -> None:
        """Count one more."""
        if isinstance(event, FaultApplied):
            self.faults[event.fault_id] = event

    def begin(self) -> None:
        """Another cluster: nothing was done to it."""
        self.faults.clear()


class Challenge(Mission):
    """One challenge in one run."""

    number: ClassVar[int]
    task: ClassVar[str]
    """What is to come about, in one sentence or two."""
    graded: ClassVar[str]
    """What the trace has to show, in a few words."""
    fields: ClassVar[tuple[str, ...]]
    """The first lines of every solution, cluster line first; the seed says which of them it is played on."""

    @classmethod
    def field_of(cls, seed: int) -> str:
        """The field that a seed draws."""
        return cls.fields[seed % len(cls.fields)]

    @classmethod
    def is_impossible(cls, seed: int) -> bool:  # noqa: ARG003
        """Whether no script solves it on the field of this seed; then `say impossible` does."""
        return False

    @property
    def cost(self) -> int:
        """What counts before the number of commands; 0 where nothing does."""
        return 0

    def hint(self, picture: ClusterView) -> str:  # noqa: ARG002
        """The task itself: how it is done is the learner's to find."""
        return f"{self.task} Graded: {self.graded}."


def produced_with(event: Any, acks: int) -> bool:
    """Whether an OperationInvoked is a produce with these acks."""
    return bool(event.function == "produce" and event.acks == acks)
