"""Challenge 10: a group reads a record twice; another loses a member too, and reads every record once."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from workbench.challenges.challenge import Challenge
from workbench.session.missions.mission import Attempt
from workbench.session.views.cluster import ClusterView

Place = tuple[str, int, int]
"""Topic, partition, offset."""
RECORDS_MIN = 6


class _Group:
    """What one group has read."""

    def __init__(self) -> None:
        self.read: Counter[Place] = Counter()
        self.by: dict[str, int] = {}
        """Member to how many records it has read."""
        self.lost: set[str] = set()
        """Members that were killed after they had read."""
        self.since: set[str] = set()
        """Who has read after that."""

    @property
    def twice(self) -> int:
        """Records that were read more than once."""
        return sum(count > 1 for count in self.read.values())


class ReadTwice(Challenge):
    """At least once, and how near one comes to exactly once."""

    number, name, title = 10, "challenge-10", "Twice, and then once"
    task = (
        "Have a group read one record twice. Then kill a member of another group in the middle of its work, and have "
        "that group read every record of the topic once: none twice and none lost. At least six records, and some of "
        "them are read after the kill."
    )
    graded = "what one group polled twice; all that was acknowledged is polled once by another that lost a member"
    watches = (ev.ConsumerPolled, ev.ConsumerEnded, ev.OperationSucceeded)
    steps = ("a group reads a record twice", "a group loses a member that was at work", "that one reads all, each once")
    fields = ("cluster controllers=1 brokers=3 offsets_topic_partitions=1\ntopic orders partitions=2",)

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._groups: dict[str, _Group] = {}
        self._written: set[Place] = set()

    def apply(self, entry: Entry, event: Any, picture: ClusterView) -> None:  # noqa: ARG002
        """Records that members say they have processed, against those that producers know to be written."""
        match event:
            case ev.OperationSucceeded(function="produce", topic=topic, partition=partition):
                offsets = range(event.base_offset, event.base_offset + event.count)
                self._written.update((topic, partition, offset) for offset in offsets)
            case ev.ConsumerPolled():
                group = self._groups.setdefault(event.group, _Group())
                offsets = range(event.base_offset, event.base_offset + event.count)
                group.read.update((event.topic, event.partition, offset) for offset in offsets)
                group.by[event.client_id] = group.by.get(event.client_id, 0) + event.count
                if group.lost:
                    group.since.add(event.client_id)
            case ev.ConsumerEnded(how="killed") if event.client_id in self._group(event.group).by:
                self._group(event.group).lost.add(event.client_id)
        self._judge()

    def _group(self, name: str) -> _Group:
        return self._groups.setdefault(name, _Group())

    def _judge(self) -> None:
        twice = [name for name, group in self._groups.items() if group.twice]
        if not twice:
            return
        self.tick(0, f"{twice[0]} reads {self._groups[twice[0]].twice} twice")
        for name, group in self._groups.items():
            if group.twice or not group.lost:
                continue
            self.tick(1, f"{name} loses {', '.join(sorted(group.lost))}")
            if group.since and len(self._written) >= RECORDS_MIN and set(group.read) == self._written:
                self.tick(2, f"{name} has read {len(group.read)}, each once")
                self.done(f"{len(group.read)} records once")
