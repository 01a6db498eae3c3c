"""The way of one record: sent, written, copied, committed, acknowledged, read. Folded from the newest entries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import client, replica
from cluster.model.identifiers import NodeId, Offset, TopicPartition
from workbench.session.recording import Recording

LOOK_BACK = 800
"""Entries before the cursor among which the steps of the record are sought."""
CLIENTS = 0
"""Stands for all clients where a node would stand."""
WATCHED = frozenset((
    client.OperationInvoked, client.OperationSucceeded, replica.ReplicaAppended, replica.FollowerProgress,
    replica.HighWatermarkAdvanced,
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
    """The leader first, then the other replicas."""

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
    nodes = (item.leader, *(node for node in item.replicas if node != item.leader))
    return _found(recording, (recording.run_count, recording.cursor), tp, log.high_watermark - 1, nodes)


@lru_cache(maxsize=4)
def _found(
    recording: Recording,
    place: tuple[int, int],
    tp: TopicPartition,
    offset: Offset,
    nodes: tuple[NodeId, ...],
) -> RecordWay | None:
    """place: number of the run, and the cursor in it."""
    cursor = place[1]
    entries = recording.entries[max(0, cursor - LOOK_BACK) : cursor]
    steps = steps_of(entries, tp, offset, nodes[0])
    return RecordWay(offset, steps, nodes) if steps else None


def steps_of(entries: Sequence[Entry], tp: TopicPartition, offset: Offset, leader: NodeId) -> tuple[Step, ...]:
    """In time order. Only what an event told."""
    steps: list[Step] = []
    sent: dict[Client, int] = {}
    asked: set[NodeId] = set()
    is_read = False
    for entry in entries:
        event, t_ns, node = entry.event, entry.t_ns, entry.node
        if type(event) not in WATCHED or (getattr(event, "topic", ""), getattr(event, "partition", -1)) != tp:
            continue
        match event:
            case client.OperationInvoked() if event.function == "produce":
                sent[event.client_id, event.operation_id] = t_ns
            case client.OperationSucceeded() if event.base_offset <= offset < event.base_offset + event.count:
                if event.function == "produce":
                    begun = sent.get((event.client_id, event.operation_id))
                    if begun is not None:
                        steps.append(Step(begun, CLIENTS, leader, str(offset), "flow"))
                    steps.append(Step(t_ns, leader, CLIENTS, f"\u2713 {offset}", "yes"))
                elif event.function == "consume" and not is_read:
                    is_read = True
                    steps.append(Step(t_ns, leader, CLIENTS, f"{offset} read", "flow"))
            case replica.ReplicaAppended() if event.base_offset <= offset < event.end_offset:
                if node == leader:
                    steps.append(Step(t_ns, node, node, f"\u25a0 LEO {event.end_offset}", "text"))
                else:
                    steps.append(Step(t_ns, leader, node, str(offset), "flow"))
            case replica.FollowerProgress() if event.log_end_offset > offset and event.replica_id not in asked:
                asked.add(event.replica_id)
                steps.append(Step(t_ns, event.replica_id, leader, f"{event.log_end_offset}?", "flow"))
            case replica.HighWatermarkAdvanced() if node == leader and event.high_watermark > offset:
                if not any(step.role == "hw" for step in steps):
                    steps.append(Step(t_ns, node, node, f"\u258c HW {event.high_watermark}", "hw"))
            case _:
                pass
    return tuple(sorted(steps, key=lambda step: step.t_ns))
