"""The way of one record: sent, written, copied, committed, acknowledged, read. Folded from the newest entries."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import client, replica
from cluster.model.identifiers import NO_NODE, NodeId, Offset, TopicPartition
from workbench.session.recording import Recording

LOOK_BACK = 800
"""Entries before the cursor among which the steps of the record are sought."""
CLIENTS = 0
"""Stands for all clients where a node would stand."""
WATCHED = frozenset((
    client.OperationInvoked, client.OperationSucceeded, replica.BecameLeader, replica.BecameFollower,
    replica.ReplicaAppended, replica.FollowerProgress, replica.HighWatermarkAdvanced, replica.ProduceAnswered,
))  # fmt: skip
"""Kinds of events that a record's way is made of."""
Client = tuple[str, int]


class Step(NamedTuple):
    """One step of the way."""

    t_ns: int
    source: NodeId
    target: NodeId
    """The same as source for what happens at one place."""
    text: str
    role: str
    """flow, hw, yes or text."""


class RecordWay(NamedTuple):
    """What became of the newest committed record, step by step."""

    offset: Offset
    steps: tuple[Step, ...]
    nodes: tuple[NodeId, ...]
    """Who wrote it as its leader first, whoever leads now, then the other replicas."""

    @property
    def is_whole(self) -> bool:
        """Whether it was seen to be written by its leader and to be committed."""
        return any(step.role == "hw" for step in self.steps)


def way_of_newest(recording: Recording, tp: TopicPartition) -> RecordWay | None:
    """Of the newest record below the high watermark of the leader; None while there is none, or it is long ago."""
    view = recording.view
    item = view.partitions.get(tp)
    log = view.logs.get((item.leader, tp)) if item is not None else None
    if item is None or log is None or log.high_watermark < 1:
        return None
    return _found(recording, (recording.run_count, recording.cursor), tp, log.high_watermark - 1, item.replicas)


@lru_cache(maxsize=4)
def _found(
    recording: Recording,
    place: tuple[int, int],
    tp: TopicPartition,
    offset: Offset,
    replicas: tuple[NodeId, ...],
) -> RecordWay | None:
    """place: number of the run, and the cursor in it."""
    cursor = place[1]
    entries = recording.entries[max(0, cursor - LOOK_BACK) : cursor]
    way = _Way(tp, offset)
    for entry in entries:
        if type(entry.event) in WATCHED:
            way.take(entry, entry.event)
    steps = tuple(sorted(way.steps, key=lambda step: step.t_ns))
    return RecordWay(offset, steps, (way.writer, *(node for node in replicas if node != way.writer))) if steps else None


@dataclass(slots=True)
class _Way:
    """The steps of the record at an offset. Only what an event told; none before its leader wrote it."""

    tp: TopicPartition
    offset: Offset
    writer: NodeId = NO_NODE
    """Who wrote it as the leader."""
    leader: NodeId = NO_NODE
    """Who led last: readers are served by it."""
    answers: NodeId = NO_NODE
    """Who acknowledged it last."""
    steps: list[Step] = field(default_factory=list)
    sent: dict[Client, int] = field(default_factory=dict)
    asked: set[NodeId] = field(default_factory=set)
    follows: dict[NodeId, NodeId] = field(default_factory=dict)
    is_read: bool = False

    def take(self, entry: Entry, event: Any) -> None:
        """An event of a kind that is watched."""
        if (event.topic, event.partition) != self.tp:
            return
        node, offset = entry.node, self.offset
        match event:
            case client.OperationInvoked() if event.function == "produce":
                self.sent[event.client_id, event.operation_id] = entry.t_ns
            case replica.BecameLeader():
                self.leader = node
            case replica.BecameFollower():
                self.follows[node] = event.leader
            case replica.ReplicaAppended(role="leader") if event.base_offset <= offset < event.end_offset:
                self.writer = self.leader = self.answers = node
                self.steps, self.is_read = [], False  # of another record at this offset, which was cut
                self.asked.clear()
                self._add(entry, node, node, f"\u25a0 LEO {event.end_offset}", "text")
            case _ if self.writer != NO_NODE:
                self._follow(entry, event)

    def _follow(self, entry: Entry, event: Any) -> None:
        node, offset = entry.node, self.offset
        match event:
            case replica.ReplicaAppended() if event.base_offset <= offset < event.end_offset:
                self._add(entry, self.follows.get(node, self.writer), node, f"{offset}", "flow")
            case replica.FollowerProgress() if event.log_end_offset > offset and event.replica_id not in self.asked:
                self.asked.add(event.replica_id)
                self._add(entry, event.replica_id, node, f"{event.log_end_offset}?", "flow")
            case replica.HighWatermarkAdvanced(role="leader") if event.high_watermark > offset:
                if not any(step.role == "hw" for step in self.steps):
                    self._add(entry, node, node, f"\u258c HW {event.high_watermark}", "hw")
            case replica.ProduceAnswered(error=0) if event.base_offset <= offset < event.base_offset + event.count:
                self.answers = node
            case client.OperationSucceeded() if event.base_offset <= offset < event.base_offset + event.count:
                self._tell_client(entry, event)

    def _tell_client(self, entry: Entry, event: client.OperationSucceeded) -> None:
        if event.function == "produce":
            begun = self.sent.get((event.client_id, event.operation_id))
            if begun is not None:
                self.steps.append(Step(begun, CLIENTS, self.writer, f"{self.offset}", "flow"))
            self._add(entry, self.answers, CLIENTS, f"\u2713 {self.offset}", "yes")
        elif event.function == "consume" and not self.is_read:
            self.is_read = True
            self._add(entry, self.leader, CLIENTS, f"{self.offset} read", "flow")

    def _add(self, entry: Entry, source: NodeId, target: NodeId, text: str, role: str) -> None:
        self.steps.append(Step(entry.t_ns, source, target, text, role))
