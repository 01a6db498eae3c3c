"""Challenges 5 and 6: unavailable and nothing lost, and an ISR that flaps without a kill."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import INTERNAL_TOPICS, NodeId, TopicPartition
from workbench.challenges.acknowledged import ALL, LEADER, Acknowledged
from workbench.challenges.challenge import Challenge, produced_with
from workbench.session.missions.mission import Attempt, seconds_said
from workbench.session.missions.replication import NOT_ENOUGH
from workbench.session.views.cluster import ClusterView

REFUSED_NS = 10_000_000_000
FLAPS = 6


class UnavailableButSafe(Challenge):
    """Writes with acks=all are refused for ten seconds, and no acknowledged record is lost."""

    number, name, title = 5, "challenge-5", "Unavailable, but safe"
    task = (
        "Have every write with acks=all refused for 10 seconds, for want of replicas in sync. At least five records "
        "were acknowledged before, and none of them is lost."
    )
    graded = "acks=all refused over 10 s and none accepted in between, nothing lost"
    watches = (ev.OperationInvoked, ev.OperationSucceeded, ev.ProduceRefused)
    steps = ("five records are acknowledged", "acks=all is refused", "refused for 10 s, and nothing is lost")
    fields = ("cluster controllers=3 brokers=3\ntopic orders assign=1,2,3 min-isr=2",)

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._acknowledged = Acknowledged()
        self._since_ns = 0
        self._asked: set[tuple[str, int]] = set()

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:
        """From the first refusal on, as long as nothing is accepted."""
        if isinstance(event, ev.ProduceRefused):
            if event.error in NOT_ENOUGH and event.acks == ALL and self.ticks:
                self._refused(entry.t_ns, ErrorCode(event.error).name, picture)
            return
        self._acknowledged.apply(event)
        key = event.client_id, event.operation_id
        if isinstance(event, ev.OperationInvoked) and produced_with(event, ALL):
            self._asked.add(key)
        elif isinstance(event, ev.OperationSucceeded) and key in self._asked:
            self._since_ns = 0
            self.reset()
        if self._acknowledged.count >= 5 and not self.ticks:
            self.tick(0, f"{self._acknowledged.count} records are acknowledged")

    def _refused(self, now_ns: int, why: str, picture: ClusterView) -> None:
        self._since_ns = self._since_ns or now_ns
        passed_ns = now_ns - self._since_ns
        self.tick(1, f"acks=all is refused for {seconds_said(passed_ns)}: {why}")
        lost = sum(self._acknowledged.lost(picture, acks) for acks in (ALL, LEADER))
        if passed_ns >= REFUSED_NS and not lost:
            self.done(f"refused for {seconds_said(passed_ns)}, 0 lost")


class IsrFlaps(Challenge):
    """The ISR of one partition changes again and again, and no process ends."""

    number, name, title, price, may_kill = 6, "challenge-6", "The ISR flaps", "no kill", False
    task = "Have the ISR of one partition change six times, out and in, without ending any process."
    graded = "six changes of one ISR, no process ended"
    watches = (ev.PartitionDecided,)
    steps = ("the ISR shrinks", "six changes")
    fields = ("cluster controllers=3 brokers=3\ntopic orders assign=1,2,3 min-isr=1",)

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._isr: dict[TopicPartition, set[NodeId]] = {}
        self._changes: dict[TopicPartition, int] = {}

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """The ISR as the controller decides it."""
        where, isr = TopicPartition(event.topic, event.partition), set(event.isr)
        before = self._isr.get(where, isr)
        self._isr[where] = isr
        if isr == before or event.topic in INTERNAL_TOPICS:
            return
        count = self._changes[where] = self._changes.get(where, 0) + 1
        self.tick(0, f"{count} changes, ISR {','.join(map(str, sorted(isr)))}")
        if count >= FLAPS:
            self.tick(1, f"{count} changes of the ISR of {where}")
            self.done(f"{count} changes")
